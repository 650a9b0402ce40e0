package engine

import (
	"context"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/failpoint"
)

// Waiting for a store that is busy, full or away: a milestone is tried again
// until it is written, because a turn without it could neither go on nor end.
var (
	storeWaitMin = 100 * time.Millisecond
	storeWaitMax = 2 * time.Second
)

// milestone writes events and whatever else m holds in one transaction, together
// with the text told so far, and tells them only after it committed. It gives an
// error only when the run is over: overtaken, lost, or the process is closing.
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
		if l.tried == nil {
			l.tell(agent.Cast{Character: castAgent, Active: true, Caption: "Waiting for storage"})
		}
		timer := time.NewTimer(wait)
		select {
		case <-l.e.ctx.Done():
			timer.Stop()
			return errShutdown
		case <-timer.C:
		}
	}
}

// reads repeats what a run reads until the store answers, as persist does with what
// it writes: a turn does not fail because a database was locked for a moment. It
// ends with the run.
func (r *run) reads(op func() error) error {
	for wait := storeWaitMin; ; wait = min(2*wait, storeWaitMax) {
		err := op()
		if err == nil || !storageTrouble(err) {
			return err
		}
		r.e.Log.Warn("a run waits for the store", "turn", r.l.turn.ID, "error", err)
		r.l.tell(agent.Cast{Character: castAgent, Active: true, Caption: "Waiting for storage"})
		timer := time.NewTimer(wait)
		select {
		case <-r.ctx.Done():
			timer.Stop()
			return context.Cause(r.ctx)
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

// attempt is one try to write a milestone. It keeps its seqs until it is known
// whether they are in the store.
type attempt struct {
	m    agent.Milestone
	told int       // of m.Events, how many the readers have already
	last agent.Seq // of the last event
}

// commit is one try of persist. Of a milestone that failed it is asked whether it
// is in the store all the same, because a connection may break after the commit.
func (l *live) commit(m agent.Milestone, payloads ...agent.Payload) error {
	if l.ended {
		return agent.Errorf(agent.CodeConflict, "The turn is not running any more.")
	}
	if err := l.catchUp(); err != nil {
		return err
	}
	if l.tried == nil {
		if l.tried = l.attempt(m, payloads); l.tried == nil {
			return nil
		}
	} else if landed, err := l.landed(l.tried); err != nil {
		return err
	} else if landed {
		l.finish(true)
		return nil
	}
	failpoint.Hit("milestone.due")
	err := l.e.Store.Commit(context.WithoutCancel(l.ctx), l.tried.m)
	written(l.tried.m, err)
	if err == nil {
		l.finish(true)
		return nil
	}
	landed, lookErr := l.landed(l.tried)
	switch {
	case lookErr != nil && storageTrouble(err) && len(payloads) > 0:
		return err // not known: it keeps its seqs, and nothing else is told
	case lookErr != nil:
		l.finish(false)
		l.doubt = true
		return err
	}
	l.finish(landed)
	if landed {
		return nil
	}
	return err
}

// attempt gives what one try writes, nil for nothing. From here on nothing else
// is told until finish.
func (l *live) attempt(m agent.Milestone, payloads []agent.Payload) *attempt {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.flushPending()
	a := &attempt{m: m}
	a.m.Spends, a.m.Egress = l.owed.due()
	a.m.Turn, a.m.Run, a.m.Events = l.turn.ID, l.turn.Run, l.unwritten()
	a.told, a.last = len(a.m.Events), l.seq
	for _, p := range payloads {
		ev := l.event(p)
		a.last++
		ev.Seq, ev.Run = a.last, l.turn.Run
		a.m.Events = append(a.m.Events, ev)
	}
	if emptyMilestone(a.m) {
		return nil
	}
	if failpoint.Planted("told_before_written") {
		l.tail, l.seq = append(l.tail, a.m.Events[a.told:]...), a.last
		a.told = len(a.m.Events)
		l.e.hub.wake(l.turn.ThreadID)
	}
	l.committing = true
	return a
}

// landed tells whether an attempt that gave an error was written all the same:
// its last event is in the store, or nothing of it is.
func (l *live) landed(a *attempt) (bool, error) {
	if len(a.m.Events) == 0 {
		return false, nil // a second try meets its own claim, and the turn is taken up again
	}
	t, err := l.e.Store.Turn(context.WithoutCancel(l.ctx), a.m.Turn)
	if err != nil {
		return false, err
	}
	return t.Run == a.m.Run && t.LastSeq >= a.last, nil
}

// finish ends an attempt: what was written is told, and what came meanwhile too.
func (l *live) finish(written bool) {
	a := l.tried
	l.tried = nil
	l.mu.Lock()
	if written {
		l.owed.paid(a.m.Spends, a.m.Egress)
		l.seq, l.written = a.last, a.last
		l.tail = append(l.tail, a.m.Events[a.told:]...)
		l.trim()
	}
	l.unhold()
	l.mu.Unlock()
	if !written {
		return
	}
	if a.m.State != "" {
		l.turn.State = a.m.State
		l.ended = a.m.State != agent.TurnRunning
	}
	l.turn.LastSeq = a.last
	l.e.hub.wake(l.turn.ThreadID)
	toldOf(a.m)
}

// unhold tells what was held back while seqs were given away; mu is held.
func (l *live) unhold() {
	l.committing = false
	for _, ev := range l.held {
		l.append(ev)
	}
	l.held = nil
}

// catchUp asks the store how far it has what was told, after a write of it failed.
func (l *live) catchUp() error {
	if !l.doubt {
		return nil
	}
	t, err := l.e.Store.Turn(context.WithoutCancel(l.ctx), l.turn.ID)
	if err != nil {
		return err
	}
	if t.Run != l.turn.Run {
		return errOvertaken
	}
	l.mu.Lock()
	l.written = max(l.written, min(t.LastSeq, l.seq))
	l.turn.LastSeq = l.written
	l.mu.Unlock()
	l.doubt = false
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
	return m.Step == nil && m.Transcript == nil && m.State == "" && m.Compaction == nil && m.CutBefore == 0 &&
		len(m.Spends)+len(m.Egress)+len(m.Events)+len(m.Calls)+len(m.Receipts)+len(m.Blobs)+len(m.Claims)+len(m.Settles)+len(m.Releases)+len(m.Restates) == 0
}
