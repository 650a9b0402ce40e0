package engine

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// Told text is batched: the first of a block goes out at once, what follows
// within batchWindow goes out together.
const (
	batchWindow = 25 * time.Millisecond
	tailEvents  = 128 // written events kept in memory for quick readers
)

var (
	errShutdown  = errors.New("the server is shutting down")
	errOvertaken = errors.New("another process took the turn over")
)

// stopped is the cause of a cancelled run: somebody said stop.
type stopped struct{ by, reason string }

func (s stopped) Error() string { return "stopped by " + s.by + ": " + s.reason }

// live is a turn that this process runs: its place in the stream, what was told
// and not yet written, and the way to stop it. A parked turn has none.
type live struct {
	e      *Engine
	turn   agent.Turn // as of the last milestone; guarded by write
	ctx    context.Context
	cancel context.CancelCauseFunc
	done   chan struct{} // closed when the run is over

	// write serialises what goes to the store for this turn; it is taken before mu.
	write gate
	ended bool // parked, terminal or released; guarded by write
	// doubt says that the last write of told events failed, so that it is not known
	// how far the store has them; guarded by write.
	doubt bool
	tried *attempt // a milestone that failed and may have been written all the same; guarded by write

	mu      sync.Mutex
	seq     agent.Seq     // last told
	written agent.Seq     // last stored
	tail    []agent.Event // the newest told events, all unwritten ones among them
	pending *pendingText
	// committing holds live events back while a milestone is being written, whose
	// seqs are already given; they follow it in held.
	committing bool
	held       []agent.Event
	owed       owed
	effects    []effect // taken decisions whose effect is due
}

type pendingText struct {
	kind  agent.EventKind
	block int
	text  []byte
	timer *time.Timer
	due   time.Time // when it goes, where it waits for the timer
}

func newLive(ctx context.Context, e *Engine, t agent.Turn) *live {
	l := &live{e: e, turn: t, write: newGate(), done: make(chan struct{}), seq: t.LastSeq, written: t.LastSeq}
	l.ctx, l.cancel = context.WithCancelCause(ctx)
	return l
}

// event makes an event without its seq and run.
func (l *live) event(p agent.Payload) agent.Event {
	return agent.Event{Turn: l.turn.ID, Thread: l.turn.ThreadID, At: l.e.at(), Kind: p.EventKind(), Data: marshal(p)}
}

// marshal writes a payload. Payloads are our own types over checked JSON, so a
// failure is a bug; an empty object keeps the stream whole.
func marshal(p agent.Payload) json.RawMessage {
	data, err := json.Marshal(p)
	if err != nil {
		return json.RawMessage("{}")
	}
	return data
}

// tell tells a live event at once and leaves the writing to the writer.
func (l *live) tell(p agent.Payload) {
	l.mu.Lock()
	l.flushPending()
	l.append(l.event(p))
	l.mu.Unlock()
	l.e.hub.wake(l.turn.ThreadID)
	l.e.markDirty()
}

// append gives an event its seq and run; mu is held.
func (l *live) append(ev agent.Event) {
	if l.committing {
		l.held = append(l.held, ev)
		return
	}
	l.seq++
	ev.Seq, ev.Run = l.seq, l.turn.Run
	l.tail = append(l.tail, ev)
}

// text tells more text of a block: its first at once, the rest batched.
func (l *live) text(kind agent.EventKind, block int, text string, first bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.pending
	if p != nil && (p.kind != kind || p.block != block) {
		l.flushPending()
		p = nil
	}
	if p == nil {
		p = &pendingText{kind: kind, block: block}
		l.pending = p
		if !first {
			p.due = time.Now().Add(batchWindow)
			p.timer = time.AfterFunc(batchWindow, l.flushTimed)
		}
	}
	p.text = append(p.text, text...)
	if first {
		l.flushPending()
		l.e.hub.wake(l.turn.ThreadID)
		l.e.markDirty()
	}
}

func (l *live) flushTimed() {
	l.mu.Lock()
	had := l.pending != nil
	if had {
		l.e.load.pace.went(time.Since(l.pending.due))
	}
	l.flushPending()
	l.mu.Unlock()
	if had {
		l.e.hub.wake(l.turn.ThreadID)
		l.e.markDirty()
	}
}

// flushPending turns batched text into an event; mu is held.
func (l *live) flushPending() {
	p := l.pending
	if p == nil {
		return
	}
	l.pending = nil
	if p.timer != nil {
		p.timer.Stop()
	}
	if p.kind == agent.EventReasoningDelta {
		l.append(l.event(agent.ReasoningDelta{Block: p.block, Text: string(p.text)}))
		return
	}
	l.append(l.event(agent.TextDelta{Block: p.block, Text: string(p.text)}))
}

// unwritten copies the told events that are not stored yet; mu is held.
func (l *live) unwritten() []agent.Event {
	for i, ev := range l.tail {
		if ev.Seq > l.written {
			return slices.Clone(l.tail[i:])
		}
	}
	return nil
}

// trim forgets old written events; mu is held.
func (l *live) trim() {
	drop := len(l.tail) - tailEvents
	for drop > 0 && l.tail[drop-1].Seq > l.written {
		drop--
	}
	if drop > tailEvents {
		l.tail = slices.Clone(l.tail[drop:])
	}
}

// since gives the told events after a seq from memory; ok is false when memory
// does not reach back that far.
func (l *live) since(after agent.Seq) (events []agent.Event, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if after >= l.seq {
		return nil, true
	}
	if len(l.tail) == 0 || l.tail[0].Seq > after+1 {
		return nil, false
	}
	i := int(after + 1 - l.tail[0].Seq)
	return slices.Clone(l.tail[i:]), true
}
