package engine

import (
	"context"
	"errors"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// reclaimTries is how often a turn that this process lost is taken up again before
// it is ended with an error.
const reclaimTries = 3

// suspect notes that a write failed in a way after which a turn may stand in the
// store as running here while nothing here runs it.
func (e *Engine) suspect(err error) {
	switch {
	case err == nil, errors.Is(err, errShutdown):
		return
	case storageTrouble(err), agent.ErrorCode(err) == agent.CodeInternal, errors.Is(err, errOvertaken),
		errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		e.lost()
	}
}

// lost wakes the loop that looks for lost turns.
func (e *Engine) lost() {
	select {
	case e.lose <- struct{}{}:
	default:
	}
}

// reclaimLoop takes up again what this process lost. It sleeps while nothing is
// suspected; while the store is away it asks less and less often.
func (e *Engine) reclaimLoop() {
	for {
		select {
		case <-e.ctx.Done():
			return
		case <-e.lose:
		}
		for wait := storeWaitMin; ; wait = min(2*wait, storeWaitMax) {
			timer := time.NewTimer(wait)
			select {
			case <-e.ctx.Done():
				timer.Stop()
				return
			case <-timer.C:
			}
			err := e.reclaim()
			if err == nil {
				break
			}
			if e.ctx.Err() != nil {
				return
			}
			e.Log.Warn("lost turns wait for the store", "error", err)
		}
	}
}

// reclaim adopts every turn that stands as running here and is not. The store is
// read before the turns in memory: one that ended in between is in another run or
// state by then, and is not adopted.
func (e *Engine) reclaim() error {
	done, err := e.join()
	if err != nil {
		return err
	}
	defer done()
	running, err := e.Store.Orphans(e.ctx, "")
	if err != nil {
		return err
	}
	var first error
	for _, t := range running {
		if t.Owner != e.owner || e.holds(t.ID) {
			continue
		}
		e.Log.Warn("a turn was lost by a failed write and is taken up again", "turn", t.ID, "run", t.Run)
		err := e.adopt(e.ctx, t)
		if agent.ErrorCode(err) == agent.CodeConflict || agent.ErrorCode(err) == agent.CodeNotFound {
			continue // it moved on meanwhile
		}
		if err != nil && first == nil {
			first = err
		}
	}
	return first
}

func (e *Engine) holds(id agent.TurnID) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.live[id] != nil
}

// again counts how often a turn was taken up in this process, and tells whether
// that is too often.
func (e *Engine) again(id agent.TurnID) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.adopted[id]++
	return e.adopted[id] > reclaimTries
}
