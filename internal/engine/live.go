package engine

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/failpoint"
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

	mu      sync.Mutex
	seq     agent.Seq     // last told
	written agent.Seq     // last stored
	tail    []agent.Event // the newest told events, all unwritten ones among them
	pending *pendingText
	// committing holds live events back while a milestone is being written, whose
	// seqs are already given; they follow it in held.
	committing bool
	held       []agent.Event
	effects    []effect // taken decisions whose effect is due
}

type pendingText struct {
	kind  agent.EventKind
	block int
	text  []byte
	timer *time.Timer
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

// Waiting for a store that is busy, full or away: a milestone is tried again
// until it is written, because a turn without it could neither go on nor end.
const (
	storeWaitMin = 100 * time.Millisecond
	storeWaitMax = 2 * time.Second
)

// milestone writes events and whatever else m holds in one transaction, together
// with the text told so far, and tells them only after it committed. It gives an
// error only when the run is over: overtaken, or the process is closing.
func (l *live) milestone(m agent.Milestone, payloads ...agent.Payload) error {
	l.write.Lock()
	defer l.write.Unlock()
	return l.persist(m, payloads...)
}

// persist is milestone with write held.
func (l *live) persist(m agent.Milestone, payloads ...agent.Payload) error {
	for wait := storeWaitMin; ; wait = min(2*wait, storeWaitMax) {
		err := l.commit(m, payloads...)
		if err == nil || !storageTrouble(err) {
			return err
		}
		l.e.Log.Warn("a milestone waits for the store", "turn", l.turn.ID, "error", err)
		l.tell(agent.Cast{Character: castAgent, Active: true, Caption: "Waiting for storage"})
		timer := time.NewTimer(wait)
		select {
		case <-l.e.ctx.Done():
			timer.Stop()
			return errShutdown
		case <-timer.C:
		}
	}
}

func storageTrouble(err error) bool {
	switch agent.ErrorCode(err) {
	case agent.CodeStorageBusy, agent.CodeStorageFull, agent.CodeUnavailable:
		return true
	default:
		return false
	}
}

// commit is one try of persist.
func (l *live) commit(m agent.Milestone, payloads ...agent.Payload) error {
	if l.ended {
		return agent.Errorf(agent.CodeConflict, "The turn is not running any more.")
	}
	l.mu.Lock()
	l.flushPending()
	events := l.unwritten()
	told := len(events)
	next := l.seq
	early := failpoint.Planted("told_before_written")
	for _, p := range payloads {
		ev := l.event(p)
		next++
		ev.Seq, ev.Run = next, l.turn.Run
		events = append(events, ev)
	}
	if len(events) == 0 && emptyMilestone(m) {
		l.mu.Unlock()
		return nil
	}
	if early {
		l.tail, l.seq = append(l.tail, events[told:]...), next
		told = len(events)
		l.e.hub.wake(l.turn.ThreadID)
	}
	l.committing = true
	l.mu.Unlock()

	failpoint.Hit("milestone.due")
	m.Turn, m.Run, m.Events = l.turn.ID, l.turn.Run, events
	err := l.e.Store.Commit(context.WithoutCancel(l.ctx), m)
	written(m, err)

	l.mu.Lock()
	if err == nil {
		l.seq, l.written = next, next
		l.tail = append(l.tail, events[told:]...)
		l.trim()
	}
	l.committing = false
	for _, ev := range l.held {
		l.append(ev)
	}
	l.held = nil
	l.mu.Unlock()
	if err != nil {
		return err
	}
	if m.State != "" {
		l.turn.State = m.State
		l.ended = m.State != agent.TurnRunning
	}
	l.turn.LastSeq = next
	l.e.hub.wake(l.turn.ThreadID)
	toldOf(m)
	return nil
}

// written and toldOf are the points between a milestone, its telling and what
// follows.
func written(m agent.Milestone, err error) {
	switch {
	case err != nil:
	case len(m.Receipts) > 0:
		failpoint.Hit("preview.written")
	case m.State.Terminal():
		failpoint.Hit("end.written")
	}
}

func toldOf(m agent.Milestone) {
	switch {
	case m.State == agent.TurnAwaiting:
		failpoint.Hit("turn.parked")
	case m.State.Terminal():
		failpoint.Hit("end.told")
	}
}

func emptyMilestone(m agent.Milestone) bool {
	return m.Step == nil && m.Transcript == nil && m.State == "" &&
		len(m.Calls)+len(m.Receipts)+len(m.Blobs)+len(m.Claims)+len(m.Settles) == 0
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
