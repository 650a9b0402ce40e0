package storetest

import (
	"context"

	agent "github.com/lossless-group/in-app-agent"
)

var deleteCases = []Case{
	{Name: "deleting a thread reaches all that hangs on it", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		root := w.chain(alice, 2)[0]
		m := w.reply(root.ThreadID, "")
		turn := w.start(alice, m)
		full, _ := w.full(turn)
		full.Receipts[0].ExpiresAt = start
		w.ok(s.Commit(as(alice), full))
		w.ok(s.PutFeedback(as(alice), agent.FeedbackNote{TurnID: root.ID, Thumb: agent.ThumbUp}, start))

		w.ok(s.DeleteThreadRows(as(alice), root.ThreadID))
		for what, err := range map[string]error{
			"thread":      second(s.ThreadRow(as(alice), root.ThreadID)),
			"turn":        second(s.Turn(as(alice), turn.ID)),
			"root":        second(s.Turn(as(alice), root.ID)),
			"record":      second(s.Record(as(alice), turn.ID)),
			"events":      second(s.EventsAfter(as(alice), turn.ID, 0, 10)),
			"path":        second(s.Path(as(alice), turn.ID, 10)),
			"pages":       second(s.PathTurns(as(alice), root.ThreadID, "", 10)),
			"transcripts": second(s.Transcripts(as(alice), root.ThreadID)),
			"blob":        second(s.Blob(as(alice), full.Calls[0].ID, "abc")),
			"feedback":    s.PutFeedback(as(alice), agent.FeedbackNote{TurnID: root.ID, Thumb: agent.ThumbUp}, start),
			"again":       s.DeleteThreadRows(as(alice), root.ThreadID),
			"milestone":   s.Commit(as(alice), agent.Milestone{Turn: turn.ID, Run: 1, State: agent.TurnComplete}),
		} {
			w.code(err, agent.CodeNotFound, what+" of a deleted thread")
		}
		w.same(len(w.turns(alice, agent.TurnQuery{}).Items), 0, "turns in the list")
		w.same(len(w.list(alice, agent.ThreadQuery{Q: "Hello"})), 0, "threads found")
		w.same(w.live(turn, text(4, "late")), []agent.TurnID{turn.ID}, "overtaken turns")
		due, err := s.Expired(context.Background(), expires, 10)
		w.ok(err)
		w.same(len(due), 0, "receipts that are due")
		orphans, err := s.Orphans(context.Background(), "owner-2")
		w.ok(err)
		w.same(len(orphans), 0, "orphans")
	}},
	{Name: "after a delete every id can be used again as if it had never been", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		m := w.message()
		turn := w.start(alice, m)
		full, want := w.full(turn)
		w.ok(s.Commit(as(alice), full))
		w.ok(s.DeleteThreadRows(as(alice), turn.ThreadID))
		w.start(alice, m)
		w.ok(s.Commit(as(alice), full))
		w.same(w.record(alice, turn.ID), want, "record of the second time")
	}},
	{Name: "deleting a thread leaves the others alone", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		gone, stays, theirs := w.begin(alice), w.begin(alice), w.begin(bob)
		m, _ := w.full(stays)
		w.ok(s.Commit(as(alice), m))
		full, _ := w.full(gone)
		w.ok(s.Commit(as(alice), full))
		before, theirBefore := w.snapshot(alice, stays), w.snapshot(bob, theirs)
		w.ok(s.DeleteThreadRows(as(alice), gone.ThreadID))
		w.same(w.snapshot(alice, stays), before, "all of another thread")
		w.same(w.snapshot(bob, theirs), theirBefore, "all of another user's thread")
		blob, err := s.Blob(as(alice), m.Calls[0].ID, "abc")
		w.ok(err)
		w.same(blob, m.Blobs[0], "the blob with the same digest in another thread")
	}},
}

// second gives the error of a call with one result.
func second[T any](_ T, err error) error { return err }
