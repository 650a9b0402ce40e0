package storetest

import (
	"context"
	"sync"

	agent "github.com/lossless-group/in-app-agent"
)

var ownerCases = []Case{
	{Name: "adopting raises the run and fences the old owner out", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		adopted, err := s.Adopt(as(alice), turn.ID, "owner-2", turn.Run)
		w.ok(err)
		if adopted.Run != turn.Run+1 || adopted.Owner != "owner-2" || adopted.State != agent.TurnRunning {
			w.Errorf("adopted turn: %s", show(adopted))
		}
		w.same(w.turn(alice, turn.ID), adopted, "the turn that was returned and the one that is read")
		w.code(s.Commit(as(alice), agent.Milestone{Turn: turn.ID, Run: turn.Run, State: agent.TurnFailed}), agent.CodeConflict, "the old owner's milestone")
		w.same(w.live(turn, text(2, "late")), []agent.TurnID{turn.ID}, "the old owner's text")
		w.end(alice, adopted)
	}},
	{Name: "only a running turn in the run that was seen is adopted", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		own, ended := w.begin(alice), w.begin(alice)
		parked, _ := w.park(alice, 1)
		w.end(alice, ended)
		for what, c := range map[string]struct {
			id    agent.TurnID
			owner string
			run   int64
			code  agent.Code
		}{
			"an earlier run": {own.ID, "owner-2", 0, agent.CodeConflict},
			"a later run":    {own.ID, "owner-2", 2, agent.CodeConflict},
			"parked":         {parked.ID, "owner-2", parked.Run, agent.CodeConflict},
			"ended":          {ended.ID, "owner-2", ended.Run, agent.CodeConflict},
			"no turn":        {"turn_none", "owner-2", 1, agent.CodeNotFound},
			"no owner":       {own.ID, "", 1, agent.CodeInternal},
		} {
			_, err := s.Adopt(as(alice), c.id, c.owner, c.run)
			w.code(err, c.code, what)
		}
		for _, id := range []agent.TurnID{own.ID, parked.ID, ended.ID} {
			w.same(w.turn(alice, id).Run, int64(1), "run")
		}
	}},
	{Name: "a process adopts a turn of its own that it lost", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		adopted, err := s.Adopt(as(alice), turn.ID, owner, turn.Run)
		w.ok(err)
		w.same(adopted.Run, turn.Run+1, "run")
		w.code(s.Commit(as(alice), agent.Milestone{Turn: turn.ID, Run: turn.Run, State: agent.TurnFailed}), agent.CodeConflict, "the lost run's milestone")
		w.end(alice, adopted)
	}},
	{Name: "a stop is kept with the running turn that it was told, and the first one counts", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn, ended := w.begin(alice), w.begin(alice)
		parked, _ := w.park(alice, 1)
		w.end(alice, ended)
		for _, id := range []agent.TurnID{turn.ID, parked.ID, ended.ID} {
			w.ok(s.StopTurn(as(alice), id, "alice"))
			w.ok(s.StopTurn(as(alice), id, "somebody else"))
		}
		adopted, err := s.Adopt(as(alice), turn.ID, "owner-2", turn.Run)
		w.ok(err)
		w.same(adopted.StopBy, "alice", "who stopped the turn")
		w.same(w.turn(alice, parked.ID).StopBy, "", "who stopped a parked turn")
		w.same(w.turn(alice, ended.ID).StopBy, "", "who stopped an ended turn")
		w.code(s.StopTurn(as(alice), "turn_none", "alice"), agent.CodeNotFound, "no turn")
	}},
	{Name: "of many that adopt for one process at once, one does", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		var wg sync.WaitGroup
		var mu sync.Mutex
		won := 0
		for range 20 {
			wg.Go(func() {
				_, err := s.Adopt(as(alice), turn.ID, "owner-2", turn.Run)
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					won++
				} else {
					w.code(err, agent.CodeConflict, "a late adoption")
				}
			})
		}
		wg.Wait()
		w.same(won, 1, "adoptions")
		w.same(w.turn(alice, turn.ID).Run, turn.Run+1, "run")
	}},
	{Name: "orphans are the running turns of other owners, of every tenant", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		ctx := context.Background()
		var want []agent.TurnID
		for _, p := range []agent.Principal{alice, carol} {
			want = append(want, w.begin(p).ID)
		}
		w.park(alice, 1)
		w.end(alice, w.begin(alice))
		mine := w.message()
		mine.Turn.Owner = "owner-2"
		w.start(bob, mine)
		w.ok(s.RegisterOwner(ctx, "owner-2", start))
		list, err := s.Orphans(ctx, "owner-2")
		w.ok(err)
		var got []agent.TurnID
		for _, turn := range list {
			got = append(got, turn.ID)
			if turn.OrgID == "" || turn.UserID == "" {
				w.Errorf("orphan %s says not whose it is", turn.ID)
			}
		}
		w.same(got, want, "orphans")
		for _, turn := range list {
			_, err := s.Adopt(as(agent.Principal{OrgID: turn.OrgID, UserID: turn.UserID}), turn.ID, "owner-2", turn.Run)
			w.ok(err)
		}
		list, err = s.Orphans(ctx, "owner-2")
		w.ok(err)
		w.same(len(list), 0, "orphans after they were adopted")
	}},
	{Name: "an owner registers before it renews", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		ctx := context.Background()
		w.code(s.RenewOwner(ctx, "owner-1", start), agent.CodeNotFound, "renewing without a row")
		w.ok(s.RegisterOwner(ctx, "owner-1", start))
		w.ok(s.RenewOwner(ctx, "owner-1", start+1))
		w.ok(s.RegisterOwner(ctx, "owner-1", start+2))
	}},
}
