package storetest

import agent "github.com/lossless-group/in-app-agent"

func (w *world) turns(p agent.Principal, q agent.TurnQuery) agent.Page[agent.Turn] {
	w.Helper()
	page, err := w.s.TurnList(as(p), q)
	w.ok(err)
	return page
}

var turnListCases = []Case{
	{Name: "turns are listed newest first, by thread or by state", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		chain := w.chain(alice, 2)
		parked, receipts := w.park(alice, 1)
		running := w.begin(alice)
		w.begin(bob)
		for what, c := range map[string]struct {
			q    agent.TurnQuery
			want []agent.TurnID
		}{
			"all":                  {agent.TurnQuery{}, []agent.TurnID{running.ID, parked.ID, chain[1].ID, chain[0].ID}},
			"of a thread":          {agent.TurnQuery{ThreadID: chain[0].ThreadID}, []agent.TurnID{chain[1].ID, chain[0].ID}},
			"that wait":            {agent.TurnQuery{State: agent.TurnAwaiting}, []agent.TurnID{parked.ID}},
			"that run":             {agent.TurnQuery{State: agent.TurnRunning}, []agent.TurnID{running.ID}},
			"failed":               {agent.TurnQuery{State: agent.TurnFailed}, nil},
			"of a thread and wait": {agent.TurnQuery{ThreadID: parked.ThreadID, State: agent.TurnAwaiting}, []agent.TurnID{parked.ID}},
			"of a thread and run":  {agent.TurnQuery{ThreadID: parked.ThreadID, State: agent.TurnRunning}, nil},
			"of no thread":         {agent.TurnQuery{ThreadID: "thread_none"}, nil},
		} {
			w.same(turnIDs(w.turns(alice, c.q).Items), c.want, "turns "+what)
		}
		inbox := w.turns(alice, agent.TurnQuery{State: agent.TurnAwaiting}).Items
		if len(inbox) != 1 || len(inbox[0].Open) != 1 || inbox[0].Open[0].ReceiptID != receipts[0].ID {
			w.Errorf("the inbox does not tell what waits: %s", show(inbox))
		}
	}},
	{Name: "every page goes on where the one before ended", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		ids := turnIDs(w.chain(alice, 5))
		thread := w.turn(alice, ids[0]).ThreadID
		for _, q := range []agent.TurnQuery{{}, {ThreadID: thread}, {State: agent.TurnComplete}} {
			for _, limit := range []int{1, 2, 4, 5, 6} {
				q.Limit, q.Before = limit, ""
				var got []agent.TurnID
				for {
					page := w.turns(alice, q)
					if len(page.Items) == 0 || len(page.Items) > limit {
						w.Fatalf("limit %d gave %d turns", limit, len(page.Items))
					}
					for _, turn := range page.Items {
						got = append([]agent.TurnID{turn.ID}, got...)
					}
					if page.Next == "" {
						break
					}
					q.Before = agent.TurnID(page.Next)
				}
				w.same(got, ids, "turns over all pages")
			}
		}
	}},
	{Name: "the order is that of acceptance, whatever the clock did", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		first, second := w.message(), w.message()
		first.Turn.CreatedAt, second.Turn.CreatedAt = start+day, start
		w.start(alice, first)
		w.start(alice, second)
		w.same(turnIDs(w.turns(alice, agent.TurnQuery{}).Items), []agent.TurnID{second.Turn.ID, first.Turn.ID}, "turns")
	}},
	{Name: "a page has 50 turns unless it is asked for more, and 200 at most", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		for range 201 {
			w.begin(alice)
		}
		for limit, want := range map[int]int{0: 50, -1: 50, 50: 50, 51: 51, 199: 199, 200: 200, 201: 200} {
			page := w.turns(alice, agent.TurnQuery{Limit: limit})
			if len(page.Items) != want || page.Next == "" {
				w.Errorf("limit %d gave %d turns, next %q; want %d and a next", limit, len(page.Items), page.Next, want)
			}
			threads, err := s.ThreadRowList(as(alice), agent.ThreadQuery{Limit: limit})
			w.ok(err)
			if len(threads.Items) != want || threads.Next == "" {
				w.Errorf("limit %d gave %d threads, next %q; want %d and a next", limit, len(threads.Items), threads.Next, want)
			}
		}
	}},
	{Name: "a state or a place that is none is invalid", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		others := w.begin(bob)
		for what, q := range map[string]agent.TurnQuery{
			"an unknown state": {State: "sleeping"}, "an unknown turn": {Before: "turn_none"}, "another user's turn": {Before: others.ID},
		} {
			_, err := s.TurnList(as(alice), q)
			w.code(err, agent.CodeInvalidInput, what)
		}
	}},
}
