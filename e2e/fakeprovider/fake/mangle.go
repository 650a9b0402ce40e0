package fake

import (
	"bytes"
	"strings"

	"github.com/lossless-group/in-app-agent/provider/scripted"
)

// mangle damages an answer while it is encoded, for the faults that lie in its
// content and not in its delivery.
type mangle struct {
	kind scripted.FaultKind
	size int64
}

// Letters of a private area stand in for bytes that JSON can not hold; spoil
// puts the bytes in their place.
const (
	badBytes  = "\ue000"
	firstHalf = "\ue001"
	restHalf  = "\ue002"
	nulByte   = "\ue003"
)

// index sets the place of a block in an event.
func (m mangle) index(o object, name string, i int, opens bool) object {
	switch {
	case m.kind == scripted.FaultMissingIndex:
		return o
	case m.kind == scripted.FaultRepeatedIndex:
		i = 0
	case m.kind == scripted.FaultWrongIndex && !opens:
		i += 7
	}
	o[name] = i
	return o
}

// callID gives every call the same id where that is the fault.
func (m mangle) callID(id string) string {
	if m.kind == scripted.FaultDuplicateIDs {
		return "call_same"
	}
	return id
}

// args cuts arguments in half where that is the fault.
func (m mangle) args(args string) string {
	if m.kind == scripted.FaultCutCall {
		return args[:len(args)/2]
	}
	return args
}

// text damages the chunks of a block of text.
func (m mangle) text(chunks []string) []string {
	out := make([]string, len(chunks))
	for i, c := range chunks {
		switch m.kind {
		case scripted.FaultInvalidUTF8:
			c += badBytes
		case scripted.FaultNUL:
			c += nulByte
		case scripted.FaultHalfRune:
			if i > 0 {
				c = restHalf + c
			}
			c += firstHalf
		case scripted.FaultBigLine:
			if i == 0 {
				c = m.filling(10<<20) + c
			}
		case scripted.FaultEndless:
			if i == 0 {
				c = strings.Repeat("endless ", 8<<10)
			}
		}
		out[i] = c
	}
	return out
}

func (m mangle) filling(size int64) string {
	if m.size > 0 {
		size = m.size
	}
	return strings.Repeat("x", int(size))
}

var halves = strings.NewReplacer(badBytes, "\xff\xfe", firstHalf, "\xc3", restHalf, "\xa9", nulByte, "\x00")

// bytes puts the damaged bytes where their letters stand.
func (m mangle) bytes(b []byte) []byte {
	if bytes.Contains(b, []byte("\xee\x80")) { // the lead bytes of the private area
		return []byte(halves.Replace(string(b)))
	}
	return b
}

// spoil damages the finished events.
func (m mangle) spoil(frames []frame) []frame {
	var out []frame
	for _, f := range frames {
		if f.role == frameTail && m.kind == scripted.FaultNoStop {
			continue
		}
		f.data = m.bytes(f.data)
		out = append(out, f)
		if f.role == frameContent && m.kind == scripted.FaultRepeatEvent {
			out = append(out, f)
		}
	}
	return out
}
