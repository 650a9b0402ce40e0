package storetest

import (
	"context"
	"encoding/json"

	agent "github.com/lossless-group/in-app-agent"
)

// spoilers each make one part of a good milestone fail.
var spoilers = []struct {
	what  string
	code  agent.Code
	spoil func(w *world, m *agent.Milestone, other agent.Milestone)
}{
	{"an event after a gap", agent.CodeInternal, func(_ *world, m *agent.Milestone, _ agent.Milestone) { m.Events[1].Seq = 9 }},
	{"a step that is there", agent.CodeInternal, func(_ *world, m *agent.Milestone, _ agent.Milestone) { m.Step.Index = 7 }},
	{"a call of another turn", agent.CodeInternal, func(_ *world, m *agent.Milestone, other agent.Milestone) { m.Calls[1].ID = other.Calls[1].ID }},
	{"a receipt that is there", agent.CodeInternal, func(_ *world, m *agent.Milestone, other agent.Milestone) { m.Receipts[0].ID = other.Receipts[0].ID }},
	{"a claim that exists", agent.CodeConflict, func(_ *world, m *agent.Milestone, _ agent.Milestone) {
		m.Claims = append(m.Claims, m.Claims[0])
	}},
	{"a settle without a claim", agent.CodeInternal, func(_ *world, m *agent.Milestone, _ agent.Milestone) { m.Settles[0].CallID = "call_none" }},
	{"a settle into no end", agent.CodeInternal, func(_ *world, m *agent.Milestone, _ agent.Milestone) { m.Settles[0].State = agent.LedgerClaimed }},
	{"another turn's transcript", agent.CodeInternal, func(_ *world, m *agent.Milestone, other agent.Milestone) { m.Transcript.ID = other.Transcript.ID }},
	{"a state that does not exist", agent.CodeInternal, func(_ *world, m *agent.Milestone, _ agent.Milestone) { m.State = "sleeping" }},
}

var atomicCases = []Case{
	{Name: "a milestone of which one part fails writes nothing", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		other := w.begin(bob)
		otherMilestone, _ := w.full(other)
		w.ok(s.Commit(as(bob), otherMilestone))
		otherBefore := w.snapshot(bob, other)
		for _, sp := range spoilers {
			turn := w.begin(alice)
			w.ok(s.Commit(as(alice), agent.Milestone{Turn: turn.ID, Run: 1, Step: &agent.Step{Index: 7, Raw: json.RawMessage(`[]`)}}))
			before := w.snapshot(alice, turn)
			m, _ := w.full(turn)
			m.State = agent.TurnAwaiting
			sp.spoil(w, &m, otherMilestone)
			w.code(s.Commit(as(alice), m), sp.code, sp.what)
			w.same(w.snapshot(alice, turn), before, sp.what+": all of the turn")
			_, err := s.Blob(as(alice), m.Calls[0].ID, "abc")
			w.code(err, agent.CodeNotFound, sp.what+": the blob")
		}
		w.same(w.snapshot(bob, other), otherBefore, "all of the other turn")
	}},
	{Name: "a milestone goes on after one that failed", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		m, _ := w.full(turn)
		m.Events[1].Seq = 9
		w.code(s.Commit(as(alice), m), agent.CodeInternal, "a gap")
		m.Events[1].Seq = 3
		w.ok(s.Commit(as(alice), m))
	}},
	{Name: "a cancelled context writes nothing", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		before := w.snapshot(alice, turn)
		ctx, cancel := context.WithCancel(as(alice))
		cancel()
		m, _ := w.full(turn)
		if err := s.Commit(ctx, m); err == nil || ctx.Err() == nil {
			w.Errorf("a cancelled commit gave %v", err)
		}
		w.same(w.snapshot(alice, turn), before, "all of the turn")
	}},
}
