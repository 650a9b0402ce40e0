package outbound

import (
	"context"
	"errors"
	"io"
	"time"
)

// The reasons why a Watch ends a call.
var (
	errIdle  = errors.New("outbound: no content within the idle limit")
	errTotal = errors.New("outbound: the call took longer than its total limit")
)

// Watch bounds one streamed call: how long it may be silent and how long it may
// take. It starts no goroutine of its own. Only the goroutine of the call uses it.
type Watch struct {
	parent context.Context
	ctx    context.Context
	cancel context.CancelCauseFunc
	idle   time.Duration
	silent *time.Timer
	total  *time.Timer
}

// NewWatch starts watching. Context ends when the parent does, after idle
// without Progress, or after total; a limit that is not positive never ends it.
func NewWatch(parent context.Context, idle, total time.Duration) *Watch {
	ctx, cancel := context.WithCancelCause(parent)
	w := &Watch{parent: parent, ctx: ctx, cancel: cancel, idle: idle}
	if idle > 0 {
		w.silent = time.AfterFunc(idle, func() { cancel(errIdle) })
	}
	if total > 0 {
		w.total = time.AfterFunc(total, func() { cancel(errTotal) })
	}
	return w
}

// Context is what the upstream request runs under.
func (w *Watch) Context() context.Context { return w.ctx }

// Progress says that content arrived: the silence is measured anew from here.
func (w *Watch) Progress() {
	if w.silent != nil {
		w.silent.Reset(w.idle)
	}
}

// Pause stops measuring the silence while the consumer holds what arrived, whose
// slowness is not the upstream's; Progress resumes it.
func (w *Watch) Pause() {
	if w.silent != nil {
		w.silent.Stop()
	}
}

// Stop ends the watch and with it the upstream request, at once.
func (w *Watch) Stop() {
	if w.silent != nil {
		w.silent.Stop()
	}
	if w.total != nil {
		w.total.Stop()
	}
	w.cancel(nil)
}

// Drain reads the little that stands behind the last event, so that the
// connection can be used again; an upstream that does not end within 50 ms or
// 4 KiB loses it.
func (w *Watch) Drain(body io.Reader) {
	late := time.AfterFunc(50*time.Millisecond, func() { w.cancel(nil) })
	defer late.Stop()
	_, _ = io.CopyN(io.Discard, body, 4<<10)
}

// Canceled gives the parent's error when it was the caller who ended the call.
func (w *Watch) Canceled() error { return w.parent.Err() }

// Expired reports whether one of the two limits ended the call.
func (w *Watch) Expired() bool {
	cause := context.Cause(w.ctx)
	return errors.Is(cause, errIdle) || errors.Is(cause, errTotal)
}
