// Package sse writes and reads event streams (text/event-stream). It knows the
// format and the manners of HTTP around it, and nothing of what the events mean.
package sse

import (
	"bytes"
	"errors"
	"strings"
)

// ErrField is what an event with a line break or a NUL byte in its id or its
// name ends in: such a field would forge a second one.
var ErrField = errors.New("sse: an id or a name must be one line without NUL")

// Event is one frame of a stream. Every field may be empty, but a reader only
// yields frames that have data.
type Event struct {
	ID   string
	Name string
	Data []byte
}

// Append adds the frame of an event to a buffer. Line breaks in the data (CR, LF
// or both) become several data lines, so a reader sees each of them as one LF.
// Errors: ErrField; the buffer is then unchanged.
func Append(buf []byte, e Event) ([]byte, error) {
	if strings.ContainsAny(e.ID, "\r\n\x00") || strings.ContainsAny(e.Name, "\r\n\x00") {
		return buf, ErrField
	}
	if e.ID != "" {
		buf = appendLine(buf, "id: ", []byte(e.ID))
	}
	if e.Name != "" {
		buf = appendLine(buf, "event: ", []byte(e.Name))
	}
	return append(appendLines(buf, "data: ", e.Data), '\n'), nil
}

// AppendComment adds a comment, which readers ignore; each line of the text
// becomes a comment line of its own.
func AppendComment(buf []byte, text string) []byte {
	return append(appendLines(buf, ": ", []byte(text)), '\n')
}

// appendLines writes one prefixed line for each line of the text.
func appendLines(buf []byte, prefix string, text []byte) []byte {
	for {
		i := bytes.IndexAny(text, "\r\n")
		if i < 0 {
			return appendLine(buf, prefix, text)
		}
		buf = appendLine(buf, prefix, text[:i])
		if text[i] == '\r' && i+1 < len(text) && text[i+1] == '\n' {
			i++
		}
		text = text[i+1:]
	}
}

func appendLine(buf []byte, prefix string, line []byte) []byte {
	buf = append(buf, prefix...)
	buf = append(buf, line...)
	return append(buf, '\n')
}
