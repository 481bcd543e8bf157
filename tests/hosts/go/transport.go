package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
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
	items := item(headerItems(nil, request.Header), tagEntropy, entropy[:])
	call, err := t.Brain.Begin(t.Upstream, request.Method, items, bodyOnce, t.now(), wall())
	if err != nil {
		return nil, err
	}
	defer func() { t.Brain.End(call, t.now()) }()
	for {
		attempt := request.Clone(request.Context())
		if request.GetBody != nil {
			if attempt.Body, err = request.GetBody(); err != nil {
				return nil, err
			}
		}
		for pair := t.Brain.Headers(call); len(pair) >= 2; pair = pair[2:] {
			attempt.Header.Set(pair[0], pair[1])
		}
		response, failure := t.Inner.RoundTrip(attempt)
		status, items := 0, []byte(nil)
		if failure == nil {
			status, items = response.StatusCode, headerItems(nil, response.Header)
		} else {
			items = errorItems(failure)
		}
		verdict := t.Brain.Settle(call, status, items, t.now(), wall())
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
func (t *Transport) wait(request *http.Request, call uint32, delay int64) bool {
	for delay >= 0 {
		select {
		case <-request.Context().Done():
			return false
		case <-time.After(time.Duration(delay) * time.Millisecond):
		}
		var ready bool
		if ready, delay = t.Brain.Resume(call, t.now()); ready {
			return true
		}
	}
	return false
}

func (t *Transport) now() float64 { return float64(time.Since(t.started).Milliseconds()) }

func wall() float64 { return float64(time.Now().UnixMilli()) }

func headerItems(items []byte, headers http.Header) []byte {
	for name, values := range headers {
		for _, value := range values {
			payload := append([]byte{byte(len(name))}, name...)
			items = item(items, tagNamedHeader, append(payload, value...))
		}
	}
	return items
}

// errorItems describes an error and what it wraps, the outermost first.
func errorItems(failure error) []byte {
	var items []byte
	for depth := 0; failure != nil && depth < 8; depth++ {
		items = item(items, tagError, []byte{familyGo, 0})
		items = item(items, tagKind, []byte(kind(failure)))
		items = item(items, tagMessage, []byte(failure.Error()))
		var operation *net.OpError
		if errors.As(failure, &operation) {
			items = item(items, tagOp, []byte(operation.Op))
		}
		failure = errors.Unwrap(failure)
	}
	return items
}

// kind is the error's type without the star of a pointer.
func kind(failure error) string {
	name := fmt.Sprintf("%T", failure)
	if name[0] == '*' {
		name = name[1:]
	}
	return name
}
