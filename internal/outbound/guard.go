package outbound

import (
	"bytes"
	"errors"
	"io"
	"net/http"
)

// The bounds on what an upstream may send in one answer.
const (
	MaxEventBytes  = 10 << 20  // between two empty lines of an event stream
	MaxStreamBytes = 256 << 20 // of an event stream as a whole
	MaxAnswerBytes = 8 << 20   // of content that an adapter keeps
	maxErrorBytes  = 64 << 10  // of the body of a refusal; the rest is not read
)

// ErrMalformed is what an event stream that breaks a bound reads as.
var ErrMalformed = errors.New("outbound: the stream breaks a bound")

// Guard is a middleware for a model SDK: it bounds the body of every answer
// before the SDK reads it. A refusal is cut after 64 KiB; a stream ends with
// ErrMalformed at an event over MaxEventBytes or after MaxStreamBytes.
func Guard(req *http.Request, next func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	res, err := next(req)
	if err != nil || res == nil || res.Body == nil {
		return res, err
	}
	if res.StatusCode >= http.StatusBadRequest {
		res.Body = cutBody{Reader: io.LimitReader(res.Body, maxErrorBytes), Closer: res.Body}
	} else {
		res.Body = &eventBody{ReadCloser: res.Body}
	}
	return res, nil
}

type cutBody struct {
	io.Reader
	io.Closer
}

// eventBody counts the bytes since the last empty line.
type eventBody struct {
	io.ReadCloser
	total, event int
	inLine       bool // something other than a carriage return stands in this line
	failed       bool
}

func (b *eventBody) Read(p []byte) (int, error) {
	if b.failed {
		return 0, ErrMalformed
	}
	n, err := b.ReadCloser.Read(p)
	b.total += n
	b.count(p[:n])
	if b.event > MaxEventBytes || b.total > MaxStreamBytes {
		b.failed = true
		return 0, ErrMalformed
	}
	return n, err
}

// count looks at line ends only; it stops early once the bound is broken.
func (b *eventBody) count(p []byte) {
	for len(p) > 0 && b.event <= MaxEventBytes {
		i := bytes.IndexByte(p, '\n')
		line := p
		if i >= 0 {
			line = p[:i]
		}
		b.event += len(line)
		b.inLine = b.inLine || len(bytes.TrimSuffix(line, []byte("\r"))) > 0
		if i < 0 {
			return
		}
		if !b.inLine {
			b.event = 0
		}
		b.inLine = false
		p = p[i+1:]
	}
}
