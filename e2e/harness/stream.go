package harness

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// Stream is an open event stream of a turn. Everything read is in Events, and the
// order of seqs is checked while it is read. Use it from one goroutine.
type Stream struct {
	Events Events
	LastID string // of the last frame

	tb        testing.TB
	frames    chan frame
	cancel    context.CancelFunc
	manyTurns bool // of a thread: each turn counts from 1
}

type frame struct {
	id, name string
	data     []byte
}

// maxFrame bounds a line of a stream: a preview may be several MiB.
const maxFrame = 64 << 20

func (u *User) stream(what string, body any, changes ...Change) *Stream {
	u.tb.Helper()
	s, err := u.tryStream(what, body, changes...)
	if err != nil {
		u.tb.Fatal(err)
	}
	return s
}

// tryStream is stream for a server that may be dying.
func (u *User) tryStream(what string, body any, changes ...Change) (*Stream, error) {
	ctx, cancel := context.WithCancel(u.tb.Context())
	u.tb.Cleanup(cancel)
	res, err := u.Open(ctx, what, body, append([]Change{Set("Accept", "text/event-stream")}, changes...)...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	if kind := res.Header.Get("Content-Type"); res.StatusCode != http.StatusOK || !strings.HasPrefix(kind, "text/event-stream") {
		data, _ := io.ReadAll(res.Body)
		_ = res.Body.Close()
		return nil, fmt.Errorf("%s answered %d %s", what, res.StatusCode, clip(data))
	}
	s := &Stream{tb: u.tb, frames: make(chan frame), cancel: cancel}
	go s.read(ctx, res.Body)
	return s, nil
}

// Resume attaches to a turn behind what a stream that broke off has seen, for a server
// that may be dying; before is nil where nothing was seen. The events go on in one
// list, so that the order of seqs is checked over the break. A turn that has nothing
// left to tell is an error: who has seen its end does not ask.
func (u *User) Resume(turn agent.TurnID, before *Stream) (*Stream, error) {
	u.tb.Helper()
	var changes []Change
	if before != nil && before.LastID != "" {
		changes = append(changes, Set("Last-Event-ID", before.LastID))
	}
	s, err := u.tryStream("GET /turns/"+string(turn)+"/events", nil, changes...)
	if err == nil && before != nil {
		s.Events, s.LastID = before.Events, before.LastID
	}
	return s, err
}

// read takes the stream apart until it ends, whoever ends it.
func (s *Stream) read(ctx context.Context, body io.ReadCloser) {
	defer close(s.frames)
	defer body.Close()
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, maxFrame)
	var f frame
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case lines.Text() == "" && f.data != nil:
			select {
			case s.frames <- f:
			case <-ctx.Done():
				return
			}
			f = frame{}
		case name == "id":
			f.id = value
		case name == "event":
			f.name = value
		case name == "data":
			f.data = append(f.data, value...)
		}
	}
}

// Next gives the next event; ok is false when the stream has ended.
func (s *Stream) Next() (ev agent.Event, ok bool) {
	s.tb.Helper()
	select {
	case f, open := <-s.frames:
		if !open {
			return ev, false
		}
		if err := json.Unmarshal(f.data, &ev); err != nil || string(ev.Kind) != f.name {
			s.tb.Fatalf("the frame %s %q is no event: %v in %s", f.id, f.name, err, clip(f.data))
		}
		s.check(ev)
		s.Events, s.LastID = append(s.Events, ev), f.id
		return ev, true
	case <-time.After(patience):
		s.tb.Fatalf("nothing came for %s after %s", patience, s.Events.Kinds())
		return ev, false
	}
}

// check ends the test where seqs are doubled or missing. A new run may go back to
// what its predecessor told and never wrote.
func (s *Stream) check(ev agent.Event) {
	s.tb.Helper()
	n := len(s.Events)
	if n == 0 {
		return
	}
	if s.manyTurns && ev.Turn != s.Events[n-1].Turn {
		return
	}
	last, from := s.Events[n-1], First(ev)
	if ev.Run == last.Run && from != last.Seq+1 || ev.Run > last.Run && from > last.Seq+1 || ev.Run < last.Run {
		s.tb.Fatalf("after event %d of run %d came %d..%d of run %d", last.Seq, last.Run, from, ev.Seq, ev.Run)
	}
}

// Turn gives the id of the turn; it waits for the first event where none came yet.
func (s *Stream) Turn() agent.TurnID {
	s.tb.Helper()
	s.begun()
	return s.Events[0].Turn
}

// Thread gives the id of the turn's thread, as Turn does.
func (s *Stream) Thread() agent.ThreadID {
	s.tb.Helper()
	s.begun()
	return s.Events[0].Thread
}

func (s *Stream) begun() {
	s.tb.Helper()
	if len(s.Events) > 0 {
		return
	}
	if _, more := s.Next(); !more {
		s.tb.Fatal("the stream ended before its first event")
	}
}

// Until reads to an event of one of the kinds; the test ends where none comes.
func (s *Stream) Until(kinds ...agent.EventKind) agent.Event {
	s.tb.Helper()
	for {
		ev, ok := s.Next()
		if !ok {
			s.tb.Fatalf("the stream ended without %v after %s", kinds, s.Events.Kinds())
		}
		if slices.Contains(kinds, ev.Kind) {
			return ev
		}
		if ev.Kind.Terminal() {
			s.tb.Fatalf("the turn ended with %s %s instead of %v", ev.Kind, ev.Data, kinds)
		}
	}
}

// Preview reads to the next preview.
func (s *Stream) Preview() agent.PreviewShown {
	s.tb.Helper()
	return Decode[agent.PreviewShown](s.tb, s.Until(agent.EventPreview))
}

// Finish reads to the turn's terminal event and beyond: nothing may follow it.
func (s *Stream) Finish() agent.Event {
	s.tb.Helper()
	end := s.Until(agent.EventTurnCompleted, agent.EventTurnFailed, agent.EventTurnCanceled)
	if ev, more := s.Next(); more {
		s.tb.Fatalf("after %s came %s", end.Kind, ev.Kind)
	}
	return end
}

// Completed reads to the end of a turn that must end well.
func (s *Stream) Completed() agent.TurnCompleted {
	s.tb.Helper()
	end := s.Finish()
	if end.Kind != agent.EventTurnCompleted {
		s.tb.Fatalf("the turn ended with %s %s", end.Kind, end.Data)
	}
	return Decode[agent.TurnCompleted](s.tb, end)
}

// Failed reads to the end of a turn that must fail.
func (s *Stream) Failed() agent.TurnFailedData {
	s.tb.Helper()
	end := s.Finish()
	if end.Kind != agent.EventTurnFailed {
		s.tb.Fatalf("the turn ended with %s %s", end.Kind, end.Data)
	}
	return Decode[agent.TurnFailedData](s.tb, end)
}

// Close drops the connection, as a reload of the page does.
func (s *Stream) Close() { s.cancel() }
