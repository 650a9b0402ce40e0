package engine

import (
	"context"
	"iter"

	agent "github.com/lossless-group/in-app-agent"
)

// readPage is how many stored events a reader takes at a time.
const readPage = 500

// Events yields the events of a turn after a position and ends after its
// terminal event.
func (e *Engine) Events(ctx context.Context, id agent.TurnID, after agent.Position) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		t, err := e.Turn(ctx, id)
		if err != nil {
			yield(agent.Event{}, err)
			return
		}
		tp, leave := e.hub.join(t.ThreadID)
		defer leave()
		r := turnReader{e: e, id: id}
		if err := r.seek(ctx, t, after.Run, after.Seq); err != nil {
			yield(agent.Event{}, err)
			return
		}
		for !r.terminal {
			wake, _, _ := e.hub.waiting(tp)
			more, err := r.pull(ctx, yield)
			if err != nil {
				yield(agent.Event{}, err)
				return
			}
			if !more {
				return
			}
			select {
			case <-ctx.Done():
				yield(agent.Event{}, ctx.Err())
				return
			case <-wake:
			}
		}
	}
}

// ThreadEvents yields the events of every turn of a thread after the cursor, in
// the order in which the turns started, and thread.changed.
func (e *Engine) ThreadEvents(ctx context.Context, id agent.ThreadID, after agent.Cursor) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		if err := e.threadStream(ctx, id, after, yield); err != nil {
			yield(agent.Event{}, err)
		}
	}
}

func (e *Engine) threadStream(ctx context.Context, id agent.ThreadID, after agent.Cursor, yield func(agent.Event, error) bool) error {
	th, err := e.Store.ThreadRow(ctx, id)
	if err != nil {
		return err
	}
	if _, err := e.Host.OpenProject(ctx, th.ProjectKind, th.ProjectID); err != nil {
		return err
	}
	tp, leave := e.hub.join(id)
	defer leave()
	_, seen, _ := e.hub.waiting(tp)
	r := turnReader{e: e, id: after.Turn}
	if after.Turn != "" {
		t, err := e.Store.Turn(ctx, after.Turn)
		if err != nil {
			return err
		}
		if t.ThreadID != id {
			return agent.NotFound("turn in this thread")
		}
		if err := r.seek(ctx, t, after.Run, after.Seq); err != nil {
			return err
		}
	}
	for {
		wake, changes, change := e.hub.waiting(tp)
		if changes != seen {
			seen = changes
			if !yield(threadChanged(id, change, e.at()), nil) || change.Deleted {
				return nil
			}
		}
		for {
			if r.id != "" && !r.terminal {
				more, err := r.pull(ctx, yield)
				if err != nil {
					return err
				}
				if more {
					break // caught up with a turn that goes on
				}
				if !r.terminal {
					return nil // the reader left
				}
			}
			next, ok, err := e.Store.NextTurn(ctx, id, r.id)
			if err != nil {
				return err
			}
			if !ok {
				break
			}
			r = turnReader{e: e, id: next.ID}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-wake:
		}
	}
}

// turnReader pulls one turn's events, from memory where it runs here, else from
// the store.
type turnReader struct {
	e        *Engine
	id       agent.TurnID
	after    agent.Seq
	terminal bool
}

// seek puts the reader behind what its client has seen. Text that an older run
// told and never wrote is void: such a client starts at the first event of the
// run that followed, which is its step.restarted.
func (r *turnReader) seek(ctx context.Context, t agent.Turn, run int64, seq agent.Seq) error {
	r.after = seq
	// Who has seen the end waits for nothing more of this turn.
	r.terminal = t.State.Terminal() && run >= t.Run && seq >= t.LastSeq
	if seq == 0 || run >= t.Run {
		return nil
	}
	if run == 0 {
		// Who does not know its run cannot be ahead of what is told.
		r.after = min(seq, r.e.lastTold(t))
		r.terminal = t.State.Terminal() && seq >= t.LastSeq
		return nil
	}
	for from := agent.Seq(0); ; {
		events, err := r.e.Store.EventsAfter(ctx, t.ID, from, readPage)
		if err != nil {
			return err
		}
		for _, ev := range events {
			if ev.Run > run {
				r.after = min(seq, first(ev)-1)
				return nil
			}
			from = ev.Seq
		}
		if len(events) == 0 {
			r.after = min(seq, from)
			return nil
		}
	}
}

func first(ev agent.Event) agent.Seq {
	if ev.From > 0 {
		return ev.From
	}
	return ev.Seq
}

// pull yields what there is. more is false when the turn ended (terminal) or the
// reader left.
func (r *turnReader) pull(ctx context.Context, yield func(agent.Event, error) bool) (more bool, err error) {
	for {
		events, ok := r.fromMemory()
		if !ok {
			if events, err = r.e.Store.EventsAfter(ctx, r.id, r.after, readPage); err != nil {
				return false, err
			}
		}
		if len(events) == 0 {
			return true, nil
		}
		for _, ev := range events {
			if !yield(ev, nil) {
				return false, nil
			}
			r.after = ev.Seq
			if ev.Kind.Terminal() {
				r.terminal = true
				return false, nil
			}
		}
	}
}

func (r *turnReader) fromMemory() ([]agent.Event, bool) {
	r.e.mu.Lock()
	l := r.e.live[r.id]
	r.e.mu.Unlock()
	if l == nil {
		return nil, false
	}
	return l.since(r.after)
}

// lastTold gives the last seq that readers of a turn may have.
func (e *Engine) lastTold(t agent.Turn) agent.Seq {
	e.mu.Lock()
	l := e.live[t.ID]
	e.mu.Unlock()
	if l == nil {
		return t.LastSeq
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.seq
}

// Turn gives one turn of the caller, with its last told seq.
func (e *Engine) Turn(ctx context.Context, id agent.TurnID) (agent.Turn, error) {
	t, err := e.Store.Turn(ctx, id)
	if err != nil {
		return agent.Turn{}, err
	}
	if _, err := e.Host.OpenProject(ctx, t.ProjectKind, t.ProjectID); err != nil {
		return agent.Turn{}, err
	}
	return t, nil
}

// Turns lists the caller's turns.
func (e *Engine) Turns(ctx context.Context, q agent.TurnQuery) (agent.Page[agent.Turn], error) {
	return e.Store.TurnList(ctx, q)
}
