package main

import (
	"fmt"

	"retrywise.dev/hosts/go/retrywise"
)

// signal is the input of a line of signals: an outcome, or a class and a delivery given directly.
type signal struct {
	outcome
	Method         *string `json:"method"`
	Profile        string  `json:"profile"`
	IdempotencyKey bool    `json:"idempotency_key"`
	Class          string  `json:"class"`
	Delivery       string  `json:"delivery"`
}

// signal gives every answer that the input has.
func (w *world) signal(input *signal, wall float64) (answers, error) {
	said := answers{}
	if input.Method != nil {
		said["safe"], said["idempotent"] = w.brain.Method(*input.Method)
	}
	if input.Class != "" {
		outcome, err := w.standIn(input.Class, input.Delivery)
		if err != nil {
			return nil, err
		}
		said["class"], said["delivery"] = input.Class, input.Delivery
		if input.Method != nil {
			said["retry"], err = w.isRetried(*input.Method, input.IdempotencyKey, outcome, "")
		}
		return said, err
	}
	if input.Status == nil && input.Error == nil {
		return said, nil
	}
	seen := input.convert(w.brain)
	meaning := w.brain.Classify(seen, input.Profile, input.IdempotencyKey, wall)
	said["class"], said["delivery"] = meaning.Class, meaning.Delivery
	said["delay_ms"] = orNull(w.brain.Hint(seen, input.Profile, wall))
	if input.Method != nil {
		retried, err := w.isRetried(*input.Method, input.IdempotencyKey, seen, input.Profile)
		if err != nil {
			return nil, err
		}
		said["retry"] = retried
	}
	return said, nil
}

// isRetried is the decision, attempts and budget aside: what the first settle of a call says.
func (w *world) isRetried(method string, honoured bool, seen retrywise.Outcome, profile string) (bool, error) {
	vendor := "null"
	if profile != "" {
		vendor = fmt.Sprintf("%q", profile)
	}
	policy := fmt.Sprintf(`{"profile":%s,"idempotency":{"honoured":%t}}`, vendor, honoured)
	upstream, err := w.brain.Upstream(policy, 0)
	if err != nil {
		return false, refused(err.Error())
	}
	var items retrywise.Items
	if honoured {
		items.Key("key")
	}
	call, err := w.brain.Begin(upstream, method, items, false, 0, 0)
	if err != nil {
		return false, refused(err.Error())
	}
	verdict := call.Settle(seen, 0, 0)
	call.End(0)
	w.brain.Free(upstream)
	return verdict.Kind == retrywise.Retry, nil
}

// standIn is an outcome that the core takes for a class and a delivery given directly. A
// not_processed counts as proven there, so it must not rest on a status.
func (w *world) standIn(class, delivery string) (retrywise.Outcome, error) {
	status := func(code float64, headers ...[2]string) outcome { return outcome{Status: &code, Headers: headers} }
	failed := func(pairs ...string) outcome {
		error := failure{}
		for at := 0; at < len(pairs); at += 2 {
			error[pairs[at]] = []byte(fmt.Sprintf("%q", pairs[at+1]))
		}
		return outcome{Error: &error}
	}
	for _, candidate := range []outcome{
		status(200),
		status(404),
		status(404, [2]string{"x-should-retry", "true"}),
		status(503, [2]string{"proxy-status", "edge; error=connection_limit_reached"}),
		failed("family", "node", "code", "ECONNREFUSED", "syscall", "connect"),
		failed("family", "node", "code", "ECONNRESET"),
		failed("family", "node", "code", "CERT_HAS_EXPIRED"),
		failed("family", "http2", "code", "ENHANCE_YOUR_CALM"),
		failed("family", "dom", "name", "AbortError"),
	} {
		given := candidate.convert(w.brain)
		meaning := w.brain.Classify(given, "", false, wallOf(nil))
		if meaning.Class == class && meaning.Delivery == delivery && meaning.Basis != "status" {
			return given, nil
		}
	}
	return retrywise.Outcome{}, refused(fmt.Sprintf("no outcome here is %s and %s", class, delivery))
}

func orNull(ms int64) any {
	if ms < 0 {
		return nil
	}
	return ms
}
