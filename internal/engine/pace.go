package engine

import (
	"sync/atomic"
	"time"
)

// The pace of the process is how late the timers come that let batched words go: so long
// whatever is due waits for a core, and every word of every stream waits so some times.
// A crowd is noticed within a fifth of a second, for a hundred messages more may be taken
// in the next; that it is over takes a whole second of calm, which is longer than a
// garbage collection is away, so that it is not taken for room.
const (
	lateWords = 8 * time.Millisecond
	calmWords = 4 * time.Millisecond
	paceEvery = 50 * time.Millisecond
	lateLooks = 4  // that one judges by before a crowd
	calmLooks = 20 // and in one
	paceTail  = 20 // one batch in so many may be later
	fewWords  = 20 // batches are too few to judge by
)

// pace counts batches of words by how late they went.
type pace struct {
	all, notCalm, late atomic.Uint64
	looks              [calmLooks]counted // the last ones, in a ring; only look uses them
	next               int
}

type counted struct{ all, notCalm, late uint64 }

// went counts a batch.
func (p *pace) went(late time.Duration) {
	p.all.Add(1)
	if late > calmWords {
		p.notCalm.Add(1)
	}
	if late > lateWords {
		p.late.Add(1)
	}
}

// look tells whether the process is crowded, where it was or was not before.
func (p *pace) look(crowded bool) bool {
	now := counted{p.all.Load(), p.notCalm.Load(), p.late.Load()}
	before := p.looks[(p.next+calmLooks-lateLooks)%calmLooks]
	if crowded {
		before = p.looks[p.next]
	}
	p.looks[p.next] = now
	p.next = (p.next + 1) % calmLooks
	slow := now.late - before.late
	if crowded {
		slow = now.notCalm - before.notCalm
	}
	if all := now.all - before.all; all >= fewWords {
		return slow*paceTail > all
	}
	return crowded
}

// paceLoop looks at the pace while turns run.
func (e *Engine) paceLoop() {
	tick := time.NewTicker(paceEvery)
	defer tick.Stop()
	for {
		tick.Stop()
		select {
		case <-e.stop:
			return
		case <-e.load.begun:
		}
		tick.Reset(paceEvery)
		for e.running() > 0 {
			select {
			case <-e.stop:
				return
			case <-tick.C:
				e.load.crowded.Store(e.load.pace.look(e.load.crowded.Load()))
			}
		}
		e.load.crowded.Store(false)
	}
}
