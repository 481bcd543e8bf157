// The raw core module in wazero: numbers, one input buffer, one text. The ABI is written down in
// wasm/RAW-ABI.md. Converts, decides nothing.
package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// Tags of items in the input.
const (
	tagNamedHeader = 0x02
	tagError       = 0x20
	tagMessage     = 0x23
	tagOp          = 0x26
	tagKind        = 0x27
	tagEntropy     = 0x32
	tagToken       = 0x33
)

// Slots of the output.
const (
	slotDelay   = 0
	slotAttempt = 2
	slotReason  = 3
	slotRetryIn = 4
)

const (
	tableReasons = 1
	tableMethods = 8
	familyGo     = 13
	flagAnswered = 1
	flagBodyOnce = 1
)

// Kinds of a verdict.
const (
	Accept = 0
	Retry  = 1
	Stop   = 2
)

// Brain is one instance of the module. It has one thread: calls take turns.
type Brain struct {
	mutex   sync.Mutex
	module  api.Module
	reasons map[uint32]string
	methods map[string]uint32
}

// Verdict says what to do next, and why.
type Verdict struct {
	Kind    uint32
	Reason  string
	Attempt uint32
	DelayMs int64
}

// NewBrain compiles and instantiates the module; it imports nothing.
func NewBrain(ctx context.Context, wasm []byte) (*Brain, error) {
	module, err := wazero.NewRuntime(ctx).Instantiate(ctx, wasm)
	if err != nil {
		return nil, err
	}
	brain := &Brain{module: module, reasons: map[uint32]string{}, methods: map[string]uint32{}}
	for _, line := range brain.table(tableReasons) {
		brain.reasons[line.code] = line.name
	}
	for _, line := range brain.table(tableMethods) {
		brain.methods[line.name] = line.code
	}
	return brain, nil
}

// Upstream makes an upstream of a policy document.
func (b *Brain) Upstream(policy string, seed uint64) (uint32, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	handle := b.u32("policy_new", b.write([]byte(policy)))
	if handle == 0 {
		return 0, errors.New(strings.Join(b.strings(b.u32("policy_validate", b.write([]byte(policy)))), " "))
	}
	defer b.call("policy_free", uint64(handle))
	return b.u32("upstream_new", uint64(handle), api.EncodeF64(float64(seed)), 0), nil
}

// Begin begins a call; its handle, or why not.
func (b *Brain) Begin(upstream uint32, method string, items []byte, bodyOnce bool, now, wall float64) (uint32, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	code, known := b.methods[method]
	if !known {
		items = item(items, tagToken, []byte(method))
	}
	var flags uint64
	if bodyOnce {
		flags = flagBodyOnce
	}
	length := b.write(items)
	call := b.u32("call_begin", uint64(upstream), uint64(code), flags, api.EncodeF64(0),
		api.EncodeF64(now), api.EncodeF64(wall), length)
	if call == 0 {
		return 0, fmt.Errorf("refused: %s", b.reasons[uint32(b.output(slotReason))])
	}
	return call, nil
}

// Settle settles the attempt on its way; status 0 means that no answer came.
func (b *Brain) Settle(call uint32, status int, items []byte, now, wall float64) Verdict {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	var flags uint64
	if status != 0 {
		flags = flagAnswered
	}
	length := b.write(items)
	word := b.u32("call_settle", uint64(call), flags, api.EncodeF64(float64(status)), 0,
		api.EncodeF64(now), api.EncodeF64(wall), api.EncodeF64(math.NaN()), length)
	return Verdict{
		Kind:    word & 3,
		Reason:  b.reasons[word>>2&0xff],
		Attempt: uint32(b.output(slotAttempt)),
		DelayMs: int64(b.output(slotDelay)),
	}
}

// Resume asks whether the next attempt may be sent; if not, in how many milliseconds to ask again,
// or -1 for never.
func (b *Brain) Resume(call uint32, now float64) (bool, int64) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	switch b.u32("call_resume", uint64(call), api.EncodeF64(now)) {
	case 1:
		return true, 0
	case 0:
		return false, int64(b.output(slotRetryIn))
	default:
		return false, -1
	}
}

// Headers are the headers to send with every attempt: name, value, name, value.
func (b *Brain) Headers(call uint32) []string {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.strings(b.u32("call_headers", uint64(call)))
}

// End ends a call that nobody will settle; harmless after a terminal verdict.
func (b *Brain) End(call uint32, now float64) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.call("call_end", uint64(call), api.EncodeF64(now))
}

// item appends an item: a tag, the payload's length, the payload. What is too long is cut.
func item(items []byte, tag byte, payload []byte) []byte {
	payload = payload[:min(len(payload), math.MaxUint16)]
	items = append(items, tag)
	items = binary.LittleEndian.AppendUint16(items, uint16(len(payload)))
	return append(items, payload...)
}

func (b *Brain) call(function string, arguments ...uint64) []uint64 {
	results, err := b.module.ExportedFunction(function).Call(context.Background(), arguments...)
	if err != nil {
		// The module does not trap: this is another module, or the memory is spent.
		panic(err)
	}
	return results
}

func (b *Brain) u32(function string, arguments ...uint64) uint32 {
	return uint32(b.call(function, arguments...)[0])
}

func (b *Brain) output(slot uint64) float64 {
	return api.DecodeF64(b.call("output", slot)[0])
}

// write puts bytes into the input; their length.
func (b *Brain) write(bytes []byte) uint64 {
	address := b.u32("input_reserve", uint64(len(bytes)))
	if address == 0 || !b.module.Memory().Write(address, bytes) {
		return 0
	}
	return uint64(len(bytes))
}

func (b *Brain) text(length uint32) []byte {
	text, _ := b.module.Memory().Read(b.u32("text_address"), length)
	return text
}

// strings reads a text of strings, each four bytes of length and its UTF-8.
func (b *Brain) strings(length uint32) []string {
	var found []string
	for text := b.text(length); len(text) >= 4; {
		size := binary.LittleEndian.Uint32(text)
		text = text[4:]
		if uint32(len(text)) < size {
			break
		}
		found, text = append(found, string(text[:size])), text[size:]
	}
	return found
}

type line struct {
	code uint32
	name string
}

func (b *Brain) table(number uint64) []line {
	var lines []line
	for _, row := range strings.Split(string(b.text(b.u32("table", number))), "\n") {
		var one line
		if _, err := fmt.Sscanf(row, "%d %s", &one.code, &one.name); err == nil {
			lines = append(lines, one)
		}
	}
	return lines
}
