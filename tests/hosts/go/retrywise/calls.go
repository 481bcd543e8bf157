package retrywise

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/tetratelabs/wazero/api"
)

const (
	flagAnswered  = 1
	flagCommitted = 2
	flagBodyOnce  = 1
)

// What call_resume answers besides the verdict of a call that is over.
const (
	later    = 0
	admitted = 1
)

// Kinds of a verdict.
const (
	Accept = 0
	Retry  = 1
	Stop   = 2
)

// Verdict says what to do next, and why. Spans are in milliseconds, -1 stands for none.
type Verdict struct {
	Kind       uint32
	Reason     string
	Attempt    uint32
	DelayMs    int64
	HintMs     int64
	HintSource string
	Class      string
	Delivery   string
	Transition string
	Stale      bool
}

// Outcome is how an attempt ended.
type Outcome struct {
	// Answered says that an answer came: Status and headers count.
	Answered bool
	Status   int
	Items    Items
	// Committed says that the answer is already streaming to the caller.
	Committed bool
	// DurationMs is how long the attempt took; NaN lets the clock between the events count.
	DurationMs float64
}

// Refusal says why a call may not go on now: ask again in RetryInMs, or never where it is -1.
type Refusal struct {
	Reason    string
	RetryInMs int64
	// Over says that the call has ended.
	Over bool
}

func (r *Refusal) Error() string { return "refused: " + r.Reason }

// Upstream makes an upstream of a policy document.
func (b *Brain) Upstream(policy string, seed uint64) (uint32, error) {
	if issues := b.Validate(policy); len(issues) > 0 {
		said := make([]string, len(issues))
		for at, issue := range issues {
			said[at] = issue.Message
		}
		return 0, errors.New(strings.Join(said, "; "))
	}
	b.mutex.Lock()
	defer b.mutex.Unlock()
	handle := b.u32("policy_new", b.write([]byte(policy)))
	defer b.call("policy_free", uint64(handle))
	upstream := b.u32("upstream_new", uint64(handle), api.EncodeF64(float64(seed)), 0)
	if upstream == 0 {
		return 0, errors.New("a million policies or upstreams are kept already")
	}
	return upstream, nil
}

// Free lets an upstream go, and its calls with it.
func (b *Brain) Free(upstream uint32) { b.hand("upstream_free", upstream) }

// Call is the attempts of one logical request. Settle it to its end, or End it: it holds a place.
type Call struct {
	brain  *Brain
	handle uint32
	last   *Verdict
	over   bool
}

// Begin begins a call, or says with a *Refusal why not.
func (b *Brain) Begin(upstream uint32, method string, items Items, bodyOnce bool, now, wall float64) (*Call, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	code, known := b.codes[tableMethods][method]
	if !known {
		items.Add(tagToken, []byte(method))
	}
	var flags uint64
	if bodyOnce {
		flags = flagBodyOnce
	}
	length := b.write(items)
	handle := b.u32("call_begin", uint64(upstream), uint64(code), flags, api.EncodeF64(0),
		api.EncodeF64(now), api.EncodeF64(wall), length)
	if handle == 0 {
		return nil, b.refusal(true)
	}
	return &Call{brain: b, handle: handle}, nil
}

// Settle settles the attempt on its way. After the end it gives the last verdict again, as stale.
func (c *Call) Settle(outcome Outcome, now, wall float64) Verdict {
	c.brain.mutex.Lock()
	defer c.brain.mutex.Unlock()
	if c.over && c.last != nil {
		return c.again()
	}
	length := c.brain.write(outcome.Items)
	return c.keep(c.brain.u32("call_settle", uint64(c.handle), outcome.flags(),
		api.EncodeF64(float64(outcome.Status)), 0, api.EncodeF64(now), api.EncodeF64(wall),
		api.EncodeF64(outcome.DurationMs), length))
}

// Resume asks, after the wait, whether the next attempt may be sent: nil, or why not.
func (c *Call) Resume(now float64) *Refusal {
	c.brain.mutex.Lock()
	defer c.brain.mutex.Unlock()
	if c.over && c.last != nil {
		return &Refusal{c.last.Reason, -1, true}
	}
	switch word := c.brain.u32("call_resume", uint64(c.handle), api.EncodeF64(now)); word {
	case admitted:
		return nil
	case later:
		return c.brain.refusal(false)
	default:
		c.keep(word)
		return c.brain.refusal(true)
	}
}

// Cancel cancels a call, while sending or waiting.
func (c *Call) Cancel(now float64) Verdict {
	c.brain.mutex.Lock()
	defer c.brain.mutex.Unlock()
	if c.over && c.last != nil {
		return c.again()
	}
	return c.keep(c.brain.u32("call_cancel", uint64(c.handle), api.EncodeF64(now)))
}

// Headers are the headers to send with every attempt: name, value, name, value.
func (c *Call) Headers() []string {
	c.brain.mutex.Lock()
	defer c.brain.mutex.Unlock()
	return c.brain.strings(c.brain.u32("call_headers", uint64(c.handle)))
}

// End ends a call that nobody will settle; harmless after a terminal verdict.
func (c *Call) End(now float64) {
	c.brain.mutex.Lock()
	defer c.brain.mutex.Unlock()
	c.brain.call("call_end", uint64(c.handle), api.EncodeF64(now))
	c.over = true
}

// keep remembers a verdict: the module lets a call go with any but a retry.
func (c *Call) keep(word uint32) Verdict {
	verdict := c.brain.verdict(word)
	c.last, c.over = &verdict, verdict.Kind != Retry
	return verdict
}

// again is the last verdict after the end; nothing is counted.
func (c *Call) again() Verdict {
	verdict := *c.last
	verdict.Stale, verdict.Transition = true, ""
	return verdict
}

func (o Outcome) flags() uint64 {
	var flags uint64
	if o.Answered {
		flags |= flagAnswered
	}
	if o.Committed {
		flags |= flagCommitted
	}
	return flags
}

// verdict reads the packed word and the slots beside it.
func (b *Brain) verdict(word uint32) Verdict {
	verdict := Verdict{
		Kind:       word & 3,
		Reason:     b.names[tableReasons][word>>2&0xff],
		Attempt:    uint32(b.output(slotAttempt)),
		DelayMs:    int64(b.output(slotDelay)),
		HintMs:     int64(b.output(slotHint)),
		HintSource: b.names[tableSources][word>>10&31],
		Class:      b.names[tableClasses][word>>15&7],
		Delivery:   b.names[tableDeliveries][word>>18&3],
		Stale:      word>>28&1 == 1,
	}
	if change := b.output(slotTransition); change >= 0 {
		states := b.names[tableBreakerStates]
		verdict.Transition = fmt.Sprintf("%s->%s", states[uint32(change)>>8], states[uint32(change)&255])
	}
	return verdict
}

func (b *Brain) refusal(over bool) *Refusal {
	code := b.output(slotReason)
	if code < 0 {
		return &Refusal{"the upstream is gone or a million calls are under way", -1, true}
	}
	return &Refusal{b.names[tableReasons][uint32(code)], int64(b.output(slotRetryIn)), over}
}

// unmeasured lets the module's own clock count.
var unmeasured = math.NaN()
