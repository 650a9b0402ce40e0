package engine

import (
	"context"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/failpoint"
)

// writeEvery is how often told text of all running turns goes to the store, in
// one transaction: what a crash can lose.
const writeEvery = 250 * time.Millisecond

func (e *Engine) markDirty() {
	select {
	case e.dirty <- struct{}{}:
	default:
	}
}

// writeLoop writes told text. It sleeps while nobody tells anything.
func (e *Engine) writeLoop() {
	for {
		select {
		case <-e.stop:
			e.writeTold()
			return
		case <-e.dirty:
		}
		wait := time.NewTimer(writeEvery)
		select {
		case <-e.stop:
			wait.Stop()
			e.writeTold()
			return
		case <-wait.C:
		}
		slow := time.AfterFunc(slowWrite, func() { e.load.behind.Store(true) })
		written := e.writeTold()
		behind := !slow.Stop()
		e.load.behind.Store(behind)
		if !written || behind {
			e.markDirty() // the store was busy: try again at the next beat
		}
	}
}

// writeTold writes what every running turn told since the last time. A turn in
// the middle of a milestone is left out: the milestone writes its text.
func (e *Engine) writeTold() bool {
	e.mu.Lock()
	turns := make([]*live, 0, len(e.live))
	for _, l := range e.live {
		turns = append(turns, l)
	}
	e.mu.Unlock()

	var batches []agent.LiveBatch
	var held []*live
	unsure := false
	for _, l := range turns {
		if !l.write.TryLock() {
			continue
		}
		if l.tried != nil || l.catchUp() != nil {
			l.write.Unlock()
			unsure = true
			continue
		}
		l.mu.Lock()
		events := l.unwritten()
		l.mu.Unlock()
		if len(events) == 0 || l.ended {
			l.write.Unlock()
			continue
		}
		held = append(held, l)
		batches = append(batches, agent.LiveBatch{Turn: l.turn.ID, Run: l.turn.Run, Events: events})
	}
	if len(batches) == 0 {
		return !unsure
	}
	overtaken, err := e.Store.AppendLive(context.WithoutCancel(e.ctx), batches)
	failpoint.Hit("text.written")
	if err != nil {
		e.Log.Warn("told text waits for the store", "turns", len(batches), "error", err)
	}
	lost := map[agent.TurnID]bool{}
	for _, id := range overtaken {
		lost[id] = true
	}
	for i, l := range held {
		if err == nil && !lost[l.turn.ID] {
			events := batches[i].Events
			l.mu.Lock()
			l.written = events[len(events)-1].Seq
			l.turn.LastSeq = l.written
			l.trim()
			l.mu.Unlock()
		}
		l.doubt = err != nil
		l.write.Unlock()
		if lost[l.turn.ID] {
			l.cancel(errOvertaken)
		}
	}
	return err == nil && !unsure
}
