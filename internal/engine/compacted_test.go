package engine_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

// toldTwice is a turn that a second owner took over in the middle of its text, told in
// many small writes.
func toldTwice(t *testing.T, w *world) agent.Turn {
	t.Helper()
	turn := agent.Turn{ID: "turn_told", MessageID: "m", By: "user", Message: agent.Message{Text: "Hi"}, Model: "m", Provider: "p",
		KeySource: agent.KeySourceNone, ProjectID: "book", ProjectKind: "notebook", Owner: "gone", Run: 1, CreatedAt: 1}
	seq := agent.Seq(0)
	event := func(run int64, p agent.Payload) agent.Event {
		seq++
		data, err := json.Marshal(p)
		must(t, err)
		return agent.Event{Seq: seq, Run: run, At: int64(seq), Kind: p.EventKind(), Data: data}
	}
	turn, _, err := w.store.StartTurn(me(), agent.TurnStart{Turn: turn, ContentDigest: "d", Events: []agent.Event{event(1, agent.TurnStarted{Model: "m"})},
		Thread:     agent.Thread{ID: "thread_told", ProjectID: "book", ProjectKind: "notebook", CreatedAt: 1},
		Transcript: agent.TranscriptRow{ID: "turn_told", Model: "m", KeySource: agent.KeySourceNone}})
	must(t, err)
	tell := func(run int64, payloads ...agent.Payload) {
		for _, p := range payloads {
			over, err := w.store.AppendLive(t.Context(), []agent.LiveBatch{{Turn: turn.ID, Run: run, Events: []agent.Event{event(run, p)}}})
			if err != nil || len(over) > 0 {
				t.Fatal(over, err)
			}
		}
	}
	text := func(block int, s string) agent.Payload { return agent.TextDelta{Block: block, Text: s} }
	tell(1, agent.ReasoningDelta{Block: 0, Text: "Hm"}, agent.ReasoningDelta{Block: 0, Text: ", 🙂"}, text(1, "It"), text(1, " is"), text(1, " voi"))
	_, err = w.store.Adopt(me(), turn.ID, "next", 1)
	must(t, err)
	must(t, w.store.Commit(me(), agent.Milestone{Turn: turn.ID, Run: 2, Events: []agent.Event{event(2, agent.StepRestarted{From: 2})}}))
	tell(2, text(0, "Once"), text(0, " more"), agent.Cast{Character: "editor", Active: true}, text(0, " with"), text(0, " feeling"), text(1, "Grüße"), text(1, "!"))
	latency := int64(1)
	must(t, w.store.Commit(me(), agent.Milestone{Turn: turn.ID, Run: 2, State: agent.TurnComplete,
		Events:     []agent.Event{event(2, agent.TurnCompleted{Text: "Grüße!"})},
		Transcript: &agent.TranscriptRow{Model: "m", KeySource: agent.KeySourceNone, LatencyMS: &latency}}))
	ended, err := w.store.Turn(me(), turn.ID)
	must(t, err)
	return ended
}

// meaning folds a stream: neighbouring deltas of a run's block are one text.
func meaning(t *testing.T, events []agent.Event) string {
	t.Helper()
	var said []string
	open := ""
	for _, ev := range events {
		if ev.Kind != agent.EventTextDelta && ev.Kind != agent.EventReasoningDelta {
			data, err := json.Marshal(ev)
			must(t, err)
			said, open = append(said, string(data)), ""
			continue
		}
		var d agent.TextDelta
		must(t, ev.Decode(&d))
		key := fmt.Sprint(ev.Kind, ev.Run, d.Block)
		if key != open {
			said, open = append(said, key+": "), key
		}
		said[len(said)-1] += d.Text
	}
	return strings.Join(said, "\n")
}

// TestACompactedTurnReadsTheSameFromEveryPlace reads a turn after each
// seq, as a client of each run, before its events are compacted and after.
func TestACompactedTurnReadsTheSameFromEveryPlace(t *testing.T) {
	w := newWorld(t)
	turn := toldTwice(t, w)
	read := func() (all []string, events int) {
		for run := range int64(3) {
			for seq := agent.Seq(0); seq <= turn.LastSeq; seq++ {
				var got []agent.Event
				for ev, err := range w.engine.Events(me(), turn.ID, agent.Position{Run: run, Seq: seq}) {
					must(t, err)
					got = append(got, ev)
				}
				if seq == 0 {
					gapless(t, got)
				}
				events += len(got)
				all = append(all, fmt.Sprintf("run %d after %d:\n%s", run, seq, meaning(t, got)))
			}
		}
		return all, events
	}
	before, many := read()
	done, err := w.store.CompactEvents(t.Context(), turn.EndedAt, 10)
	must(t, err)
	if done != (agent.Compacted{Turns: 1, Rows: 15, Left: 9}) {
		t.Errorf("compacted %+v", done)
	}
	after, few := read()
	if few >= many {
		t.Errorf("readers got %d events before and %d after", many, few)
	}
	for i := range before {
		if before[i] != after[i] {
			t.Errorf("before\n%s\nafter\n%s", before[i], after[i])
		}
	}
}
