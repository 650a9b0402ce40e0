package storetest

import (
	agent "github.com/lossless-group/in-app-agent"
)

// compacts is a milestone by which a running turn makes the turns through another one
// shorter.
func (w *world) compacts(turn, through agent.Turn, text string) agent.Milestone {
	id := w.id("compaction")
	return agent.Milestone{Turn: turn.ID, Run: turn.Run, Compaction: &agent.Compaction{
		ID: id, ThreadID: turn.ThreadID, TurnID: turn.ID, Through: through.ID, ThroughIndex: through.Index, Text: text,
		Window: 32_768, TokensBefore: 21_000, TokensAfter: 9_000, At: start,
	}}
}

func (w *world) compaction(p agent.Principal, id agent.TurnID, limit int) (agent.Compaction, int, bool) {
	w.Helper()
	c, between, ok, err := w.s.Compaction(as(p), id, limit)
	w.ok(err)
	return c, between, ok
}

var compactionCases = []Case{
	{Name: "the nearest compaction above a turn is found, with how far it is", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turns := w.chain(alice, 5)
		leaf := w.start(alice, w.reply(turns[0].ThreadID, ""))
		if _, _, ok := w.compaction(alice, leaf.ID, 100); ok {
			w.Errorf("a compaction was found where there is none")
		}
		first := w.compacts(leaf, turns[0], "one")
		w.ok(s.Commit(as(alice), first))
		second := w.compacts(leaf, turns[2], "two\n- lines ✓")
		w.ok(s.Commit(as(alice), second))
		got, between, ok := w.compaction(alice, leaf.ID, 100)
		if !ok || between != 2 {
			w.Errorf("found %v with %d turns between, want 2", ok, between)
		}
		w.same(got, *second.Compaction, "compaction")
		got, between, ok = w.compaction(alice, turns[2].ID, 100)
		if !ok || between != 1 {
			w.Errorf("above the turn: found %v with %d turns between, want 1", ok, between)
		}
		w.same(got, *first.Compaction, "compaction above the turn that another goes through")
		if _, _, ok := w.compaction(alice, turns[0].ID, 100); ok {
			w.Errorf("a compaction was found above the root")
		}
	}},
	{Name: "a compaction is looked for within the limit only", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turns := w.chain(alice, 4)
		leaf := w.start(alice, w.reply(turns[0].ThreadID, ""))
		w.ok(s.Commit(as(alice), w.compacts(leaf, turns[1], "x")))
		for limit, want := range map[int]bool{0: false, 2: false, 3: true, 4: true} {
			if _, _, ok := w.compaction(alice, leaf.ID, limit); ok != want {
				w.Errorf("at limit %d it is found: %v", limit, ok)
			}
		}
	}},
	{Name: "of two compactions through one turn the newer counts", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turns := w.chain(alice, 2)
		leaf := w.start(alice, w.reply(turns[0].ThreadID, ""))
		w.ok(s.Commit(as(alice), w.compacts(leaf, turns[1], "old")))
		w.ok(s.Commit(as(alice), w.compacts(leaf, turns[1], "new")))
		got, _, _ := w.compaction(alice, leaf.ID, 10)
		w.same(got.Text, "new", "text")
	}},
	{Name: "a branch has the compactions of its own path only", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turns := w.chain(alice, 3)
		w.ok(s.Commit(as(alice), w.compacts(w.begun(alice, turns[0].ThreadID), turns[1], "main")))
		branch := w.branch(alice, turns[0])
		if _, _, ok := w.compaction(alice, branch.ID, 10); ok {
			w.Errorf("a branch sees a compaction through a turn that it does not follow")
		}
	}},
	{Name: "a compaction goes through a turn of its thread", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn, other, theirs := w.begin(alice), w.begin(alice), w.begin(bob)
		for _, through := range []agent.Turn{other, theirs, {ID: "turn_none"}} {
			w.code(s.Commit(as(alice), w.compacts(turn, through, "x")), agent.CodeInternal, "through "+string(through.ID))
		}
		wrong := turn
		wrong.Index = 7
		w.code(s.Commit(as(alice), w.compacts(turn, wrong, "x")), agent.CodeInternal, "with another index")
	}},
	{Name: "a compaction is its user's", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		for _, p := range []agent.Principal{bob, aliceOther} {
			_, _, _, err := s.Compaction(as(p), turn.ID, 10)
			w.code(err, agent.CodeNotFound, "compaction of "+p.UserID+" in "+p.OrgID)
		}
	}},
	{Name: "the step before which results are cut is kept with the turn", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		w.ok(s.Commit(as(alice), agent.Milestone{Turn: turn.ID, Run: 1, CutBefore: 3}))
		w.same(w.turn(alice, turn.ID).CutBefore, 3, "cut before")
		w.ok(s.Commit(as(alice), agent.Milestone{Turn: turn.ID, Run: 1, Events: []agent.Event{text(2, "x")}}))
		w.same(w.turn(alice, turn.ID).CutBefore, 3, "cut before, after another milestone")
	}},
}

// begun starts a turn at the head of a thread.
func (w *world) begun(p agent.Principal, thread agent.ThreadID) agent.Turn {
	w.Helper()
	return w.start(p, w.reply(thread, ""))
}

// branch starts a turn under an earlier one, once the thread's running turn has ended.
func (w *world) branch(p agent.Principal, parent agent.Turn) agent.Turn {
	w.Helper()
	for _, t := range w.turns(p, agent.TurnQuery{ThreadID: parent.ThreadID, State: agent.TurnRunning}).Items {
		w.end(p, t)
	}
	return w.start(p, w.reply(parent.ThreadID, parent.ID))
}
