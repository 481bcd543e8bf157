package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"retrywise.dev/hosts/go/retrywise"
)

// step is one step of a trace.
type step struct {
	Op   string `json:"op"`
	Args struct {
		Call     string          `json:"call"`
		Request  request         `json:"request"`
		Outcome  outcome         `json:"outcome"`
		Document json.RawMessage `json:"document"`
		Retry    uint32          `json:"retry"`
		Class    string          `json:"class"`
		HintMs   *float64        `json:"hintMs"`
	} `json:"args"`
}

type request struct {
	Method         string      `json:"method"`
	Key            *string     `json:"key"`
	Headers        [][2]string `json:"headers"`
	ReplayableBody *bool       `json:"replayableBody"`
}

// world is the trace that is being played: an upstream on a clock that the steps move.
type world struct {
	brain    *retrywise.Brain
	upstream uint32
	calls    map[string]*retrywise.Call
	delays   map[string]*retrywise.DelayState
	latest   string
}

func (w *world) open(policy, seed string) error {
	w.brain.Free(w.upstream)
	upstream, err := w.brain.Upstream(policy, 0)
	if err != nil {
		return refused("the policy is invalid: " + err.Error())
	}
	w.upstream, w.latest = upstream, ""
	w.calls, w.delays = map[string]*retrywise.Call{}, map[string]*retrywise.DelayState{}
	return w.setRandom(seed)
}

func (w *world) step(asked *question) (answers, error) {
	if asked.Rng != nil {
		if err := w.setRandom(asked.Rng.String()); err != nil {
			return nil, err
		}
	}
	said, err := w.play(asked.Step, asked.At, wallOf(asked.Wall))
	if err != nil {
		return nil, err
	}
	random := strconv.FormatUint(w.brain.RandomState(w.upstream), 10)
	return answers{"answers": said, "rng": random}, nil
}

func (w *world) play(step *step, at, wall float64) (answers, error) {
	args := &step.Args
	switch step.Op {
	case "policy":
		issues := []answers{}
		for _, issue := range w.brain.Validate(string(args.Document)) {
			issues = append(issues, answers{"field": issue.Field, "kind": issue.Kind})
		}
		return answers{"valid": len(issues) == 0, "issues": issues}, nil
	case "view":
		view := w.brain.View(w.upstream, at)
		said := answers{"state": nil, "retryInMs": orNull(view.RetryInMs), "balance": nil}
		if view.Breaker != "" {
			said["state"] = view.Breaker
		}
		if view.Balance >= 0 {
			said["balance"] = view.Balance / 1000
		}
		return said, nil
	case "isolate":
		w.brain.Isolate(w.upstream)
		return answers{}, nil
	case "reset":
		w.brain.Reset(w.upstream)
		return answers{}, nil
	case "delay":
		return w.delay(step), nil
	case "begin":
		return w.begin(step, at, wall)
	}
	name := args.Call
	if name == "" {
		name = w.latest
	}
	call, found := w.calls[name]
	if !found {
		return nil, refused(fmt.Sprintf("no call %q was admitted", args.Call))
	}
	switch step.Op {
	case "settle":
		return verdict(call.Settle(args.Outcome.convert(w.brain), at, wall)), nil
	case "resume":
		refusal := call.Resume(at)
		return admission(refusal), nil
	case "cancel":
		return verdict(call.Cancel(at)), nil
	case "end":
		call.End(at)
		return answers{}, nil
	}
	return nil, refused("this host does not know " + step.Op)
}

func (w *world) begin(step *step, at, wall float64) (answers, error) {
	asked := &step.Args.Request
	var items retrywise.Items
	for _, line := range asked.Headers {
		items.Header(line[0], line[1])
	}
	if asked.Key != nil {
		items.Key(*asked.Key)
	}
	once := asked.ReplayableBody != nil && !*asked.ReplayableBody
	call, err := w.brain.Begin(w.upstream, asked.Method, items, once, at, wall)
	var refusal *retrywise.Refusal
	if errors.As(err, &refusal) {
		said := admission(refusal)
		delete(said, "over")
		return said, nil
	}
	w.latest = step.Args.Call
	w.calls[step.Args.Call] = call
	return answers{"admitted": true, "reason": nil, "retryInMs": nil}, nil
}

func (w *world) delay(step *step) answers {
	state, found := w.delays[step.Args.Call]
	if !found {
		state = retrywise.NewDelayState()
		w.delays[step.Args.Call] = state
	}
	class, hint := step.Args.Class, -1.0
	if class == "" {
		class = "transient"
	}
	if step.Args.HintMs != nil {
		hint = *step.Args.HintMs
	}
	wait, reason := w.brain.Delay(w.upstream, step.Args.Retry, class, hint, state)
	return answers{"delayMs": orNull(wait), "reason": reason}
}

func (w *world) setRandom(state string) error {
	bits, err := strconv.ParseUint(state, 10, 64)
	if err == nil {
		w.brain.SetRandomState(w.upstream, bits)
	}
	return err
}

func admission(refusal *retrywise.Refusal) answers {
	if refusal == nil {
		return answers{"admitted": true, "reason": nil, "retryInMs": nil, "over": false}
	}
	return answers{
		"admitted": false, "reason": refusal.Reason, "retryInMs": orNull(refusal.RetryInMs), "over": refusal.Over,
	}
}

func verdict(v retrywise.Verdict) answers {
	said := answers{
		"verdict": []string{"accept", "retry", "stop"}[v.Kind], "attempt": v.Attempt, "delayMs": v.DelayMs,
		"reason": v.Reason, "hintMs": orNull(v.HintMs), "hintSource": nil, "class": v.Class,
		"delivery": v.Delivery, "transition": nil, "stale": v.Stale,
	}
	if v.HintSource != "" {
		said["hintSource"] = v.HintSource
	}
	if v.Transition != "" {
		said["transition"] = v.Transition
	}
	return said
}
