// Package retrywise is the retry brain for Go: the raw core module in wazero, numbers, one input
// buffer, one text. The ABI is written down in wasm/RAW-ABI.md. Converts, decides nothing.
package retrywise

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// Slots of the output.
const (
	slotDelay      = 0
	slotHint       = 1
	slotAttempt    = 2
	slotReason     = 3
	slotRetryIn    = 4
	slotTransition = 5
	slotPrevious   = 6
	slotPolly      = 7
	slotBalance    = 8
)

// Tables of names.
const (
	tableReasons = 1 + iota
	tableClasses
	tableDeliveries
	tableBases
	tableSignals
	tableSources
	tableFamilies
	tableMethods
	tableBreakerStates
	tables
)

// Brain is one instance of the module. It has one thread: calls take turns.
type Brain struct {
	mutex  sync.Mutex
	module api.Module
	names  [tables]map[uint32]string
	codes  [tables]map[string]uint32
}

// NewBrain compiles and instantiates the module; it imports nothing.
func NewBrain(ctx context.Context, wasm []byte) (*Brain, error) {
	module, err := wazero.NewRuntime(ctx).Instantiate(ctx, wasm)
	if err != nil {
		return nil, err
	}
	brain := &Brain{module: module}
	for table := tableReasons; table < tables; table++ {
		brain.names[table], brain.codes[table] = map[uint32]string{}, map[string]uint32{}
		for _, line := range brain.table(uint64(table)) {
			brain.names[table][line.code] = line.name
			brain.codes[table][line.name] = line.code
		}
	}
	return brain, nil
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
