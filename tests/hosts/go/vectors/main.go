// Answers the vector runner, a line of JSON with a line of JSON, through the raw core module. It
// converts names and holds no rule; comparing is the runner's. RETRYWISE_RAW names the module's file.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"

	"retrywise.dev/hosts/go/retrywise"
)

// question is a line of the runner.
type question struct {
	Op     string          `json:"op"`
	Input  *signal         `json:"input"`
	Wall   *float64        `json:"wall"`
	Policy json.RawMessage `json:"policy"`
	Seed   json.Number     `json:"seed"`
	Step   *step           `json:"step"`
	At     float64         `json:"at"`
	Rng    *json.Number    `json:"rng"`
}

type answers = map[string]any

// refused is a vector that asks for something that has no answer.
type refused string

func (r refused) Error() string { return string(r) }

func main() {
	log.SetFlags(0)
	wasm, err := os.ReadFile(os.Getenv("RETRYWISE_RAW"))
	check(err)
	brain, err := retrywise.NewBrain(context.Background(), wasm)
	check(err)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<26)
	world := &world{brain: brain}
	for in.Scan() {
		var asked question
		check(json.Unmarshal(in.Bytes(), &asked))
		said, err := world.answer(&asked)
		var no refused
		switch {
		case errors.As(err, &no):
			said = answers{"refused": string(no)}
		case err != nil:
			log.Fatal(err)
		}
		check(out.Encode(said))
	}
	check(in.Err())
}

func (w *world) answer(asked *question) (answers, error) {
	switch asked.Op {
	case "hello":
		machines := []string{"delay", "engine", "policy"}
		return answers{"machines": machines, "views": true, "isolates": true}, nil
	case "signal":
		said, err := w.signal(asked.Input, wallOf(asked.Wall))
		return answers{"answers": said}, err
	case "open":
		return answers{}, w.open(string(asked.Policy), asked.Seed.String())
	case "step":
		return w.step(asked)
	}
	return nil, fmt.Errorf("the runner asks for %q, which this host does not know", asked.Op)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
