package main

import (
	"encoding/json"
	"math"
	"strconv"

	"retrywise.dev/hosts/go/retrywise"
)

// outcome is how an attempt ended, as a vector writes it.
type outcome struct {
	Status     *float64       `json:"status"`
	Headers    [][2]string    `json:"headers"`
	Body       map[string]any `json:"body"`
	Error      *failure       `json:"error"`
	Committed  bool           `json:"committed"`
	DurationMs *float64       `json:"durationMs"`
}

// failure is a transport error and what caused it.
type failure map[string]json.RawMessage

// Tags of the texts in an item of the input, by their names in a vector.
var bodyTags = map[string]byte{"code": 0x10, "policy": 0x11, "problem_type": 0x12, "retry_delay": 0x13, "retry_after_s": 0x14}

var errorTags = map[string]byte{
	"code": 0x21, "name": 0x22, "message": 0x23, "syscall": 0x24, "phase": 0x25, "op": 0x26,
	"type": 0x27, "rcode": 0x28, "frame": 0x29, "progress": 0x2a, "stream_id": 0x2b, "last_stream_id": 0x2c,
}

const tagError = 0x20

// Flags of an error.
var errorFlags = map[string]byte{"temporary": 1, "not_found": 2, "reused": 4}

func (o *outcome) convert(brain *retrywise.Brain) retrywise.Outcome {
	given := retrywise.Outcome{Committed: o.Committed, DurationMs: math.NaN()}
	if o.DurationMs != nil {
		given.DurationMs = *o.DurationMs
	}
	if o.Status != nil {
		given.Answered, given.Status = true, int(*o.Status)
	}
	for _, line := range o.Headers {
		given.Items.Header(line[0], line[1])
	}
	for name, value := range o.Body {
		given.Items.Add(bodyTags[name], []byte(text(value)))
	}
	for depth, error := 0, o.Error; error != nil && depth < 8; depth++ {
		error = error.add(&given.Items, brain)
	}
	return given
}

// add appends an error; its cause, if it has one.
func (f *failure) add(items *retrywise.Items, brain *retrywise.Brain) *failure {
	var family string
	_ = json.Unmarshal((*f)["family"], &family)
	var flags byte
	for name, flag := range errorFlags {
		if value, found := (*f)[name]; found && (string(value) == "true" || string(value) == `"reused"`) {
			flags |= flag
		}
	}
	items.Add(tagError, []byte{brain.Family(family), flags})
	for name, tag := range errorTags {
		if value, found := (*f)[name]; found {
			var plain any
			if json.Unmarshal(value, &plain) == nil {
				items.Add(tag, []byte(text(plain)))
			}
		}
	}
	if cause, found := (*f)["cause"]; found {
		var inner failure
		if json.Unmarshal(cause, &inner) == nil {
			return &inner
		}
	}
	return nil
}

// text is a string as it is, and a number as it is written.
func text(value any) string {
	switch value := value.(type) {
	case string:
		return value
	case float64:
		return strconv.FormatFloat(value, 'f', -1, 64)
	default:
		return ""
	}
}

func wallOf(wall *float64) float64 {
	if wall == nil {
		return math.NaN()
	}
	return *wall
}
