package httpapi

import (
	"context"
	"iter"
	"log/slog"
	"net/http"
	"runtime/debug"
	"sync"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/sse"
)

// burst is the time within which events are flushed together: the first of a
// burst goes out at once, a replay of thousands costs few system calls.
const burst = 2 * time.Millisecond

// streaming says how one stream begins and how its frames are numbered.
type streaming struct {
	// id gives the id of an event's frame.
	id func(agent.Event) string
	// hold is how long the headers wait for an event that is not quiet; 0 opens at
	// once, and less than 0 waits for as long as it takes.
	hold  time.Duration
	quiet func(agent.EventKind) bool
	// refuse turns the first event that is not quiet into an answer without a stream.
	refuse func(agent.Event) error
}

// stream tells one client what happens. Its lock guards the connection against
// the timers; the events themselves come one after the other.
type stream struct {
	api     *api
	r       *http.Request
	how     streaming
	cancel  context.CancelCauseFunc
	mu      sync.Mutex
	out     *sse.Writer
	buf     []byte
	held    []agent.Event
	open    bool
	closed  bool
	pending bool // written and not flushed; flusher will
	flushed time.Time
	flusher *time.Timer
	timers  []*time.Timer
}

// serve streams events until they end, the client is gone, its credential does
// not count any more, or the stream's time is over. began is false when nothing
// was sent: then the error, or the lack of one, is for the caller to answer.
func (a *api) serve(w http.ResponseWriter, r *http.Request, how streaming,
	events func(context.Context) iter.Seq2[agent.Event, error]) (began bool, err error) {
	done, err := a.streams.begin(r.Context(), a.MaxStreams)
	if err != nil {
		return false, err
	}
	defer done()
	ctx, stop := context.WithTimeout(r.Context(), a.MaxStream)
	defer stop()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s := &stream{api: a, r: r, how: how, cancel: cancel, out: sse.NewWriter(w, a.Stall)}
	defer s.end()
	s.start()
	for ev, err := range events(ctx) {
		if err == nil {
			err = s.event(ev)
		}
		if err != nil {
			return s.over(ctx, err)
		}
	}
	return s.over(ctx, nil)
}

// over gives the answer's end. A stream that has begun has said its status: it
// just closes, and a client that saw no terminal event comes back.
func (s *stream) over(ctx context.Context, err error) (bool, error) {
	if cause := context.Cause(ctx); agent.ErrorCode(cause) == agent.CodeUnauthenticated {
		err = cause
	} else if ctx.Err() != nil {
		err = nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.open && err == nil && len(s.held) > 0 {
		s.begin()
	}
	if s.open && err != nil && ctx.Err() == nil {
		s.api.log.LogAttrs(ctx, slog.LevelWarn, "stream ended early",
			slog.String("request", requestID(ctx)), slog.Any("error", err))
	}
	return s.open, err
}

// start opens what need not wait and sets the timers.
func (s *stream) start() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.how.hold == 0 {
		s.begin()
	} else if s.how.hold > 0 {
		s.after(s.how.hold, s.begin)
	}
	s.every(s.api.Heartbeat, func() {
		if s.open {
			s.note(s.out.Heartbeat())
		}
	})
	s.recheck()
}

// after runs f under the lock, once, unless the stream is over by then.
func (s *stream) after(d time.Duration, f func()) *time.Timer {
	t := time.AfterFunc(d, func() { s.locked(f) })
	s.timers = append(s.timers, t)
	return t
}

// every runs f under the lock again and again.
func (s *stream) every(d time.Duration, f func()) {
	var t *time.Timer
	t = time.AfterFunc(d, func() { s.locked(func() { f(); t.Reset(d) }) })
	s.timers = append(s.timers, t)
}

func (s *stream) locked(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		f()
	}
}

// recheck looks at the credential again and again, outside the lock: it may ask a
// database. That one being away ends no stream.
func (s *stream) recheck() {
	before, _ := agent.PrincipalFrom(s.r.Context())
	var t *time.Timer
	t = time.AfterFunc(s.api.Recheck, func() {
		defer func() {
			if v := recover(); v != nil { // a host's own check must not end the process
				s.api.log.Error("credential check panicked", "panic", v, "stack", string(debug.Stack()))
				s.cancel(agent.Errorf(agent.CodeUnauthenticated, "Please sign in."))
			}
		}()
		now, err := s.api.principal(s.r)
		switch {
		case agent.ErrorCode(err) == agent.CodeUnauthenticated && err != nil:
			s.cancel(err)
		case err == nil && (now.UserID != before.UserID || now.OrgID != before.OrgID):
			s.cancel(agent.Errorf(agent.CodeUnauthenticated, "Please sign in."))
		default:
			s.locked(func() { t.Reset(s.api.Recheck) })
		}
	})
	s.timers = append(s.timers, t)
}

// end stops the timers; nothing touches the connection afterwards.
func (s *stream) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for _, t := range s.timers {
		t.Stop()
	}
	if s.open {
		s.note(s.out.Flush())
		s.note(s.out.Close())
	}
}
