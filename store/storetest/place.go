package storetest

import agent "github.com/lossless-group/in-app-agent"

var placeCases = []Case{
	{Name: "a turn continues at the head unless it names a parent", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		root := w.begin(alice)
		w.end(alice, root)
		second := w.start(alice, w.reply(root.ThreadID, ""))
		w.end(alice, second)
		branch := w.start(alice, w.reply(root.ThreadID, root.ID))
		w.end(alice, branch)
		onBranch := w.start(alice, w.reply(root.ThreadID, ""))
		w.end(alice, onBranch)
		anew := w.start(alice, w.reply(root.ThreadID, agent.RootTurn))
		for _, c := range []struct {
			turn           agent.Turn
			parent         agent.TurnID
			index, ordinal int
		}{
			{root, "", 0, 1}, {second, root.ID, 1, 2}, {branch, root.ID, 1, 3}, {onBranch, branch.ID, 2, 4}, {anew, "", 0, 5},
		} {
			if c.turn.Parent != c.parent || c.turn.Index != c.index || c.turn.Ordinal != c.ordinal {
				w.Errorf("turn %s: parent %q, index %d, ordinal %d; want %q, %d, %d",
					c.turn.ID, c.turn.Parent, c.turn.Index, c.turn.Ordinal, c.parent, c.index, c.ordinal)
			}
		}
		th, err := s.ThreadRow(as(alice), root.ThreadID)
		w.ok(err)
		w.same(th.Head, anew.ID, "head")
		w.same(th.UpdatedAt, anew.CreatedAt, "time of the last activity")
	}},
	{Name: "a depth that is not the parent's + 1 is refused", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		root := w.begin(alice)
		w.end(alice, root)
		for _, c := range []struct {
			depth int
			fine  bool
		}{{2, false}, {1, true}} {
			m := w.reply(root.ThreadID, root.ID)
			m.Turn.Index = c.depth
			_, _, err := s.StartTurn(as(alice), m)
			if c.fine {
				w.ok(err)
			} else {
				w.code(err, agent.CodeInternal, "a wrong depth")
			}
		}
	}},
	{Name: "a thread or a parent that is not there is not found", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		one, two := w.begin(alice), w.begin(alice)
		w.end(alice, one)
		w.end(alice, two)
		for what, m := range map[string]agent.TurnStart{
			"an unknown thread":          w.reply("thread_none", ""),
			"an unknown parent":          w.reply(one.ThreadID, "turn_none"),
			"a parent of another thread": w.reply(one.ThreadID, two.ID),
		} {
			_, _, err := s.StartTurn(as(alice), m)
			w.code(err, agent.CodeNotFound, what)
			_, err = s.Turn(as(alice), m.Turn.ID)
			w.code(err, agent.CodeNotFound, what+": its turn")
		}
	}},
	{Name: "a thread stays in its project", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		root := w.begin(alice)
		w.end(alice, root)
		m := w.reply(root.ThreadID, "")
		m.Turn.ProjectID = "another"
		_, _, err := s.StartTurn(as(alice), m)
		w.code(err, agent.CodeNotFound, "the thread, under another project")
	}},
	{Name: "a thread id is taken once", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		root := w.begin(alice)
		m := w.message()
		m.Thread.ID = root.ThreadID
		_, _, err := s.StartTurn(as(alice), m)
		w.code(err, agent.CodeConflict, "a taken thread id")
	}},
	{Name: "a thread has one turn that runs or waits", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		root := w.begin(alice)
		_, _, err := s.StartTurn(as(alice), w.reply(root.ThreadID, root.ID))
		w.code(err, agent.CodeTurnInProgress, "while a turn runs")
		w.parkTurn(alice, root, 1)
		_, _, err = s.StartTurn(as(alice), w.reply(root.ThreadID, root.ID))
		w.code(err, agent.CodeTurnInProgress, "while a turn waits")
		w.begin(alice) // another thread does not wait
	}},
	{Name: "each end of a turn lets the thread go on", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		for _, state := range []agent.TurnState{agent.TurnComplete, agent.TurnFailed, agent.TurnCanceled} {
			m := w.ending(alice, turn)
			m.State = state
			w.ok(s.Commit(as(alice), m))
			turn = w.start(alice, w.reply(turn.ThreadID, ""))
		}
	}},
}
