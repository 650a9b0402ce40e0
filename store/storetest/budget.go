package storetest

import (
	"fmt"
	"sync"

	agent "github.com/lossless-group/in-app-agent"
)

const cent = agent.USD / 100

// reserve reserves a cent and 1,000 tokens for a step of a turn.
func (w *world) reserve(p agent.Principal, turn agent.Turn, change ...func(*agent.BudgetReservation)) (string, agent.BudgetAnswer) {
	w.Helper()
	r := w.reservation(turn)
	for _, f := range change {
		f(&r)
	}
	a, err := w.s.ReserveBudget(as(p), r)
	w.ok(err)
	return r.ID, a
}

func (w *world) reservation(turn agent.Turn) agent.BudgetReservation {
	return agent.BudgetReservation{ID: w.id("spend"), Owner: owner, Turn: turn.ID, Run: 1, Thread: turn.ThreadID, Provider: "p-1", Model: "m-1",
		KeySource: agent.KeySourceUser, At: start, Cost: ptr(cent), Tokens: 1000, LostCost: ptr(cent / 10), LostTokens: 100}
}

// used is a settlement of half a cent and 400 tokens.
func used(id string) agent.BudgetSettlement {
	return agent.BudgetSettlement{ID: id, Usage: agent.Usage{TokensIn: ptr(int64(100)), TokensOut: ptr(int64(200)), CacheRead: ptr(int64(60)),
		CacheCreation: ptr(int64(40))}, Cost: ptr(cent / 2), At: start + 1}
}

func (w *world) budgets(p agent.Principal, list ...agent.Budget) {
	w.Helper()
	w.ok(w.s.PutBudgetRows(as(p), list, start))
}

func (w *world) usage(p agent.Principal) agent.UsageReport {
	w.Helper()
	r, err := w.s.UsageOf(as(p), agent.BudgetMonth(start))
	w.ok(err)
	return r
}

func (w *world) orgUsage(p agent.Principal) agent.UsageReport {
	w.Helper()
	r, err := w.s.UsageOfOrg(as(p), agent.BudgetMonth(start))
	w.ok(err)
	return r
}

// standing gives the one budget of a report in a scope.
func (w *world) standing(r agent.UsageReport, scope agent.BudgetScope) agent.BudgetStanding {
	w.Helper()
	for _, b := range r.Budgets {
		if b.Scope == scope {
			return b
		}
	}
	w.Fatalf("no budget of the scope %s: %s", scope, show(r.Budgets))
	return agent.BudgetStanding{}
}

func (w *world) held(r agent.UsageReport, scope agent.BudgetScope, want agent.NanoUSD, spent agent.NanoUSD, what string) {
	w.Helper()
	b := w.standing(r, scope)
	w.same([]agent.NanoUSD{b.Held, b.Spent}, []agent.NanoUSD{want, spent}, "held and spent "+what)
}

var budgetCases = []Case{
	{Name: "a hard cap holds at, under and over it, for every scope", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		for _, c := range []struct {
			scope   agent.BudgetScope
			subject string
		}{
			{agent.BudgetOrg, ""}, {agent.BudgetUser, alice.UserID}, {agent.BudgetUser, "*"}, {agent.BudgetThread, string(turn.ThreadID)},
			{agent.BudgetThread, "*"}, {agent.BudgetCapability, "slide.edit"}, {agent.BudgetCapability, "*"},
		} {
			for what, over := range map[string]agent.Budget{
				"money":  {Scope: c.scope, Subject: c.subject, HardCost: ptr(cent - 1)},
				"tokens": {Scope: c.scope, Subject: c.subject, HardTokens: ptr(int64(999))},
				"none":   {Scope: c.scope, Subject: c.subject, HardCost: ptr(agent.NanoUSD(0))},
			} {
				w.budgets(bob, over)
				for _, capability := range []string{"slide.edit", ""} {
					id, a := w.reserve(alice, turn, func(r *agent.BudgetReservation) { r.Capability = capability })
					if c.scope == agent.BudgetCapability && capability == "" {
						w.same(a.Refused == nil, true, "a step under a capability's budget stands")
						w.ok(s.SettleBudget(as(alice), []agent.BudgetSettlement{{ID: id, Cost: ptr(agent.NanoUSD(0)), At: start}}))
						continue
					}
					if a.Refused == nil || a.Refused.Scope != c.scope || a.Refused.Renews != 1_701_388_800_000 {
						w.Errorf("over %s of %s %q: %s", what, c.scope, c.subject, show(a))
					}
				}
			}
			for _, fits := range []agent.Budget{
				{Scope: c.scope, Subject: c.subject, HardCost: ptr(cent)}, {Scope: c.scope, Subject: c.subject, HardTokens: ptr(int64(1000))},
				{Scope: c.scope, Subject: c.subject, HardCost: ptr(cent + 1), HardTokens: ptr(int64(1001))},
			} {
				w.budgets(bob, fits)
				in := func(r *agent.BudgetReservation) { r.Capability = "slide.edit" }
				id, a := w.reserve(alice, turn, in)
				w.same(a.Refused == nil, true, "a call that fits the cap of "+string(c.scope))
				_, again := w.reserve(alice, turn, in)
				w.same(again.Refused != nil, true, "one more beside it")
				w.ok(s.SettleBudget(as(alice), []agent.BudgetSettlement{{ID: id, Cost: ptr(agent.NanoUSD(0)), At: start}}))
			}
		}
	}},
	{Name: "one that names its subject replaces the one for each", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn, other := w.begin(alice), w.begin(bob)
		w.budgets(bob, agent.Budget{Scope: agent.BudgetUser, Subject: "*", HardCost: ptr(cent - 1)},
			agent.Budget{Scope: agent.BudgetUser, Subject: alice.UserID, HardCost: ptr(cent)})
		_, a := w.reserve(alice, turn)
		w.same(a.Refused == nil, true, "alice's own budget")
		_, a = w.reserve(bob, other)
		w.same(a.Refused != nil && a.Refused.Subject == bob.UserID, true, "bob's, which is that of each")
	}},
	{Name: "what is settled replaces what was reserved, once", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		w.budgets(bob, agent.Budget{Scope: agent.BudgetOrg, HardCost: ptr(10 * cent)})
		id, _ := w.reserve(alice, turn)
		w.held(w.usage(alice), agent.BudgetOrg, cent, 0, "while the call runs")
		w.same(w.usage(alice).Total, agent.UsageSum{}, "what was used while the call runs")
		for range 2 {
			w.ok(s.SettleBudget(as(alice), []agent.BudgetSettlement{used(id)}))
		}
		r := w.usage(alice)
		w.held(r, agent.BudgetOrg, 0, cent/2, "after the call")
		sum := agent.UsageSum{Calls: 1, TokensIn: 100, TokensOut: 200, CacheRead: 60, CacheCreation: 40, Cost: cent / 2}
		w.same(r.Total, sum, "total")
		w.same(r.Models, []agent.UsageLine{{Subject: "m-1", UsageSum: sum}}, "models")
		w.same([]int64{w.standing(r, agent.BudgetOrg).SpentTokens, w.standing(r, agent.BudgetOrg).HeldTokens}, []int64{400, 0}, "tokens")
		org := w.orgUsage(bob)
		w.same(org.Total, sum, "total of the org")
		w.same(org.Users, []agent.UsageLine{{Subject: alice.UserID, UsageSum: sum}}, "users of the org")
	}},
	{Name: "the same reservation again stands once", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		w.budgets(bob, agent.Budget{Scope: agent.BudgetOrg, HardCost: ptr(cent)})
		r := w.reservation(turn)
		for range 2 {
			a, err := s.ReserveBudget(as(alice), r)
			w.ok(err)
			w.same(a.Refused == nil, true, "the reservation")
		}
		w.held(w.usage(alice), agent.BudgetOrg, cent, 0, "then")
	}},
	{Name: "a milestone settles with all that it writes, or not at all", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		w.budgets(bob, agent.Budget{Scope: agent.BudgetOrg, HardCost: ptr(10 * cent)})
		id, _ := w.reserve(alice, turn)
		m := agent.Milestone{Turn: turn.ID, Run: turn.Run + 1, Spends: []agent.BudgetSettlement{used(id)}, Events: []agent.Event{text(2, "x")}}
		w.code(s.Commit(as(alice), m), agent.CodeConflict, "a run that is over")
		w.held(w.usage(alice), agent.BudgetOrg, cent, 0, "after it")
		m.Run = turn.Run
		w.ok(s.Commit(as(alice), m))
		w.held(w.usage(alice), agent.BudgetOrg, 0, cent/2, "after the run's own")
	}},
	{Name: "a call without a price is refused by a cap on money, counted by one on tokens, and said", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		free := func(r *agent.BudgetReservation) { r.Cost, r.LostCost = nil, nil }
		w.budgets(bob, agent.Budget{Scope: agent.BudgetOrg, HardCost: ptr(100 * agent.USD)})
		_, a := w.reserve(alice, turn, free)
		w.same(a.Refused != nil && a.Refused.Cost == nil, true, "a cap on money")
		w.budgets(bob, agent.Budget{Scope: agent.BudgetOrg, HardTokens: ptr(int64(1000)), SoftCost: ptr(cent)})
		id, a := w.reserve(alice, turn, free)
		w.same(a.Refused == nil, true, "a cap on tokens")
		settled := used(id)
		settled.Cost = nil
		w.ok(s.SettleBudget(as(alice), []agent.BudgetSettlement{settled}))
		r := w.usage(alice)
		w.same([]int64{r.Total.UnpricedCalls, int64(r.Total.Cost), w.standing(r, agent.BudgetOrg).SpentTokens}, []int64{1, 0, 400}, "unpriced calls, cost, tokens")
		w.same(w.orgUsage(bob).Total.UnpricedCalls, int64(1), "unpriced calls of the org")
	}},
	{Name: "a soft cap is told once a month, at it and not under it", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		soft := agent.Budget{Scope: agent.BudgetUser, Subject: "*", SoftCost: ptr(cent / 2)}
		w.budgets(bob, soft)
		id, a := w.reserve(alice, turn)
		w.same(len(a.Warned), 0, "warnings under it")
		less := used(id)
		less.Cost = ptr(cent/2 - 1)
		w.ok(s.SettleBudget(as(alice), []agent.BudgetSettlement{less}))
		id, a = w.reserve(alice, turn)
		w.same(len(a.Warned), 0, "warnings just under it")
		one := used(id)
		one.Cost = ptr(agent.NanoUSD(1))
		w.ok(s.SettleBudget(as(alice), []agent.BudgetSettlement{one}))
		_, a = w.reserve(alice, turn)
		w.same(len(a.Warned), 1, "warnings at it")
		w.same(at(w, a.Warned, 0).Subject, alice.UserID, "whose budget it is")
		_, a = w.reserve(alice, turn)
		w.same(len(a.Warned), 0, "warnings after that")
		_, a = w.reserve(bob, w.begin(bob))
		w.same(len(a.Warned), 0, "warnings of another user")
		w.budgets(bob, soft)
		_, a = w.reserve(alice, turn)
		w.same(len(a.Warned), 1, "warnings after the budgets were set anew")
	}},
	{Name: "a month begins anew", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		w.budgets(bob, agent.Budget{Scope: agent.BudgetOrg, HardCost: ptr(cent)})
		_, a := w.reserve(alice, turn)
		w.same(a.Refused == nil, true, "the first")
		_, a = w.reserve(alice, turn, func(r *agent.BudgetReservation) { r.At = 1_701_388_799_999 })
		w.same(a.Refused != nil, true, "at the month's last moment")
		_, a = w.reserve(alice, turn, func(r *agent.BudgetReservation) { r.At = 1_701_388_800_000 })
		w.same(a.Refused == nil, true, "at the next month's first")
	}},
	{Name: "a reservation ends with its run, its turn, its thread and its process, and counts its prompt", Run: func(tb TB, s Store) {
		for what, end := range map[string]func(w *world, turn agent.Turn) error{
			"taken over": func(w *world, turn agent.Turn) error {
				_, err := s.Adopt(as(alice), turn.ID, owner, 1)
				return err
			},
			"ended":             func(w *world, turn agent.Turn) error { return s.Commit(as(alice), w.ending(alice, turn)) },
			"thread is deleted": func(w *world, turn agent.Turn) error { return s.DeleteThreadRows(as(alice), turn.ThreadID) },
			"process is gone":   func(w *world, _ agent.Turn) error { return s.RegisterOwner(as(alice), "owner-2", start+5) },
		} {
			w := newWorld(tb, s)
			w.budgets(bob, agent.Budget{Scope: agent.BudgetOrg, HardCost: ptr(10 * cent)})
			before := w.standing(w.usage(alice), agent.BudgetOrg).Spent
			turn := w.start(alice, w.fresh(what))
			id, _ := w.reserve(alice, turn, func(r *agent.BudgetReservation) { r.ID = "spend of " + what })
			w.ok(end(w, turn))
			w.held(w.usage(alice), agent.BudgetOrg, 0, before+cent/10, "once it is "+what)
			w.ok(s.SettleBudget(as(alice), []agent.BudgetSettlement{used(id)}))
			w.held(w.usage(alice), agent.BudgetOrg, 0, before+cent/10, "after a settlement that came late, "+what)
		}
		if sum := newWorld(tb, s).usage(alice).Total; sum.Calls != 4 || sum.EstimatedCalls != 4 || sum.TokensIn != 400 {
			tb.Errorf("lost calls count as %s", show(sum))
		}
	}},
	{Name: "of many that reserve at once only so many fit", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		w.budgets(bob, agent.Budget{Scope: agent.BudgetOrg, HardCost: ptr(10 * cent)})
		var list []agent.BudgetReservation
		for range 60 {
			list = append(list, w.reservation(turn))
		}
		var wg sync.WaitGroup
		var mu sync.Mutex
		stood, faults := 0, []error{}
		for _, r := range list {
			wg.Go(func() {
				a, err := s.ReserveBudget(as(alice), r)
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					faults = append(faults, err)
				} else if a.Refused == nil {
					stood++
				}
			})
		}
		wg.Wait()
		w.same(fmt.Sprint(faults), "[]", "errors")
		w.same(stood, 10, "reservations that stand")
		w.held(w.usage(alice), agent.BudgetOrg, 10*cent, 0, "then")
	}},
	{Name: "budgets and usage are an org's, and a user's calls are told to that user", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		w.budgets(bob, agent.Budget{Scope: agent.BudgetOrg, HardCost: ptr(cent), SoftTokens: ptr(int64(5))},
			agent.Budget{Scope: agent.BudgetUser, Subject: "*", HardCost: ptr(cent)})
		id, _ := w.reserve(alice, turn)
		for who, p := range foreigners {
			w.ok(s.SettleBudget(as(p), []agent.BudgetSettlement{used(id)}))
			w.same(w.usage(p).Total, agent.UsageSum{}, "usage of "+who)
		}
		w.held(w.usage(alice), agent.BudgetUser, cent, 0, "after others settled it")
		rows, err := s.BudgetRows(as(carol))
		w.ok(err)
		w.same(len(rows)+len(w.orgUsage(carol).Budgets)+len(w.usage(aliceOther).Budgets), 0, "budgets of another org")
		rows, err = s.BudgetRows(as(alice))
		w.ok(err)
		w.same(len(rows), 2, "budgets of the org")
		w.same(w.orgUsage(bob).Budgets[1].Subject, alice.UserID, "the user whom the budget of each stands for")
	}},
}

// fresh is a message whose ids no other world of the store made.
func (w *world) fresh(name string) agent.TurnStart {
	m := w.message()
	m.Turn.ID, m.Thread.ID, m.Turn.MessageID, m.Transcript.ID = agent.TurnID("turn "+name), agent.ThreadID("thread "+name), "msg "+name, "script "+name
	return m
}
