// A host in Go on the raw core module: `go-host URL METHOD POLICY SEED [KEY]` prints a line for each
// verdict, then how it ended. RETRYWISE_RAW names the module's file.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"strconv"

	"retrywise.dev/hosts/go/retrywise"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) < 5 {
		log.Fatal("usage: go-host URL METHOD POLICY SEED [KEY]")
	}
	url, method, policy := os.Args[1], os.Args[2], os.Args[3]
	seed, err := strconv.ParseUint(os.Args[4], 10, 53)
	check(err)
	wasm, err := os.ReadFile(os.Getenv("RETRYWISE_RAW"))
	check(err)
	brain, err := retrywise.NewBrain(context.Background(), wasm)
	check(err)
	// A connection for each attempt: net/http would repeat on its own where a kept one was closed.
	inner := &http.Transport{DisableKeepAlives: true}
	transport, err := retrywise.NewTransport(brain, inner, policy, seed)
	check(err)
	transport.OnVerdict = func(v retrywise.Verdict) {
		kind := []string{"accept", "retry", "stop"}[v.Kind]
		fmt.Println(kind, v.Reason, v.Attempt, v.DelayMs)
	}
	request, err := http.NewRequest(method, url, nil)
	check(err)
	if len(os.Args) > 5 {
		request.Header.Set("Idempotency-Key", os.Args[5])
	}
	response, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		fmt.Println("error")
		return
	}
	defer response.Body.Close()
	fmt.Println("status", response.StatusCode)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
