package engine

import (
	"context"
	"errors"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/policy"
)

// hold is what was reserved for one model call.
type hold struct {
	id    string
	price agent.Price
	known bool // the price
	guess int64
}

// afford reserves what a call may take at most before it is made. Where only running
// calls are in the way it waits for them a while. A refusal is budget_exceeded.
func (r *run) afford(ctx context.Context, req agent.ModelRequest, capability string) (hold, error) {
	t := r.rec.Turn
	h := hold{guess: policy.PromptGuess(req)}
	res := agent.BudgetReservation{
		Owner: r.e.owner, Turn: t.ID, Run: r.l.turn.Run, Thread: t.ThreadID, Capability: capability,
		Provider: t.Provider, Model: t.Model, KeySource: t.KeySource, LostTokens: h.guess,
	}
	bound := policy.PromptBound(req)
	res.Tokens = bound + int64(req.MaxTokens)
	if h.price, h.known = r.e.price(t.Provider, t.Model); h.known {
		most, lost := policy.MostCost(h.price, bound, int64(req.MaxTokens)), policy.MostCost(h.price, h.guess, 0)
		res.Cost, res.LostCost = &most, &lost
	}
	if agent.InsideCommit(ctx) {
		return h, agent.ErrInsideCommit
	}
	for wait, waited := budgetWaitMin, time.Duration(0); ; wait = min(2*wait, budgetWaitMax) {
		h.id = r.e.IDs("spend")
		res.ID, res.At = h.id, r.e.at()
		var answer agent.BudgetAnswer
		err := r.reads(func() (err error) {
			// On the turn's own behalf: a handler may ask with any context.
			answer, err = r.e.Store.ReserveBudget(r.l.ctx, res)
			return err
		})
		if err != nil {
			return h, err
		}
		if answer.Refused == nil {
			r.warn(answer.Warned)
			return h, nil
		}
		refusal := policy.Exceeded(*answer.Refused, t.Model, res.At)
		if !refusal.Retryable || waited >= r.e.Limits.BudgetWait {
			refusal.Retryable = false // not by the loop of failed calls
			return h, refusal
		}
		r.l.tell(agent.Cast{Character: castAgent, Active: true, Caption: "Waiting for room in the budget"})
		waited += wait
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return h, ctx.Err()
		case <-timer.C:
		}
	}
}

// Waiting for running calls to free what they hold.
const (
	budgetWaitMin = 100 * time.Millisecond
	budgetWaitMax = time.Second
)

func (e *Engine) price(provider, model string) (agent.Price, bool) {
	if e.Prices == nil {
		return agent.Price{}, false
	}
	return e.Prices.Price(provider, model)
}

// warn tells of budgets whose soft cap is reached.
func (r *run) warn(list []agent.BudgetStanding) {
	for _, b := range list {
		r.l.tell(agent.BudgetWarned{BudgetStanding: b, Message: policy.Warning(b)})
	}
}

// spent notes what an answered call used; the next milestone of the turn settles it.
func (r *run) spent(h hold, a agent.Answer) {
	s := agent.BudgetSettlement{ID: h.id, Usage: a.Usage, At: r.e.at()}
	if a.Usage.TokensIn == nil {
		s.Usage.TokensIn, s.Estimated = &h.guess, true
	}
	if a.Usage.TokensOut == nil {
		out := policy.AnswerGuess(a)
		s.Usage.TokensOut, s.Estimated = &out, true
	}
	r.owe(h, s)
}

// owe prices a settlement and leaves it to the next milestone.
func (r *run) owe(h hold, s agent.BudgetSettlement) {
	if cost, ok := policy.Cost(h.price, s.Usage); ok && h.known && s.Cost == nil {
		s.Cost = &cost
	}
	r.l.owed.spend(s)
}

// failed notes what a call without an answer used. One that the provider turned down
// took nothing; of one that was cut, the prompt and what was told of the answer count.
func (r *run) failed(h hold, said *telling, err error) {
	s := agent.BudgetSettlement{ID: h.id, At: r.e.at()}
	var ours *agent.Error
	var zero agent.NanoUSD
	switch {
	case said.opened != nil || said.told:
		s.Usage, s.Estimated = said.usage(h.guess), true
	case errors.As(err, &ours) && ours.Code != agent.CodeTimeout:
		s.Cost = &zero
	default: // stopped, or no word came in time: it may have been asked
		s.Usage, s.Estimated = agent.Usage{TokensIn: &h.guess, TokensOut: new(int64)}, true
	}
	r.owe(h, s)
}

// usage gives what is known of an answer that was cut: the provider's count of its
// prompt, and a guess of what was told.
func (t *telling) usage(prompt int64) agent.Usage {
	u := agent.Usage{TokensIn: &prompt}
	if t.opened != nil {
		u = *t.opened
		if u.TokensIn == nil {
			u.TokensIn = &prompt
		}
	}
	bytes := 0
	for i := range t.blocks {
		bytes += t.blocks[i].text.Len()
	}
	out := policy.TextGuess(int64(bytes))
	if u.TokensOut != nil {
		out = max(out, *u.TokensOut)
	}
	u.TokensOut = &out
	return u
}

// settleNow settles what a call that will be tried again took, so that the next try
// is reserved on what is left.
func (r *run) settleNow() {
	spends, _ := r.l.owed.due()
	if err := r.e.Store.SettleBudget(r.l.ctx, spends); err != nil {
		r.e.Log.Warn("what a model call took is settled later", "turn", r.rec.Turn.ID, "error", err)
		return
	}
	r.l.owed.paid(spends, nil)
}

// costOf gives what one call cost in dollars, nil where that is not known.
func (r *run) costOf(u agent.Usage) *float64 {
	price, known := r.e.price(r.rec.Turn.Provider, r.rec.Turn.Model)
	if cost, ok := policy.Cost(price, u); ok && known {
		return dollars(&cost)
	}
	return nil
}

// cost gives what the turn's model calls cost, nil where a price or a count is not known.
func (r *run) cost() *agent.NanoUSD {
	price, known := r.e.price(r.rec.Turn.Provider, r.rec.Turn.Model)
	var sum agent.NanoUSD
	asked := false
	for _, s := range r.rec.Steps {
		asked = true
		cost, ok := policy.Cost(price, s.Usage)
		if !ok {
			return nil
		}
		sum += cost
	}
	for _, c := range r.rec.Calls {
		if c.Usage == (agent.Usage{}) {
			continue // it asked no model
		}
		asked = true
		cost, ok := policy.Cost(price, c.Usage)
		if !ok {
			return nil
		}
		sum += cost
	}
	if asked && !known {
		return nil
	}
	return &sum
}

// dollars gives a cost as events carry it.
func dollars(n *agent.NanoUSD) *float64 {
	if n == nil {
		return nil
	}
	d := n.Dollars()
	return &d
}
