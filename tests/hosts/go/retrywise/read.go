package retrywise

import "github.com/tetratelabs/wazero/api"

const flagKeySent = 4

// Issue is one thing that is wrong with a policy.
type Issue struct{ Field, Kind, Message string }

// Meaning is what an outcome means. HintMs is -1 where the server asked for nothing.
type Meaning struct {
	Class    string
	Delivery string
	Basis    string
	HintMs   int64
}

// View is how an upstream stands.
type View struct {
	// Breaker is empty where there is none.
	Breaker   string
	RetryInMs int64
	// Balance counts thousandths; -1 where there is no budget.
	Balance float64
}

// DelayState is what the waits of one call remember; start with NewDelayState.
type DelayState struct{ previous, polly float64 }

// NewDelayState is the state before the first wait.
func NewDelayState() *DelayState { return &DelayState{previous: -1} }

// Validate says everything that is wrong with a policy document.
func (b *Brain) Validate(policy string) []Issue {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	words := b.strings(b.u32("policy_validate", b.write([]byte(policy))))
	var issues []Issue
	for ; len(words) >= 3; words = words[3:] {
		issues = append(issues, Issue{words[0], words[1], words[2]})
	}
	return issues
}

// Classify says what an outcome means, without a call. An unknown profile leaves the generic rules.
func (b *Brain) Classify(outcome Outcome, profile string, keySent bool, wall float64) Meaning {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	flags := outcome.flags()
	if keySent {
		flags |= flagKeySent
	}
	vendor := uint64(b.profile(profile))
	length := b.write(outcome.Items)
	word := b.u32("classify", flags, api.EncodeF64(float64(outcome.Status)), 0,
		api.EncodeF64(wall), 0, vendor, length)
	return Meaning{
		Class:    b.names[tableClasses][word>>15&7],
		Delivery: b.names[tableDeliveries][word>>18&3],
		Basis:    b.names[tableBases][word>>20&7],
		HintMs:   int64(b.output(slotHint)),
	}
}

// Hint is the wait that an answer asks for, ms; -1 for none.
func (b *Brain) Hint(outcome Outcome, profile string, wall float64) int64 {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	vendor := uint64(b.profile(profile))
	length := b.write(outcome.Items)
	b.call("hint", api.EncodeF64(float64(outcome.Status)), api.EncodeF64(wall), vendor, length)
	return int64(b.output(slotHint))
}

// Method says whether a method is safe and whether it is idempotent; case-sensitive, as in HTTP.
func (b *Brain) Method(token string) (safe, idempotent bool) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	facts := b.u32("method_facts", uint64(b.codes[tableMethods][token]))
	return facts&1 != 0, facts&2 != 0
}

// View says how an upstream stands now.
func (b *Brain) View(upstream uint32, now float64) View {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	view := View{RetryInMs: -1}
	if state := b.u32("upstream_view", uint64(upstream), api.EncodeF64(now)); state > 0 {
		view.Breaker = b.names[tableBreakerStates][state-1]
		view.RetryInMs = int64(b.output(slotRetryIn))
	}
	view.Balance = b.output(slotBalance)
	return view
}

// Isolate holds an upstream's breaker open until Reset.
func (b *Brain) Isolate(upstream uint32) { b.hand("upstream_isolate", upstream) }

// Reset closes an upstream's breaker and forgets its past.
func (b *Brain) Reset(upstream uint32) { b.hand("upstream_reset", upstream) }

func (b *Brain) hand(function string, upstream uint32) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.call(function, uint64(upstream))
}

// Delay is the wait before a retry by itself, ms, and its reason; -1 for a hint that is too long.
func (b *Brain) Delay(upstream, retry uint32, class string, hintMs float64, state *DelayState) (int64, string) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	result := b.call("delay", uint64(upstream), uint64(retry), uint64(b.codes[tableClasses][class]),
		api.EncodeF64(hintMs), api.EncodeF64(state.previous), api.EncodeF64(state.polly))
	state.previous, state.polly = b.output(slotPrevious), b.output(slotPolly)
	return int64(api.DecodeF64(result[0])), b.names[tableReasons][uint32(b.output(slotReason))]
}

// RandomState is the state of an upstream's generator.
func (b *Brain) RandomState(upstream uint32) uint64 {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	high, low := b.u32("rng_high", uint64(upstream)), b.u32("rng_low", uint64(upstream))
	return uint64(high)<<32 | uint64(low)
}

// SetRandomState continues from a saved state of the generator.
func (b *Brain) SetRandomState(upstream uint32, state uint64) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.call("rng_set", uint64(upstream), state>>32, state&0xffffffff)
}

// Family is the code of a family of transport errors; 0, which is unknown, for another name.
func (b *Brain) Family(name string) byte { return byte(b.codes[tableFamilies][name]) }

func (b *Brain) profile(id string) uint32 {
	if id == "" {
		return 0
	}
	return b.u32("profile_find", b.write([]byte(id)))
}
