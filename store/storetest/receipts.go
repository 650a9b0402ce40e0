package storetest

import (
	"context"

	agent "github.com/lossless-group/in-app-agent"
)

func (w *world) due(now int64, limit int) []agent.ReceiptID {
	w.Helper()
	list, err := w.s.Expired(context.Background(), now, limit)
	w.ok(err)
	var ids []agent.ReceiptID
	for _, r := range list {
		if r.OrgID == "" || r.UserID == "" || r.TurnID == "" {
			w.Errorf("receipt %s says not whose it is", r.ID)
		}
		ids = append(ids, r.ID)
	}
	return ids
}

var receiptCases = []Case{
	{Name: "open receipts are due from their time on, of every tenant", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		_, mine := w.park(alice, 1)
		_, hers := w.park(carol, 1)
		w.same(len(w.due(expires-1, 10)), 0, "due a moment before")
		w.same(w.due(expires, 10), []agent.ReceiptID{mine[0].ID, hers[0].ID}, "due at the time")
		w.same(w.due(expires+1, 10), []agent.ReceiptID{mine[0].ID, hers[0].ID}, "due after it")
		for limit, want := range map[int]int{0: 0, 1: 1, 2: 2, 3: 2} {
			w.same(len(w.due(expires, limit)), want, "due at a limit")
		}
	}},
	{Name: "given-up receipts are due until they are cleaned up", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		for verdict, want := range map[agent.Verdict]int{agent.VerdictDiscarded: 1, agent.VerdictExpired: 1, agent.VerdictAccepted: 0, agent.VerdictStale: 0} {
			parked, receipts := w.park(alice, 1)
			d := decide(parked, receipts[0], verdict)
			if verdict == agent.VerdictExpired {
				d.At = expires
			}
			_, err := s.Take(as(alice), w.take(alice, parked, d))
			w.ok(err)
			w.same(len(w.due(start, 10)), want, "due after "+string(verdict))
			w.ok(s.MarkCleaned(context.Background(), receipts[0].ID, start+9))
			w.same(len(w.due(start, 10)), 0, "due after the clean-up")
			w.same(at(w, w.record(alice, parked.ID).Receipts, 0).CleanedAt, start+9, "time of the clean-up")
		}
		w.code(s.MarkCleaned(context.Background(), "receipt_none", start), agent.CodeNotFound, "an unknown receipt")
	}},
	{Name: "a receipt without an end is never due", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		r := w.receipt(turn)
		r.ExpiresAt = 0
		w.ok(s.Commit(as(alice), agent.Milestone{Turn: turn.ID, Run: 1, Receipts: []agent.Receipt{r}, State: agent.TurnAwaiting}))
		w.same(len(w.due(expires*2, 10)), 0, "due")
		parked := w.turn(alice, turn.ID)
		d := decide(parked, r, agent.VerdictAccepted)
		d.At = expires * 2
		_, err := s.Take(as(alice), w.take(alice, parked, d))
		w.ok(err)
	}},
	{Name: "an artifact is kept once by digest in its thread", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn, other := w.begin(alice), w.begin(alice)
		call := agent.CallRecord{ID: "call_a", TurnID: turn.ID, State: agent.CallOpen}
		blob := agent.Blob{Digest: "d1", Thread: turn.ThreadID, MIME: "text/html", Data: []byte("<html>\x00</html>")}
		m := agent.Milestone{Turn: turn.ID, Run: 1, Calls: []agent.CallRecord{call}, Blobs: []agent.Blob{blob, blob, {Digest: "empty", Thread: turn.ThreadID}}}
		w.ok(s.Commit(as(alice), m))
		w.ok(s.Commit(as(alice), agent.Milestone{Turn: turn.ID, Run: 1, Blobs: []agent.Blob{blob}}))
		got, err := s.Blob(as(alice), "call_a", "d1")
		w.ok(err)
		w.same(got, blob, "blob")
		got, err = s.Blob(as(alice), "call_a", "empty")
		w.ok(err)
		w.same(len(got.Data), 0, "bytes of an empty blob")
		w.ok(s.Commit(as(alice), agent.Milestone{Turn: other.ID, Run: 1, Calls: []agent.CallRecord{{ID: "call_b", TurnID: other.ID, State: agent.CallOpen}}}))
		for what, c := range map[string][2]string{"another digest": {"call_a", "d2"}, "another thread's": {"call_b", "d1"}, "an unknown call's": {"call_none", "d1"}} {
			_, err := s.Blob(as(alice), agent.CallID(c[0]), c[1])
			w.code(err, agent.CodeNotFound, what)
		}
	}},
}
