package storetest

import (
	"context"
	"sync"
	"sync/atomic"

	agent "github.com/lossless-group/in-app-agent"
)

func (w *world) notices(now int64, limit int) []agent.ApprovalNotice {
	w.Helper()
	list, err := w.s.DueNotices(context.Background(), agent.NoticeQuery{Now: now, Before: now, Life: day, Limit: limit})
	w.ok(err)
	return list
}

func (w *world) note(id string, at, next int64, sent bool) {
	w.Helper()
	w.ok(w.s.NoteNotice(context.Background(), id, at, next, sent))
}

var awayCases = []Case{
	{Name: "each open preview is told once, of every tenant, with its link", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		_, mine := w.parkAt(alice, start+1)
		_, hers := w.parkAt(carol, start+2)
		_, late := w.parkAt(alice, start+3)
		list := w.notices(start+2, 10)
		w.same(len(list), 2, "notices of what was shown by then")
		first := at(w, list, 0)
		w.same([]any{first.OrgID, first.UserID, first.Tries, first.Approval.ReceiptID, first.Approval.Summary, first.Link.ReceiptID}, []any{"o_acme", "u_alice", 0, mine.ID, "Changes slide 4", mine.ID}, "the first")
		w.same(first.Link.ExpiresAt, start+2+day, "the end of its link")
		w.same(at(w, list, 1).Approval.ReceiptID, hers.ID, "the second")
		w.same(w.notices(start+2, 10), list, "the same look again, nothing being sent")
		for _, n := range list {
			w.note(n.Link.ID, start+3, 0, true)
		}
		again := w.notices(start+4, 10)
		w.same(len(again), 1, "notices after both were sent")
		w.same(at(w, again, 0).Approval.ReceiptID, late.ID, "the one that is left")
	}},
	{Name: "what could not be sent is tried again at its time, and never once it is answered or too old", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		parked, receipts := w.park(alice, 2)
		list := w.notices(start, 10)
		w.note(at(w, list, 0).Link.ID, start, start+60_000, false)
		w.note(at(w, list, 1).Link.ID, start, start+60_000, false)
		w.same(len(w.notices(start+59_999, 10)), 0, "a moment before")
		w.same(at(w, w.notices(start+60_000, 1), 0).Tries, 1, "tries")
		_, err := s.Take(as(alice), w.take(alice, parked, decide(parked, receipts[0], agent.VerdictDiscarded)))
		w.ok(err)
		rest := w.notices(start+60_000, 10)
		w.same(len(rest), 1, "notices after one was answered")
		w.same(at(w, rest, 0).Link.ReceiptID, receipts[1].ID, "the other")
		w.same(len(w.notices(start+day, 10)), 0, "notices when the link is too old")
	}},
	{Name: "a link does not outlive its preview", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		w.park(alice, 1)
		list, err := s.DueNotices(context.Background(), agent.NoticeQuery{Now: start, Before: start, Life: 30 * day, Limit: 1})
		w.ok(err)
		w.same(at(w, list, 0).Link.ExpiresAt, expires, "the end")
	}},
	{Name: "a link is spent once, until it is too old, and can be freed", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		w.park(alice, 2)
		list := w.notices(start, 10)
		id := at(w, list, 0).Link.ID
		var won atomic.Int64
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				if err := s.SpendLink(as(alice), id, start+1); err == nil {
					won.Add(1)
				} else {
					w.code(err, agent.CodeConflict, "a later spending")
				}
			})
		}
		wg.Wait()
		w.same(won.Load(), int64(1), "spendings that won")
		l, err := s.ApprovalLink(as(alice), id)
		w.ok(err)
		w.same(l.SpentAt, start+1, "when it was spent")
		w.ok(s.FreeLink(as(alice), id))
		w.ok(s.SpendLink(as(alice), id, start+2))
		other := at(w, list, 1).Link.ID
		w.code(s.SpendLink(as(alice), other, start+day), agent.CodeGone, "one that is too old")
		w.ok(s.SpendLink(as(alice), other, start+day-1))
	}},
	{Name: "a contact is a member's", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		u, err := s.Contact(context.Background(), "u_alice", "o_acme")
		w.ok(err)
		w.same(u, agent.User{ID: "u_alice", Name: "Name of u_alice", Email: "u_alice@example.org"}, "the contact")
		_, err = s.Contact(context.Background(), "u_bob", "o_other")
		w.code(err, agent.CodeNotFound, "somebody who is no member there")
	}},
	{Name: "a deleted thread takes its links with it", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		parked, _ := w.park(alice, 1)
		id := at(w, w.notices(start, 10), 0).Link.ID
		w.ok(s.DeleteThreadRows(as(alice), parked.ThreadID))
		_, err := s.ApprovalLink(as(alice), id)
		w.code(err, agent.CodeNotFound, "its link")
		w.same(len(w.notices(start, 10)), 0, "notices")
	}},
}
