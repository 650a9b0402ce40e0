package storetest

import (
	"context"

	agent "github.com/lossless-group/in-app-agent"
)

func (w *world) live(turn agent.Turn, events ...agent.Event) []agent.TurnID {
	w.Helper()
	overtaken, err := w.s.AppendLive(context.Background(), []agent.LiveBatch{{Turn: turn.ID, Run: turn.Run, Events: events}})
	w.ok(err)
	return overtaken
}

// told unfolds events into kind, block and text for each seq, and checks that the
// seqs have no gap.
func (w *world) told(events []agent.Event, after agent.Seq) (all string) {
	w.Helper()
	for _, e := range events {
		from := e.Seq
		if e.From != 0 {
			from = e.From
			if from >= e.Seq {
				w.Errorf("From %d is set on an event %d that stands for itself", e.From, e.Seq)
			}
		}
		if from != after+1 {
			w.Errorf("after seq %d comes %d..%d", after, from, e.Seq)
		}
		after = e.Seq
		var d agent.TextDelta
		w.ok(e.Decode(&d))
		all += d.Text
	}
	return all
}

var liveCases = []Case{
	{Name: "live text is kept in order", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		w.live(turn, text(2, "One "), text(3, "two "))
		w.live(turn, text(4, "three"))
		w.same(w.told(w.events(alice, turn.ID), 0), "One two three", "text")
		w.same(w.turn(alice, turn.ID).LastSeq, agent.Seq(4), "last seq")
	}},
	{Name: "live text of many turns and tenants goes in one batch", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		var batches []agent.LiveBatch
		people := []agent.Principal{alice, bob, carol, aliceOther}
		for _, p := range people {
			turn := w.begin(p)
			batches = append(batches, agent.LiveBatch{Turn: turn.ID, Run: 1, Events: []agent.Event{text(2, "for "), text(3, p.UserID+p.OrgID)}})
		}
		overtaken, err := s.AppendLive(context.Background(), batches)
		w.ok(err)
		w.same(len(overtaken), 0, "overtaken turns")
		for i, p := range people {
			w.same(w.told(w.events(p, batches[i].Turn), 0), "for "+p.UserID+p.OrgID, "text")
		}
	}},
	{Name: "seqs with a gap, a double or a step back are refused and nothing is written", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		for what, seqs := range map[string][]agent.Seq{
			"a gap at the front": {3, 4}, "a double at the front": {1, 2}, "a gap inside": {2, 4}, "a double inside": {2, 2}, "a step back": {2, 1},
		} {
			good, bad := w.begin(alice), w.begin(alice)
			var events []agent.Event
			for _, seq := range seqs {
				events = append(events, text(seq, "x"))
			}
			_, err := s.AppendLive(context.Background(), []agent.LiveBatch{
				{Turn: good.ID, Run: 1, Events: []agent.Event{text(2, "good")}}, {Turn: bad.ID, Run: 1, Events: events}})
			w.code(err, agent.CodeInternal, what)
			for _, turn := range []agent.Turn{good, bad} {
				w.same(len(w.events(alice, turn.ID)), 1, what+": events of turn "+string(turn.ID))
				w.same(w.turn(alice, turn.ID).LastSeq, agent.Seq(1), what+": last seq")
			}
		}
	}},
	{Name: "a run that is over appends nothing, and the others of its batch do", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		stale, parked, ended, fresh := w.begin(alice), w.begin(alice), w.begin(alice), w.begin(alice)
		_, err := s.Adopt(as(alice), stale.ID, "owner-2", stale.Run)
		w.ok(err)
		parked, _ = w.parkTurn(alice, parked, 1)
		w.end(alice, ended)
		var batches []agent.LiveBatch
		for _, turn := range []agent.Turn{stale, parked, ended, {ID: "turn_none"}, fresh} {
			batches = append(batches, agent.LiveBatch{Turn: turn.ID, Run: 1, Events: []agent.Event{text(w.lastSeq(turn)+1, "late")}})
		}
		overtaken, err := s.AppendLive(context.Background(), batches)
		w.ok(err)
		w.same(overtaken, []agent.TurnID{stale.ID, parked.ID, ended.ID, "turn_none"}, "overtaken turns")
		for _, turn := range []agent.Turn{stale, parked, ended} {
			for _, e := range w.events(alice, turn.ID) {
				if e.Kind == agent.EventTextDelta {
					w.Errorf("turn %s, whose run is over, has text", turn.ID)
				}
			}
		}
		w.same(w.told(w.events(alice, fresh.ID), 0), "late", "text of the running turn")
	}},
	{Name: "an adopted turn goes on where the store stands", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		w.live(turn, text(2, "old"))
		adopted, err := s.Adopt(as(alice), turn.ID, "owner-2", turn.Run)
		w.ok(err)
		w.live(adopted, text(3, " new"))
		w.same(w.told(w.events(alice, turn.ID), 0), "old new", "text")
		w.same(at(w, w.events(alice, turn.ID), 2).Run, adopted.Run, "run of the new text")
	}},
}

// lastSeq is where a turn stands, 0 for one that is not there.
func (w *world) lastSeq(turn agent.Turn) agent.Seq {
	now, err := w.s.Turn(as(alice), turn.ID)
	if err != nil {
		return 0
	}
	return now.LastSeq
}
