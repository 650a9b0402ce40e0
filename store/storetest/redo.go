package storetest

import agent "github.com/lossless-group/in-app-agent"

// redoCases are about decisions that do not end with accept or discard: stale ones,
// edited ones, and changes that are taken back.
var redoCases = []Case{
	{Name: "a receipt moves on and keeps what is not said", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		parked, receipts := w.park(alice, 2)
		turn, err := s.Take(as(alice), w.take(alice, parked, decide(parked, receipts[0], agent.VerdictAccepted)))
		w.ok(err)
		m := agent.Milestone{Turn: turn.ID, Run: turn.Run, Restates: []agent.Restate{{ID: receipts[0].ID, AppliedAt: start + 5}}}
		w.ok(s.Commit(as(alice), m))
		m.Restates = []agent.Restate{{ID: receipts[0].ID, State: agent.ReceiptStale, Reason: "moved"}, {ID: receipts[1].ID, UndoneAt: start + 6}}
		w.ok(s.Commit(as(alice), m))
		got := w.record(alice, turn.ID).Receipts
		w.same([]any{at(w, got, 0).State, at(w, got, 0).Reason, at(w, got, 0).AppliedAt}, []any{agent.ReceiptStale, "moved", start + 5}, "the first receipt")
		w.same([]any{at(w, got, 1).State, at(w, got, 1).UndoneAt, at(w, got, 1).AppliedAt}, []any{agent.ReceiptOpen, start + 6, int64(0)}, "the second receipt")
	}},
	{Name: "a receipt of another thread does not move", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		_, receipts := w.park(alice, 1)
		other := w.begin(alice)
		w.code(s.Commit(as(alice), agent.Milestone{Turn: other.ID, Run: 1, Restates: []agent.Restate{{ID: receipts[0].ID, UndoneAt: start}}}),
			agent.CodeInternal, "a receipt of another thread")
	}},
	{Name: "a released claim can be made again, a settled one not", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		entry := agent.LedgerEntry{TurnID: turn.ID, CallID: "call_r", Phase: agent.PhaseApply, State: agent.LedgerClaimed, ClaimedAt: start}
		commit := func(m agent.Milestone) error { m.Turn, m.Run = turn.ID, 1; return s.Commit(as(alice), m) }
		w.ok(commit(agent.Milestone{Calls: []agent.CallRecord{{ID: "call_r", TurnID: turn.ID, State: agent.CallOpen}}, Claims: []agent.LedgerEntry{entry}}))
		w.ok(commit(agent.Milestone{Releases: []agent.LedgerEntry{entry}}))
		w.same(len(w.record(alice, turn.ID).Ledger), 0, "ledger rows after the release")
		w.ok(commit(agent.Milestone{Claims: []agent.LedgerEntry{entry}}))
		entry.State, entry.Result = agent.LedgerSettled, &agent.Result{OK: true}
		w.ok(commit(agent.Milestone{Settles: []agent.LedgerEntry{entry}}))
		w.code(commit(agent.Milestone{Releases: []agent.LedgerEntry{entry}}), agent.CodeInternal, "releasing a settled row")
	}},
	{Name: "an edited call is taken with the decision, and knows its parent", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		parked, receipts := w.park(alice, 1)
		d := decide(parked, receipts[0], agent.VerdictEdited)
		d.Calls = []agent.CallRecord{{ID: "call_child", TurnID: parked.ID, Parent: receipts[0].CallID, Index: 7, State: agent.CallPending, Input: []byte(`{"a":2}`)}}
		_, err := s.Take(as(alice), w.take(alice, parked, d))
		w.ok(err)
		calls := w.record(alice, parked.ID).Calls
		child := calls[len(calls)-1]
		w.same([]any{child.ID, child.Parent, child.State}, []any{agent.CallID("call_child"), receipts[0].CallID, agent.CallPending}, "the edited call")
	}},
	{Name: "a call's turn is found by its owner only", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		w.ok(s.Commit(as(alice), agent.Milestone{Turn: turn.ID, Run: 1, Calls: []agent.CallRecord{{ID: "call_t", TurnID: turn.ID, State: agent.CallDone}}}))
		id, err := s.CallTurn(as(alice), "call_t")
		w.ok(err)
		w.same(id, turn.ID, "turn of the call")
		_, err = s.CallTurn(as(alice), "call_none")
		w.code(err, agent.CodeNotFound, "an unknown call")
		for _, p := range []agent.Principal{bob, carol} {
			_, err = s.CallTurn(as(p), "call_t")
			w.code(err, agent.CodeNotFound, "somebody else's call")
		}
	}},
	{Name: "a turn by hand brings its call", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		m := w.message()
		m.Turn.By = "hand"
		m.Calls = []agent.CallRecord{{ID: "call_h", TurnID: m.Turn.ID, Parent: "call_x", State: agent.CallPending}}
		turn := w.start(alice, m)
		w.same(at(w, w.record(alice, turn.ID).Calls, 0).Parent, agent.CallID("call_x"), "parent of the call")
		w.same(turn.By, "hand", "who began it")
	}},
}
