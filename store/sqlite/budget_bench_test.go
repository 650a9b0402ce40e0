package sqlite

import (
	"fmt"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

func reservation(id string, turn agent.Turn) agent.BudgetReservation {
	cost, lost := agent.USD/10, agent.USD/100
	return agent.BudgetReservation{ID: id, Owner: "o", Turn: turn.ID, Run: 1, Thread: turn.ThreadID, Provider: "p", Model: "m", KeySource: agent.KeySourceOrg,
		At: 1_700_000_000_000, Cost: &cost, Tokens: 10_000, LostCost: &lost, LostTokens: 1000}
}

// capped gives each scope a budget that is far away.
func capped(b *testing.B, s *Store) {
	far := 1000 * 1000 * agent.USD
	must(b, s.PutBudgetRows(asUser, []agent.Budget{{Scope: agent.BudgetOrg, HardCost: &far}, {Scope: agent.BudgetUser, Subject: "*", HardCost: &far, SoftCost: &far},
		{Scope: agent.BudgetThread, Subject: "*", HardCost: &far}, {Scope: agent.BudgetCapability, Subject: "*", HardCost: &far}}, 1))
}

// What a step pays before its model is asked: a transaction that waits for no disk.
func BenchmarkReserveBudget(b *testing.B) {
	for name, budgets := range map[string]bool{"without a budget": false, "under four budgets": true} {
		b.Run(name, func(b *testing.B) {
			s := openAt(b, Config{})
			turn := begin(b, s, "t")
			if budgets {
				capped(b, s)
			}
			for i := 0; b.Loop(); i++ {
				if a, err := s.ReserveBudget(asUser, reservation(fmt.Sprint("r", i), turn)); err != nil || a.Refused != nil {
					b.Fatal(a.Refused, err)
				}
			}
		})
	}
}

// What it pays after: a settlement in the transaction of its answer. Compare with
// BenchmarkCommitStep.
func BenchmarkCommitStepThatSettles(b *testing.B) {
	s := openAt(b, Config{})
	turn := begin(b, s, "t")
	cost, n := agent.USD/100, int64(100)
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		id := fmt.Sprint("r", i)
		if _, err := s.ReserveBudget(asUser, reservation(id, turn)); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		m := agent.Milestone{Turn: turn.ID, Run: 1, Events: []agent.Event{deltaEvent(agent.Seq(i+2), "Hi")},
			Step: &agent.Step{Index: i, Provider: "p", Model: "m"}, Transcript: &agent.TranscriptRow{ModelMessage: "Hi"},
			Spends: []agent.BudgetSettlement{{ID: id, Cost: &cost, Usage: agent.Usage{TokensIn: &n, TokensOut: &n}, At: 2}},
			Egress: []agent.EgressLine{{Host: "api.test", Purpose: "step", Requests: 1, FirstAt: 1, At: 1}}}
		must(b, s.Commit(asUser, m))
	}
}
