package sse

import (
	"errors"
	"net/http"
	"strings"
	"time"
)

// preludeBytes is the size of the first comment: compressing and buffering
// proxies hold about the first kilobyte, headers included.
const preludeBytes = 2 << 10

// keepBuffer is how much of a grown frame buffer a writer keeps between writes,
// so that one big event does not stay in memory as long as its stream.
const keepBuffer = 16 << 10

var prelude = AppendComment(nil, strings.Repeat(" ", preludeBytes))

// Writer writes an event stream to one HTTP response. It holds no more than the
// frame in hand: a client that does not read makes the write wait, and one that
// does not read for the whole write timeout makes it fail. It is not safe for
// concurrent use.
type Writer struct {
	w       http.ResponseWriter
	control *http.ResponseController
	timeout time.Duration
	buf     []byte
	failed  bool
}

// NewWriter makes a writer whose every write must be done within the timeout. It
// touches nothing before Open.
func NewWriter(w http.ResponseWriter, timeout time.Duration) *Writer {
	return &Writer{w: w, control: http.NewResponseController(w), timeout: timeout}
}

// Open sends the headers and a comment of 2 KiB. It lifts the server's own write
// deadline, which is meant for answers and not for streams.
func (w *Writer) Open() error {
	h := w.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store, no-transform")
	h.Set("X-Accel-Buffering", "no")
	h.Del("Content-Length")
	w.w.WriteHeader(http.StatusOK)
	if err := w.write(prelude); err != nil {
		return err
	}
	return w.Flush()
}

// Write writes the frame of an event without flushing it. Errors: ErrField, and
// what the connection says; after one of the connection's, the stream is over.
func (w *Writer) Write(e Event) error {
	frame, err := Append(w.buf[:0], e)
	if err != nil {
		return err
	}
	return w.writeFrame(frame)
}

// Heartbeat writes and flushes a comment, so that everything between here and the
// client sees that the stream lives.
func (w *Writer) Heartbeat() error {
	if err := w.writeFrame(AppendComment(w.buf[:0], "")); err != nil {
		return err
	}
	return w.Flush()
}

// Flush sends what was written on its way.
func (w *Writer) Flush() error {
	if err := w.deadline(time.Now().Add(w.timeout)); err != nil {
		return err
	}
	return w.note(w.control.Flush())
}

// Close gives the connection back without a deadline, for the next request on it.
// After a failed write the deadline stays, so that nothing waits again.
func (w *Writer) Close() error {
	if w.failed {
		return nil
	}
	return w.deadline(time.Time{})
}

func (w *Writer) writeFrame(frame []byte) error {
	err := w.write(frame)
	if cap(frame) <= keepBuffer {
		w.buf = frame
	}
	return err
}

func (w *Writer) write(p []byte) error {
	if err := w.deadline(time.Now().Add(w.timeout)); err != nil {
		return err
	}
	_, err := w.w.Write(p)
	return w.note(err)
}

// deadline sets the write deadline where the connection has one; a test's
// recorder and some wrappers do not.
func (w *Writer) deadline(at time.Time) error {
	err := w.control.SetWriteDeadline(at)
	if errors.Is(err, http.ErrNotSupported) {
		return nil
	}
	return w.note(err)
}

func (w *Writer) note(err error) error {
	if err != nil {
		w.failed = true
	}
	return err
}
