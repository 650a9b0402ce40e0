package storetest

import (
	"context"

	agent "github.com/lossless-group/in-app-agent"
)

// refused checks that a take fails with a code and leaves the turn as it was.
func (w *world) refused(take agent.Take, turn agent.Turn, code agent.Code, what string) {
	w.Helper()
	before := w.snapshot(alice, turn)
	_, err := w.s.Take(as(alice), take)
	w.code(err, code, what)
	w.same(w.snapshot(alice, turn), before, what+": all of the turn")
}

var refuseCases = []Case{
	{Name: "an answered preview is not answered again, whatever the answer", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		parked, receipts := w.park(alice, 2)
		turn, err := s.Take(as(alice), w.take(alice, parked, decide(parked, receipts[0], agent.VerdictAccepted)))
		w.ok(err)
		w.ok(s.Commit(as(alice), agent.Milestone{Turn: turn.ID, Run: turn.Run, State: agent.TurnAwaiting}))
		turn = w.turn(alice, turn.ID)
		for _, v := range []agent.Verdict{agent.VerdictAccepted, agent.VerdictDiscarded, agent.VerdictStale} {
			d := decide(turn, receipts[0], v)
			d.Claim = nil
			w.refused(w.take(alice, turn, d), turn, agent.CodeConflict, string(v)+" after it was accepted")
		}
	}},
	{Name: "a preview can be answered until it expires, and not from then on", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		for _, v := range []agent.Verdict{agent.VerdictAccepted, agent.VerdictDiscarded} {
			parked, receipts := w.park(alice, 1)
			d := decide(parked, receipts[0], v)
			for _, at := range []int64{expires, expires + 1} {
				d.At = at
				w.refused(w.take(alice, parked, d), parked, agent.CodeGone, string(v)+" after it expired")
			}
			d.At = expires - 1
			_, err := s.Take(as(alice), w.take(alice, parked, d))
			w.ok(err)
		}
	}},
	{Name: "a preview does not expire before its time", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		parked, receipts := w.park(alice, 1)
		d := decide(parked, receipts[0], agent.VerdictExpired)
		d.At = expires - 1
		w.refused(w.take(alice, parked, d), parked, agent.CodeConflict, "expired a moment early")
	}},
	{Name: "an accept under a policy that changed is refused", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		parked, receipts := w.park(alice, 1)
		take := w.take(alice, parked, decide(parked, receipts[0], agent.VerdictAccepted))
		for _, off := range []int64{1, 1000} {
			moved := take
			moved.PolicyVersion += off
			w.refused(moved, parked, agent.CodeConflict, "a policy version that is not the org's")
		}
		w.ok(s.PutOrg(context.Background(), agent.Org{ID: "o_acme", Slug: "acme", Billing: agent.BillingPaying, DefaultModel: "m-2"}))
		w.ok(s.RefreshPolicies(context.Background()))
		w.refused(take, parked, agent.CodeConflict, "the version from before the admin's change")
		_, err := s.Take(as(alice), w.take(alice, parked, decide(parked, receipts[0], agent.VerdictAccepted)))
		w.ok(err)

		parked, receipts = w.park(alice, 1)
		unchecked := w.take(alice, parked, decide(parked, receipts[0], agent.VerdictDiscarded))
		unchecked.PolicyVersion = 0
		_, err = s.Take(as(alice), unchecked)
		w.ok(err)
	}},
	{Name: "several decisions of which one is refused take nothing", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		parked, receipts := w.park(alice, 2)
		good, late := decide(parked, receipts[0], agent.VerdictAccepted), decide(parked, receipts[1], agent.VerdictAccepted)
		late.At = expires
		w.refused(w.take(alice, parked, good, late), parked, agent.CodeGone, "one good and one expired")
		doubled := decide(parked, receipts[0], agent.VerdictDiscarded)
		w.refused(w.take(alice, parked, good, doubled), parked, agent.CodeConflict, "one receipt twice")
	}},
	{Name: "a receipt of another call or turn is not found", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		parked, receipts := w.park(alice, 2)
		other, others := w.park(alice, 1)
		swapped := decide(parked, receipts[0], agent.VerdictAccepted)
		swapped.CallID = receipts[1].CallID
		w.refused(w.take(alice, parked, swapped), parked, agent.CodeNotFound, "another call's receipt")
		w.refused(w.take(alice, parked, decide(parked, others[0], agent.VerdictAccepted)), parked, agent.CodeNotFound, "another turn's receipt")
		unknown := decide(other, others[0], agent.VerdictAccepted)
		unknown.ReceiptID = "receipt_none"
		w.refused(w.take(alice, other, unknown), other, agent.CodeNotFound, "an unknown receipt")
	}},
	{Name: "only the run's own owner takes from a running turn", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		parked, receipts := w.park(alice, 2)
		asRunning := w.take(alice, parked, decide(parked, receipts[0], agent.VerdictAccepted))
		asRunning.Run = parked.Run
		w.refused(asRunning, parked, agent.CodeConflict, "a run of a turn that is parked")
		turn, err := s.Take(as(alice), w.take(alice, parked, decide(parked, receipts[0], agent.VerdictAccepted)))
		w.ok(err)
		for what, change := range map[string]func(*agent.Take){
			"another owner":  func(t *agent.Take) { t.Owner, t.Run = "owner-2", turn.Run },
			"a run before":   func(t *agent.Take) { t.Run = turn.Run - 1 },
			"a run to come":  func(t *agent.Take) { t.Run = turn.Run + 1 },
			"no run, though": func(t *agent.Take) { t.Run = 0 },
		} {
			take := w.take(alice, turn, decide(turn, receipts[1], agent.VerdictAccepted))
			change(&take)
			w.refused(take, turn, agent.CodeConflict, what)
		}
	}},
	{Name: "a decision on an older view of the turn conflicts, one after a gap is our fault", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		parked, receipts := w.park(alice, 1)
		take := w.take(alice, parked, decide(parked, receipts[0], agent.VerdictAccepted))
		take.Decisions[0].Event.Seq = parked.LastSeq
		w.refused(take, parked, agent.CodeConflict, "a seq that is taken")
		take.Decisions[0].Event.Seq = parked.LastSeq + 2
		w.refused(take, parked, agent.CodeInternal, "a seq after a gap")
	}},
	{Name: "a take whose claim exists is refused", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		r := w.receipt(turn)
		m := claimOf(turn, r.CallID, agent.PhaseApply)
		m.State, m.Receipts, m.Events = agent.TurnAwaiting, []agent.Receipt{r}, []agent.Event{event(2, agent.PreviewShown{})}
		w.ok(s.Commit(as(alice), m))
		parked := w.turn(alice, turn.ID)
		w.refused(w.take(alice, parked, decide(parked, r, agent.VerdictAccepted)), parked, agent.CodeConflict, "a claim that exists")
	}},
}
