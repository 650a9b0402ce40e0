package storetest

import agent "github.com/lossless-group/in-app-agent"

// chain makes a thread of n ended turns under each other.
func (w *world) chain(p agent.Principal, n int) []agent.Turn {
	w.Helper()
	turns := []agent.Turn{w.begin(p)}
	w.end(p, turns[0])
	for len(turns) < n {
		turn := w.start(p, w.reply(turns[0].ThreadID, ""))
		w.end(p, turn)
		turns = append(turns, turn)
	}
	return turns
}

func turnIDs(turns []agent.Turn) []agent.TurnID {
	var ids []agent.TurnID
	for _, t := range turns {
		ids = append(ids, t.ID)
	}
	return ids
}

func (w *world) path(p agent.Principal, id agent.TurnID, limit int) []agent.TurnID {
	w.Helper()
	recs, err := w.s.Path(as(p), id, limit)
	w.ok(err)
	var ids []agent.TurnID
	for _, r := range recs {
		ids = append(ids, r.Turn.ID)
	}
	return ids
}

var pathCases = []Case{
	{Name: "a path goes from the root down to the turn, without it", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		ids := turnIDs(w.chain(alice, 5))
		w.same(w.path(alice, ids[4], 100), ids[:4], "path")
		w.same(w.path(alice, ids[4], 4), ids[:4], "path of exactly the limit")
		w.same(w.path(alice, ids[4], 3), ids[1:4], "path over the limit keeps the nearest")
		w.same(len(w.path(alice, ids[0], 100)), 0, "turns above the root")
		w.same(len(w.path(alice, ids[4], 0)), 0, "turns at limit 0")
		_, err := s.Path(as(alice), "turn_none", 10)
		w.code(err, agent.CodeNotFound, "an unknown turn")
	}},
	{Name: "a path leaves other branches out", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		ids := turnIDs(w.chain(alice, 3))
		thread := w.turn(alice, ids[0]).ThreadID
		branch := w.start(alice, w.reply(thread, ids[0]))
		w.end(alice, branch)
		leaf := w.start(alice, w.reply(thread, ""))
		w.same(w.path(alice, leaf.ID, 100), []agent.TurnID{ids[0], branch.ID}, "path of the branch")
		w.same(w.path(alice, ids[2], 100), ids[:2], "path of the branch that was left")
	}},
	{Name: "a path carries steps, calls, receipts and ledger of each turn", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		m, _ := w.full(turn)
		w.ok(s.Commit(as(alice), m))
		w.end(alice, turn)
		second := w.start(alice, w.reply(turn.ThreadID, ""))
		w.end(alice, second)
		third := w.start(alice, w.reply(turn.ThreadID, ""))
		recs, err := s.Path(as(alice), third.ID, 10)
		w.ok(err)
		w.same(recs, []agent.TurnRecord{w.record(alice, turn.ID), w.record(alice, second.ID)}, "records")
	}},
	{Name: "a thread's turns come page by page from its head", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		ids := turnIDs(w.chain(alice, 5))
		thread := w.turn(alice, ids[0]).ThreadID
		for _, c := range []struct {
			before agent.TurnID
			limit  int
			want   []agent.TurnID
		}{{"", 2, ids[3:]}, {ids[3], 2, ids[1:3]}, {ids[1], 2, ids[:1]}, {ids[0], 2, nil}, {"", 5, ids}, {"", 6, ids}, {"", 0, nil}} {
			turns, err := s.PathTurns(as(alice), thread, c.before, c.limit)
			w.ok(err)
			w.same(turnIDs(turns), c.want, "turns before "+string(c.before))
		}
		other := w.begin(alice)
		_, err := s.PathTurns(as(alice), thread, other.ID, 2)
		w.code(err, agent.CodeNotFound, "before a turn of another thread")
		_, err = s.PathTurns(as(alice), "thread_none", "", 2)
		w.code(err, agent.CodeNotFound, "an unknown thread")
	}},
	{Name: "a page of turns tells what each waits for", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn, receipts := w.park(alice, 1)
		turns, err := s.PathTurns(as(alice), turn.ThreadID, "", 5)
		w.ok(err)
		if len(turns) != 1 || len(turns[0].Open) != 1 || turns[0].Open[0].ReceiptID != receipts[0].ID {
			w.Errorf("turns: %s", show(turns))
		}
	}},
	{Name: "turns follow each other in the order they started, over branches", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		ids := turnIDs(w.chain(alice, 2))
		thread := w.turn(alice, ids[0]).ThreadID
		w.begin(alice) // another thread between
		ids = append(ids, w.start(alice, w.reply(thread, ids[0])).ID)
		after := agent.TurnID("")
		for _, want := range append(ids, "") {
			turn, ok, err := s.NextTurn(as(alice), thread, after)
			w.ok(err)
			if turn.ID != want || ok != (want != "") {
				w.Errorf("after %q comes %q (%v), want %q", after, turn.ID, ok, want)
			}
			after = want
		}
		_, _, err := s.NextTurn(as(alice), thread, "turn_none")
		w.code(err, agent.CodeNotFound, "after an unknown turn")
		_, _, err = s.NextTurn(as(alice), "thread_none", "")
		w.code(err, agent.CodeNotFound, "an unknown thread")
	}},
}
