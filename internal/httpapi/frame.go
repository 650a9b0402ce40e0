package httpapi

import (
	"encoding/json"
	"strconv"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/sse"
)

// event sends one event, or holds it while the headers wait.
func (s *stream) event(ev agent.Event) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.open {
		if s.how.quiet != nil && s.how.quiet(ev.Kind) {
			s.held = append(s.held, ev)
			return nil
		}
		if s.how.refuse != nil {
			if err := s.how.refuse(ev); err != nil {
				return err
			}
		}
		s.begin()
	}
	s.frame(ev)
	s.flushSoon()
	return nil
}

// begin sends the headers and what was held. Under the lock.
func (s *stream) begin() {
	if s.open {
		return
	}
	s.open = true
	s.note(s.out.Open())
	for _, ev := range s.held {
		s.frame(ev)
	}
	if len(s.held) > 0 {
		s.flushSoon()
	}
	s.held = nil
}

// frame writes an event. Under the lock.
func (s *stream) frame(ev agent.Event) {
	s.buf = appendEvent(s.buf[:0], ev)
	s.note(s.out.Write(sse.Event{ID: s.how.id(ev), Name: string(ev.Kind), Data: s.buf}))
	if cap(s.buf) > 16<<10 {
		s.buf = nil // one big event must not stay as long as its stream
	}
}

// flushSoon flushes at once after a quiet moment, and within a burst together.
// Under the lock.
func (s *stream) flushSoon() {
	if s.pending {
		return
	}
	now := time.Now()
	if wait := burst - now.Sub(s.flushed); wait > 0 {
		s.pending = true
		if s.flusher == nil {
			s.flusher = s.after(wait, s.flush)
		} else {
			s.flusher.Reset(wait)
		}
		return
	}
	s.flush()
}

func (s *stream) flush() {
	s.pending = false
	s.flushed = time.Now()
	s.note(s.out.Flush())
}

// note ends the stream on the first write that fails: the client is gone, or it
// has not read for too long.
func (s *stream) note(err error) {
	if err != nil {
		s.cancel(err)
	}
}

// appendEvent writes the one JSON form of an event without reflection: it is done
// for each reader of each event. The data is JSON already.
func appendEvent(b []byte, e agent.Event) []byte {
	b = append(b, `{"seq":`...)
	b = strconv.AppendInt(b, int64(e.Seq), 10)
	if e.From != 0 {
		b = append(b, `,"from":`...)
		b = strconv.AppendInt(b, int64(e.From), 10)
	}
	b = append(b, `,"run":`...)
	b = strconv.AppendInt(b, e.Run, 10)
	b = appendString(append(b, `,"turn":`...), string(e.Turn))
	b = appendString(append(b, `,"thread":`...), string(e.Thread))
	b = append(b, `,"at":`...)
	b = strconv.AppendInt(b, e.At, 10)
	b = appendString(append(b, `,"kind":`...), string(e.Kind))
	b = append(b, `,"data":`...)
	if len(e.Data) == 0 {
		b = append(b, "null"...)
	}
	b = append(b, e.Data...)
	return append(b, '}')
}

// appendString quotes a string; ids and kinds of ours never need an escape.
func appendString(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c >= 0x7f || c == '"' || c == '\\' {
			quoted, err := json.Marshal(s)
			if err != nil {
				return append(b, `""`...)
			}
			return append(b, quoted...)
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}
