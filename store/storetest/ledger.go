package storetest

import (
	"sync"

	agent "github.com/lossless-group/in-app-agent"
)

func claimOf(turn agent.Turn, call agent.CallID, phase agent.Phase) agent.Milestone {
	return agent.Milestone{Turn: turn.ID, Run: turn.Run,
		Claims: []agent.LedgerEntry{{TurnID: turn.ID, CallID: call, Phase: phase, InputDigest: "d", ClaimedAt: start}}}
}

func settleOf(turn agent.Turn, call agent.CallID, phase agent.Phase, state agent.LedgerState) agent.Milestone {
	return agent.Milestone{Turn: turn.ID, Run: turn.Run, Settles: []agent.LedgerEntry{{TurnID: turn.ID, CallID: call, Phase: phase,
		State: state, SettledAt: start + 1, Result: &agent.Result{OK: state == agent.LedgerSettled}}}}
}

var ledgerCases = []Case{
	{Name: "a claim is made once for each call and phase", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn, other := w.begin(alice), w.begin(alice)
		w.ok(s.Commit(as(alice), claimOf(turn, "c", agent.PhaseApply)))
		w.code(s.Commit(as(alice), claimOf(turn, "c", agent.PhaseApply)), agent.CodeConflict, "the same claim again")
		w.ok(s.Commit(as(alice), claimOf(turn, "c", agent.PhaseDiscard)))
		w.ok(s.Commit(as(alice), claimOf(turn, "c2", agent.PhaseApply)))
		w.ok(s.Commit(as(alice), claimOf(other, "c", agent.PhaseApply)))
		w.same(len(w.record(alice, turn.ID).Ledger), 3, "rows of the turn")
	}},
	{Name: "many claims of one effect at once: one wins", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		var wg sync.WaitGroup
		var mu sync.Mutex
		won := 0
		for range 20 {
			wg.Go(func() {
				err := s.Commit(as(alice), claimOf(turn, "c", agent.PhaseApply))
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					won++
				} else {
					w.code(err, agent.CodeConflict, "a late claim")
				}
			})
		}
		wg.Wait()
		w.same(won, 1, "claims that won")
	}},
	{Name: "a claim is settled once, with its result", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		for _, state := range []agent.LedgerState{agent.LedgerSettled, agent.LedgerUnknown} {
			turn := w.begin(alice)
			w.ok(s.Commit(as(alice), claimOf(turn, "c", agent.PhaseApply)))
			settle := settleOf(turn, "c", agent.PhaseApply, state)
			w.ok(s.Commit(as(alice), settle))
			row := at(w, w.record(alice, turn.ID).Ledger, 0)
			if row.State != state || row.SettledAt != start+1 || row.Result == nil || row.Result.OK != (state == agent.LedgerSettled) {
				w.Errorf("settled row: %s", show(row))
			}
			if err := s.Commit(as(alice), settle); err == nil {
				w.Errorf("a row in state %s was settled again", state)
			}
		}
	}},
	{Name: "the next run settles what an overtaken one claimed", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		w.ok(s.Commit(as(alice), claimOf(turn, "c", agent.PhaseApply)))
		adopted, err := s.Adopt(as(alice), turn.ID, "owner-2", turn.Run)
		w.ok(err)
		w.code(s.Commit(as(alice), settleOf(turn, "c", agent.PhaseApply, agent.LedgerSettled)), agent.CodeConflict, "a settle of the old run")
		w.ok(s.Commit(as(alice), settleOf(adopted, "c", agent.PhaseApply, agent.LedgerUnknown)))
		row := at(w, w.record(alice, turn.ID).Ledger, 0)
		w.same(row.State, agent.LedgerUnknown, "state")
		w.same(row.Run, int64(1), "run that claimed")
	}},
}
