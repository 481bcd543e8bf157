package retrywise

import (
	"crypto/rand"
	"io"
	"net/http"
	"time"
)

// Transport is an http.RoundTripper that repeats what the policy lets it repeat. A final bad status
// comes back as its response, a final failure as its error, a call that may not begin as an error.
type Transport struct {
	Inner     http.RoundTripper
	Brain     *Brain
	Upstream  uint32
	OnVerdict func(Verdict)
	started   time.Time
}

// NewTransport puts an upstream in front of a transport.
func NewTransport(brain *Brain, inner http.RoundTripper, policy string, seed uint64) (*Transport, error) {
	upstream, err := brain.Upstream(policy, seed)
	if err != nil {
		return nil, err
	}
	return &Transport{inner, brain, upstream, func(Verdict) {}, time.Now()}, nil
}

// RoundTrip sends a request, as often as it takes and the policy allows.
func (t *Transport) RoundTrip(request *http.Request) (*http.Response, error) {
	bodyOnce := request.Body != nil && request.Body != http.NoBody && request.GetBody == nil
	var entropy [16]byte
	if _, err := rand.Read(entropy[:]); err != nil {
		return nil, err
	}
	var items Items
	items.Headers(request.Header)
	items.Entropy(entropy)
	call, err := t.Brain.Begin(t.Upstream, request.Method, items, bodyOnce, t.now(), wall())
	if err != nil {
		return nil, err
	}
	defer func() { call.End(t.now()) }()
	for {
		attempt := request.Clone(request.Context())
		if request.GetBody != nil {
			if attempt.Body, err = request.GetBody(); err != nil {
				return nil, err
			}
		}
		for pair := call.Headers(); len(pair) >= 2; pair = pair[2:] {
			attempt.Header.Set(pair[0], pair[1])
		}
		response, failure := t.Inner.RoundTrip(attempt)
		outcome := Outcome{DurationMs: unmeasured}
		if failure == nil {
			outcome.Answered, outcome.Status = true, response.StatusCode
			outcome.Items.Headers(response.Header)
		} else {
			outcome.Items.Error(failure)
		}
		verdict := call.Settle(outcome, t.now(), wall())
		t.OnVerdict(verdict)
		if verdict.Kind != Retry || !t.wait(request, call, verdict.DelayMs) {
			return response, failure
		}
		if response != nil {
			_, _ = io.CopyN(io.Discard, response.Body, 4096)
			_ = response.Body.Close()
		}
	}
}

// wait sleeps, then asks; whether the next attempt may be sent.
func (t *Transport) wait(request *http.Request, call *Call, delay int64) bool {
	for delay >= 0 {
		select {
		case <-request.Context().Done():
			return false
		case <-time.After(time.Duration(delay) * time.Millisecond):
		}
		refusal := call.Resume(t.now())
		if refusal == nil {
			return true
		}
		if delay = refusal.RetryInMs; refusal.Over {
			return false
		}
	}
	return false
}

func (t *Transport) now() float64 { return float64(time.Since(t.started).Milliseconds()) }

func wall() float64 { return float64(time.Now().UnixMilli()) }
