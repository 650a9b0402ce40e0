package engine

import (
	"context"
	"slices"
	"sync"

	agent "github.com/lossless-group/in-app-agent"
)

// owed is what a turn has to write with its next milestone: what its model calls
// took, and what left this machine meanwhile. It needs no transaction of its own.
type owed struct {
	mu     sync.Mutex
	spends []agent.BudgetSettlement
	egress []agent.EgressLine
}

func (o *owed) spend(s agent.BudgetSettlement) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.spends = append(o.spends, s)
}

// left notes one request, added to those to the same host for the same purpose.
func (o *owed) left(l agent.EgressLine) {
	o.mu.Lock()
	defer o.mu.Unlock()
	i := slices.IndexFunc(o.egress, func(e agent.EgressLine) bool { return e.Host == l.Host && e.Purpose == l.Purpose })
	if i < 0 {
		o.egress = append(o.egress, l)
		return
	}
	e := &o.egress[i]
	e.Requests += l.Requests
	e.Failures += l.Failures
	e.BytesOut += l.BytesOut
	e.BytesIn += l.BytesIn
	e.Redactions += l.Redactions
	e.FirstAt, e.At = min(e.FirstAt, l.FirstAt), max(e.At, l.At)
}

// due gives what one attempt writes; paid forgets it once it is written.
func (o *owed) due() ([]agent.BudgetSettlement, []agent.EgressLine) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.spends), slices.Clone(o.egress)
}

// paid forgets what was written: spends, and lines as they were then.
func (o *owed) paid(spends []agent.BudgetSettlement, lines []agent.EgressLine) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.spends = slices.DeleteFunc(o.spends, func(s agent.BudgetSettlement) bool {
		return slices.ContainsFunc(spends, func(w agent.BudgetSettlement) bool { return w.ID == s.ID })
	})
	for _, l := range lines {
		i := slices.IndexFunc(o.egress, func(e agent.EgressLine) bool { return e.Host == l.Host && e.Purpose == l.Purpose })
		if i < 0 {
			continue
		}
		e := &o.egress[i]
		e.Requests -= l.Requests
		e.Failures -= l.Failures
		e.BytesOut -= l.BytesOut
		e.BytesIn -= l.BytesIn
		e.Redactions -= l.Redactions
	}
	o.egress = slices.DeleteFunc(o.egress, func(e agent.EgressLine) bool { return e.Requests == 0 })
}

// recording puts the record of what leaves into the context of a run.
func (l *live) recording(ctx context.Context) context.Context {
	return agent.WithEgress(ctx, l.owed.left)
}

// writeOwed writes what is owed outside of a run's milestones: a clean-up job has none.
func (l *live) writeOwed(ctx context.Context) error {
	spends, lines := l.owed.due()
	if err := l.e.Store.SettleBudget(ctx, spends); err != nil {
		return err
	}
	l.owed.paid(spends, nil)
	if len(lines) == 0 {
		return nil
	}
	if err := l.e.Store.AddEgress(ctx, l.turn.ID, lines); err != nil {
		return err
	}
	l.owed.paid(nil, lines)
	return nil
}
