package storetest

import agent "github.com/lossless-group/in-app-agent"

func (w *world) approvals(p agent.Principal, q agent.ApprovalQuery, now int64) agent.Page[agent.Approval] {
	w.Helper()
	page, err := w.s.ApprovalList(as(p), q, now)
	w.ok(err)
	if page.Items == nil {
		w.Errorf("an empty inbox is no list")
	}
	return page
}

func (w *world) waiting(p agent.Principal, now int64) (ids []agent.ReceiptID) {
	w.Helper()
	for _, a := range w.approvals(p, agent.ApprovalQuery{}, now).Items {
		ids = append(ids, a.ReceiptID)
	}
	return ids
}

// parkAt parks a turn of its own with one preview that was shown at a time.
func (w *world) parkAt(p agent.Principal, at int64) (agent.Turn, agent.Receipt) {
	w.Helper()
	turn := w.begin(p)
	r := w.receipt(turn)
	r.CreatedAt = at
	w.ok(w.s.Commit(as(p), agent.Milestone{Turn: turn.ID, Run: turn.Run, State: agent.TurnAwaiting, Receipts: []agent.Receipt{r},
		Calls: []agent.CallRecord{openCall(r, 0)}}))
	return w.turn(p, turn.ID), r
}

var approvalCases = []Case{
	{Name: "the inbox tells each waiting preview with its thread and its outline", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		r := w.receipt(turn)
		r.Replaces = "receipt_before"
		r.Preview.Artifacts = append(r.Preview.Artifacts, agent.Artifact{Kind: agent.ArtifactHTML, Title: "Page", MIME: "text/html", Digest: "abc", Bytes: 70_000})
		w.ok(s.Commit(as(alice), agent.Milestone{Turn: turn.ID, Run: 1, State: agent.TurnAwaiting, Receipts: []agent.Receipt{r}}))
		got := at(w, w.approvals(alice, agent.ApprovalQuery{}, start).Items, 0)
		w.same(got, agent.Approval{
			TurnID: turn.ID, ThreadID: turn.ThreadID, ThreadTitle: "Title of " + string(turn.ID), ProjectID: "deck", ProjectKind: "slides",
			CallID: r.CallID, ReceiptID: r.ID, Capability: "slide.edit", Summary: "Changes slide 4",
			Artifacts: []agent.ArtifactOutline{{Kind: agent.ArtifactDiff, Title: "Diff", Path: "4.html", Bytes: 5},
				{Kind: agent.ArtifactHTML, Title: "Page", MIME: "text/html", Digest: "abc", Bytes: 70_000}},
			CreatedAt: start, ExpiresAt: expires, Replaces: "receipt_before",
		}, "the line")
	}},
	{Name: "the newest preview comes first, of every thread of its user only", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		_, second := w.parkAt(alice, start+2)
		_, first := w.parkAt(alice, start+1)
		_, third := w.parkAt(alice, start+3)
		for _, p := range foreigners {
			w.same(len(w.waiting(p, start)), 0, "what waits for "+p.UserID+" of "+p.OrgID)
		}
		_, hers := w.parkAt(bob, start+4)
		w.same(w.waiting(alice, start), []agent.ReceiptID{third.ID, second.ID, first.ID}, "what waits for Alice")
		w.same(w.waiting(bob, start), []agent.ReceiptID{hers.ID}, "what waits for Bob")
	}},
	{Name: "what was answered, ended or too old waits no more", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		parked, receipts := w.park(alice, 2)
		w.same(len(w.waiting(alice, expires-1)), 2, "what waits a moment before it is too old")
		w.same(len(w.waiting(alice, expires)), 0, "what waits when it is too old")
		_, err := s.Take(as(alice), w.take(alice, parked, decide(parked, receipts[0], agent.VerdictAccepted)))
		w.ok(err)
		w.same(w.waiting(alice, start), []agent.ReceiptID{receipts[1].ID}, "what waits while the turn runs on")
		w.end(alice, parked)
		w.same(len(w.waiting(alice, start)), 0, "what waits after the turn's end")
		deleted, _ := w.park(alice, 1)
		w.ok(s.DeleteThreadRows(as(alice), deleted.ThreadID))
		w.same(len(w.waiting(alice, start)), 0, "what waits in a deleted thread")
	}},
	{Name: "every page of the inbox goes on where the one before ended, also at equal times", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		_, receipts := w.park(alice, 6)
		for _, limit := range []int{1, 4, 5, 6, 7} {
			seen := map[agent.ReceiptID]bool{}
			q := agent.ApprovalQuery{Limit: limit}
			for {
				page := w.approvals(alice, q, start)
				if len(page.Items) == 0 || len(page.Items) > limit {
					w.Fatalf("limit %d gave %d lines", limit, len(page.Items))
				}
				for _, a := range page.Items {
					if seen[a.ReceiptID] {
						w.Errorf("limit %d gave %s twice", limit, a.ReceiptID)
					}
					seen[a.ReceiptID] = true
				}
				if page.Next == "" {
					break
				}
				q.Cursor = page.Next
			}
			w.same(len(seen), len(receipts), "lines over all pages")
		}
		_, err := s.ApprovalList(as(alice), agent.ApprovalQuery{Cursor: "none of ours"}, start)
		w.code(err, agent.CodeInvalidInput, "a cursor that is none")
	}},
}
