package storetest

import (
	"fmt"
	"sync"

	agent "github.com/lossless-group/in-app-agent"
)

var takeCases = []Case{
	{Name: "an accept takes the turn, the receipt and the claim together", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		parked, receipts := w.park(alice, 1)
		d := decide(parked, receipts[0], agent.VerdictAccepted)
		turn, err := s.Take(as(alice), w.take(alice, parked, d))
		w.ok(err)
		if turn.State != agent.TurnRunning || turn.Owner != owner || turn.Run != parked.Run+1 || turn.LastSeq != parked.LastSeq+1 || len(turn.Open) != 0 {
			w.Errorf("taken turn: %s", show(turn))
		}
		rec := w.record(alice, parked.ID)
		w.same(rec.Turn, turn, "the turn that was returned and the one that is read")
		r := receipts[0]
		r.State, r.DecidedBy, r.DecidedAt, r.Reason = agent.ReceiptAccepted, d.By, d.At, d.Reason
		w.same(rec.Receipts, []agent.Receipt{r}, "receipt")
		claim := *d.Claim
		claim.State, claim.Run = agent.LedgerClaimed, turn.Run
		w.same(rec.Ledger, []agent.LedgerEntry{claim}, "claim")
		last := at(w, w.events(alice, parked.ID), int(parked.LastSeq))
		if last.Kind != agent.EventDecision || last.Run != turn.Run {
			w.Errorf("last event: %s", show(last))
		}
		w.end(alice, turn)
	}},
	{Name: "each verdict leaves its state", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		for verdict, state := range map[agent.Verdict]agent.ReceiptState{
			agent.VerdictAccepted: agent.ReceiptAccepted, agent.VerdictDiscarded: agent.ReceiptDiscarded, agent.VerdictEdited: agent.ReceiptDiscarded,
			agent.VerdictStale: agent.ReceiptStale, agent.VerdictExpired: agent.ReceiptExpired,
		} {
			parked, receipts := w.park(alice, 1)
			d := decide(parked, receipts[0], verdict)
			if verdict == agent.VerdictExpired {
				d.At, d.By = expires, "system"
			}
			_, err := s.Take(as(alice), w.take(alice, parked, d))
			w.ok(err)
			w.same(at(w, w.record(alice, parked.ID).Receipts, 0).State, state, "receipt after "+string(verdict))
		}
	}},
	{Name: "of many answers at once the first wins and the others conflict", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		parked, receipts := w.park(alice, 1)
		takes := make([]agent.Take, 100)
		for i := range takes {
			verdict := agent.VerdictAccepted
			if i%2 == 1 {
				verdict = agent.VerdictDiscarded
			}
			takes[i] = w.take(alice, parked, decide(parked, receipts[0], verdict))
			takes[i].Owner = fmt.Sprintf("owner-%d", i%3)
		}
		var wg sync.WaitGroup
		var mu sync.Mutex
		var won []agent.Take
		for _, take := range takes {
			wg.Go(func() {
				_, err := s.Take(as(alice), take)
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					won = append(won, take)
				} else {
					w.code(err, agent.CodeConflict, "a late answer")
				}
			})
		}
		wg.Wait()
		if len(won) != 1 {
			w.Fatalf("%d answers won", len(won))
		}
		rec := w.record(alice, parked.ID)
		w.same(len(rec.Ledger), 1, "claims")
		w.same(at(w, rec.Ledger, 0).Phase, won[0].Decisions[0].Claim.Phase, "phase that was claimed")
		w.same(rec.Turn.Owner, won[0].Owner, "owner")
		w.same(rec.Turn.Run, parked.Run+1, "run")
		w.same(rec.Turn.LastSeq, parked.LastSeq+1, "last seq")
	}},
	{Name: "a change set is decided in any order, also while the turn runs", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		parked, receipts := w.park(alice, 3)
		turn, err := s.Take(as(alice), w.take(alice, parked, decide(parked, receipts[2], agent.VerdictAccepted)))
		w.ok(err)
		w.same(len(turn.Open), 2, "open calls after one decision")
		take := w.take(alice, turn, decide(turn, receipts[0], agent.VerdictDiscarded))
		take.Run = turn.Run
		again, err := s.Take(as(alice), take)
		w.ok(err)
		w.same(again.Run, turn.Run, "run while the same owner has it")
		w.same(len(again.Open), 1, "open calls after two")
		w.ok(s.Commit(as(alice), agent.Milestone{Turn: turn.ID, Run: turn.Run, State: agent.TurnAwaiting}))
		turn = w.turn(alice, turn.ID)
		last, err := s.Take(as(alice), w.take(alice, turn, decide(turn, receipts[1], agent.VerdictAccepted)))
		w.ok(err)
		w.same(last.Run, turn.Run+1, "run after it was parked again")
		w.same(len(w.record(alice, turn.ID).Ledger), 3, "claims")
	}},
	{Name: "several decisions are taken together", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		parked, receipts := w.park(alice, 2)
		turn, err := s.Take(as(alice), w.take(alice, parked,
			decide(parked, receipts[0], agent.VerdictAccepted), decide(parked, receipts[1], agent.VerdictDiscarded)))
		w.ok(err)
		w.same(turn.LastSeq, parked.LastSeq+2, "last seq")
		w.same(len(turn.Open), 0, "open calls")
	}},
}
