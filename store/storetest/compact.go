package storetest

import (
	"context"
	"encoding/json"

	agent "github.com/lossless-group/in-app-agent"
)

// told folds events into what they say: milestones as they are, and the text of each
// run's blocks. Two streams that fold to the same mean the same.
func told(w *world, events []agent.Event) (said []string) {
	w.Helper()
	for _, e := range events {
		if !e.Kind.Live() {
			data, _ := json.Marshal(e)
			said = append(said, string(data))
			continue
		}
		var d agent.TextDelta
		w.ok(e.Decode(&d))
		key, _ := json.Marshal([]any{e.Kind, e.Run, d.Block, ""})
		mark := string(key[:len(key)-3])
		if n := len(said); n > 0 && len(said[n-1]) >= len(mark) && said[n-1][:len(mark)] == mark {
			said[n-1] += d.Text
			continue
		}
		said = append(said, mark+d.Text)
	}
	return said
}

func (w *world) compact(endedBy int64, limit int) agent.Compacted {
	w.Helper()
	done, err := w.s.CompactEvents(context.Background(), endedBy, limit)
	w.ok(err)
	return done
}

// talk tells a turn in many small writes: two blocks, reasoning, a milestone between,
// and ends it.
func (w *world) talk(p agent.Principal) agent.Turn {
	w.Helper()
	turn := w.begin(p)
	seq := agent.Seq(2)
	tell := func(payload agent.Payload) {
		w.same(len(w.live(turn, event(seq, payload))), 0, "overtaken")
		seq++
	}
	for _, s := range []string{"Think", "ing "} {
		tell(agent.ReasoningDelta{Block: 0, Text: s})
	}
	for _, s := range []string{"Grüße", " ", "世界", " 🙂", ""} {
		tell(agent.TextDelta{Block: 1, Text: s})
	}
	w.ok(w.s.Commit(as(p), agent.Milestone{Turn: turn.ID, Run: 1, Events: []agent.Event{event(seq, agent.CapabilityStarted{CallID: "c", Name: "slide.read"})}}))
	seq++
	for _, s := range []string{"more", " of", " it"} {
		tell(agent.TextDelta{Block: 2, Text: s})
	}
	tell(agent.TextDelta{Block: 3, Text: "alone"})
	return w.finished(p, turn)
}

var compactCases = []Case{
	{Name: "a reader who begins anywhere gets the same words after as before", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.talk(alice)
		whole := w.events(alice, turn.ID)
		before := map[agent.Seq][]string{}
		for after := agent.Seq(0); after <= turn.LastSeq; after++ {
			list, err := s.EventsAfter(as(alice), turn.ID, after, 1000)
			w.ok(err)
			before[after] = told(w, list)
		}
		done := w.compact(turn.EndedAt, 10)
		w.same(done, agent.Compacted{Turns: 1, Rows: len(whole), Left: len(whole) - 7}, "what was done")
		w.same(len(w.events(alice, turn.ID)), len(whole)-7, "rows after")
		for after, want := range before {
			list, err := s.EventsAfter(as(alice), turn.ID, after, 1000)
			w.ok(err)
			w.same(told(w, list), want, "what a reader gets")
			next := after + 1
			for _, e := range list {
				first := e.Seq
				if e.From != 0 {
					first = e.From
				}
				w.same(first, next, "the first seq that an event covers")
				next = e.Seq + 1
			}
			w.same(next, max(turn.LastSeq, after)+1, "the last seq that is covered")
		}
	}},
	{Name: "only turns that ended by then are compacted, once and within the limit", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		runs := w.begin(alice)
		w.live(runs, text(2, "a"))
		w.live(runs, text(3, "b"))
		one := w.talk(alice)
		w.talk(carol)
		w.same(w.compact(one.EndedAt-1, 10).Turns, 0, "before its time")
		w.same(w.compact(one.EndedAt+day, 0).Turns, 0, "at a limit of none")
		w.same(w.compact(one.EndedAt+day, 1).Turns, 1, "at a limit of one")
		w.same(w.compact(one.EndedAt+day, 10).Turns, 1, "the other one")
		w.same(w.compact(one.EndedAt+day, 10), agent.Compacted{}, "again")
		w.same(len(w.events(alice, runs.ID)), 3, "events of a turn that goes on")
		w.same(len(w.live(runs, text(4, "c"))), 0, "a turn that goes on was overtaken")
	}},
	{Name: "the runs of a turn stay apart", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		w.live(turn, text(2, "void"))
		w.live(turn, text(3, "ed"))
		_, err := s.Adopt(as(alice), turn.ID, "owner-2", 1)
		w.ok(err)
		next := turn
		next.Run = 2
		w.live(next, text(4, "said"))
		w.live(next, text(5, " again"))
		ended := w.finished(alice, turn)
		w.same(w.compact(ended.EndedAt, 10).Left, 4, "rows that are left")
		list := w.events(alice, turn.ID)
		w.same([]int64{list[1].Run, list[2].Run}, []int64{1, 2}, "runs of the two texts")
		w.same(told(w, list[1:2]), told(w, []agent.Event{event(3, agent.TextDelta{Text: "voided"})}), "the words of the first run")
	}},
}
