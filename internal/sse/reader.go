package sse

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"time"
)

// ErrTooLong is what a frame over the reader's limit ends in. The stream cannot
// be read any further.
var ErrTooLong = errors.New("sse: the frame is longer than the reader's limit")

var bom = []byte("\xef\xbb\xbf")

// Reader reads an event stream as the HTML standard says, within a limit.
type Reader struct {
	r     *bufio.Reader
	max   int
	begun bool
	skip  bool // a CR ended the last line, so a LF that follows belongs to it
	id    string
	retry time.Duration
	line  []byte
	err   error
}

// NewReader reads from r. No frame, its comments included, may have more than max
// bytes.
func NewReader(r io.Reader, max int) *Reader {
	return &Reader{r: bufio.NewReader(r), max: max}
}

// LastID gives the id that a client sends as Last-Event-ID when it comes back.
func (r *Reader) LastID() string { return r.id }

// Retry gives the reconnection time that the stream asked for, zero if it did not.
func (r *Reader) Retry() time.Duration { return r.retry }

// Next gives the next event that has data. Its ID is the last id seen, as the
// standard has it. A frame that the stream's end cuts off is dropped. Errors:
// io.EOF at the end, ErrTooLong, and what the source says.
func (r *Reader) Next() (Event, error) {
	var e Event
	var seen bool
	left := r.max
	for {
		line, err := r.readLine(&left)
		if err != nil {
			return Event{}, err
		}
		if len(line) > 0 {
			seen = r.field(&e, line) || seen
			continue
		}
		left = r.max
		if !seen {
			e = Event{}
			continue
		}
		e.ID = r.id
		e.Data = e.Data[:len(e.Data)-1]
		return e, nil
	}
}

// field takes one line into the event and reports whether it was data.
func (r *Reader) field(e *Event, line []byte) bool {
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(name) {
	case "data":
		e.Data = append(append(e.Data, value...), '\n')
		return true
	case "event":
		e.Name = string(value)
	case "id":
		if bytes.IndexByte(value, 0) < 0 {
			r.id = string(value)
		}
	case "retry":
		r.setRetry(value)
	}
	return false
}

func (r *Reader) setRetry(value []byte) {
	for _, c := range value {
		if c < '0' || c > '9' {
			return
		}
	}
	if ms, err := strconv.ParseInt(string(value), 10, 64); err == nil && ms <= int64(time.Hour/time.Millisecond) {
		r.retry = time.Duration(ms) * time.Millisecond
	}
}

// readLine gives the next line without its end, which is CR, LF or both. An error
// is kept: nothing is read after it.
func (r *Reader) readLine(left *int) ([]byte, error) {
	if r.err != nil {
		return nil, r.err
	}
	r.line = r.line[:0]
	for {
		c, err := r.r.ReadByte()
		if err != nil {
			r.err = err
			return nil, err
		}
		if r.skip && c == '\n' {
			r.skip = false
			continue
		}
		r.skip = c == '\r'
		if c == '\n' || c == '\r' {
			return r.firstLine(), nil
		}
		if *left--; *left < 0 {
			r.err = ErrTooLong
			return nil, r.err
		}
		r.line = append(r.line, c)
	}
}

// firstLine takes the byte order mark off the stream's first line.
func (r *Reader) firstLine() []byte {
	if r.begun {
		return r.line
	}
	r.begun = true
	return bytes.TrimPrefix(r.line, bom)
}
