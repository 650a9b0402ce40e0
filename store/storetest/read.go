package storetest

import (
	"encoding/json"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

var readCases = []Case{
	{Name: "a reader may begin between any two deltas", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		parts := []string{"Grü", "ße ", "", "世", "界 <b>&", "\"x\\\"\n", "🙂"}
		var events []agent.Event
		for i, p := range parts {
			events = append(events, text(agent.Seq(i+2), p))
		}
		w.live(turn, events...)
		for after := range len(parts) + 2 {
			list, err := s.EventsAfter(as(alice), turn.ID, agent.Seq(after), 100)
			w.ok(err)
			w.same(w.told(list, agent.Seq(after)), strings.Join(parts[max(after-1, 0):], ""), "text after "+string(rune('0'+after)))
		}
	}},
	{Name: "deltas of one block become few events", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		var events []agent.Event
		for i := range 100 {
			events = append(events, text(agent.Seq(i+2), "word "))
		}
		w.live(turn, events...)
		list := w.events(alice, turn.ID)
		w.same(w.told(list, 0), strings.Repeat("word ", 100), "text")
		if len(list) > 10 {
			w.Errorf("100 deltas of one batch are read as %d events", len(list)-1)
		}
	}},
	{Name: "deltas of other blocks and kinds stay apart", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		events := []agent.Event{
			event(2, agent.ReasoningDelta{Block: 0, Text: "hm"}), event(3, agent.TextDelta{Block: 0, Text: "a"}),
			event(4, agent.TextDelta{Block: 1, Text: "b"}), event(5, agent.CapabilityProgress{CallID: "c", Message: "half"}),
			event(6, agent.CapabilityProgress{CallID: "c", Message: "done"}), event(7, agent.Cast{Character: "x"}),
			event(8, agent.TextDelta{Block: 1, Text: "c"}),
		}
		w.live(turn, events...)
		for i := range events {
			events[i].Turn, events[i].Thread = turn.ID, turn.ThreadID
		}
		w.same(rest(w, w.events(alice, turn.ID)), events, "events")
	}},
	{Name: "an event comes back byte for byte", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		m := agent.Milestone{Turn: turn.ID, Run: 1}
		for i, data := range []string{`{ "spaced" : [1, 2,3] }`, `{"html":"<b>&amp;</b>"}`, `{"big":12345678901234567890,"e":1e3}`, `null`, `{"u":"\u00e9\ud83d"}`} {
			m.Events = append(m.Events, agent.Event{Seq: agent.Seq(i + 2), Run: 1, At: start + int64(i), Kind: "future.kind", Data: json.RawMessage(data),
				Turn: turn.ID, Thread: turn.ThreadID})
		}
		w.ok(s.Commit(as(alice), m))
		w.same(rest(w, w.events(alice, turn.ID)), m.Events, "events")
	}},
	{Name: "events are read page by page without a gap or a double", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		for seq := agent.Seq(2); seq < 12; seq += 2 {
			w.live(turn, text(seq, "a"), event(seq+1, agent.Cast{Character: "c"}))
		}
		for _, limit := range []int{1, 2, 3, 10, 11, 12} {
			after, n := agent.Seq(0), 0
			for {
				list, err := s.EventsAfter(as(alice), turn.ID, after, limit)
				w.ok(err)
				if len(list) > limit {
					w.Fatalf("limit %d gave %d events", limit, len(list))
				}
				if len(list) == 0 {
					break
				}
				for _, e := range list {
					if e.Seq != after+1 {
						w.Fatalf("limit %d: after seq %d comes %d", limit, after, e.Seq)
					}
					after, n = e.Seq, n+1
				}
			}
			w.same(n, 11, "events in all")
		}
	}},
	{Name: "nothing comes after the last event, and nothing at limit 0", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		for _, c := range []struct {
			after agent.Seq
			limit int
		}{{1, 10}, {99, 10}, {0, 0}, {0, -1}} {
			list, err := s.EventsAfter(as(alice), turn.ID, c.after, c.limit)
			w.ok(err)
			w.same(len(list), 0, "events")
		}
		_, err := s.EventsAfter(as(alice), "turn_none", 0, 10)
		w.code(err, agent.CodeNotFound, "events of an unknown turn")
	}},
	{Name: "deltas at the front of a milestone can be begun between, too", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		m := agent.Milestone{Turn: turn.ID, Run: 1, State: agent.TurnComplete,
			Events: []agent.Event{text(2, "a"), text(3, "b"), text(4, "c"), event(5, agent.TurnCompleted{Text: "abc"})}}
		w.ok(s.Commit(as(alice), m))
		list, err := s.EventsAfter(as(alice), turn.ID, 3, 10)
		w.ok(err)
		if len(list) != 2 || list[0].Seq != 4 || list[0].From != 0 || list[1].Kind != agent.EventTurnCompleted {
			w.Errorf("after 3: %s", show(list))
		}
	}},
}
