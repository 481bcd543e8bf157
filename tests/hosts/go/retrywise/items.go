package retrywise

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
)

// Tags of items in the input.
const (
	tagNamedHeader = 0x02
	tagError       = 0x20
	tagMessage     = 0x23
	tagOp          = 0x26
	tagKind        = 0x27
	tagKey         = 0x30
	tagEntropy     = 0x32
	tagToken       = 0x33
)

const familyGo = 13

// Items describe one event: headers, errors, keys. Each is a tag, the payload's length, the payload.
type Items []byte

// Add appends an item. What is too long is cut.
func (i *Items) Add(tag byte, payload []byte) {
	payload = payload[:min(len(payload), math.MaxUint16)]
	*i = append(*i, tag)
	*i = binary.LittleEndian.AppendUint16(*i, uint16(len(payload)))
	*i = append(*i, payload...)
}

// Header appends a header line. A name longer than 255 bytes is none that the core reads.
func (i *Items) Header(name, value string) {
	if len(name) <= math.MaxUint8 {
		i.Add(tagNamedHeader, append(append([]byte{byte(len(name))}, name...), value...))
	}
}

// Headers appends all lines of a header.
func (i *Items) Headers(headers http.Header) {
	for name, values := range headers {
		for _, value := range values {
			i.Header(name, value)
		}
	}
}

// Key appends the caller's own idempotency key.
func (i *Items) Key(key string) { i.Add(tagKey, []byte(key)) }

// Entropy appends 16 random bytes to make a key from.
func (i *Items) Entropy(bytes [16]byte) { i.Add(tagEntropy, bytes[:]) }

// Error appends an error and what it wraps, the outermost first.
func (i *Items) Error(failure error) {
	for depth := 0; failure != nil && depth < 8; depth++ {
		i.Add(tagError, []byte{familyGo, 0})
		i.Add(tagKind, []byte(kind(failure)))
		i.Add(tagMessage, []byte(failure.Error()))
		var operation *net.OpError
		if errors.As(failure, &operation) {
			i.Add(tagOp, []byte(operation.Op))
		}
		failure = errors.Unwrap(failure)
	}
}

// kind is the error's type without the star of a pointer.
func kind(failure error) string {
	name := fmt.Sprintf("%T", failure)
	if name[0] == '*' {
		name = name[1:]
	}
	return name
}
