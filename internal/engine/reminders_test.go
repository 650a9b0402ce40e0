package engine_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

// minutes are reminder files that a test edits.
type minutes struct {
	mu    sync.Mutex
	text  string
	err   error
	asked []string // orgs
}

func (m *minutes) set(text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.text = text
}

func (m *minutes) ReminderList(ctx context.Context) ([]agent.Reminder, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, err := agent.PrincipalFrom(ctx)
	if err != nil {
		return nil, err
	}
	m.asked = append(m.asked, p.OrgID)
	return []agent.Reminder{{File: agent.ReminderDecisions, Text: m.text, Version: 1}, {File: agent.ReminderGotchas}}, m.err
}

func withMinutes(m *minutes) func(*world) { return func(w *world) { w.said = m } }

// slabs gives the third slab of every request, and whether the two before are the same
// in all of them.
func slabs(t *testing.T, requests []agent.ModelRequest) (third []string) {
	t.Helper()
	for _, r := range requests {
		if len(r.System) != 2 || r.System[0] != requests[0].System[0] || !r.System[1].Cache {
			t.Fatalf("the slabs are %+v", r.System)
		}
		third = append(third, r.System[1].Text)
	}
	return third
}

func TestTheRemindersStandInEveryPromptAndChangeItOnlyWhereTheyWereEdited(t *testing.T) {
	m := &minutes{text: "We say islanders."}
	w := newWorld(t, withMinutes(m))
	first := w.say("", "One")
	w.end(first.ID)
	for _, words := range []string{"Two", "Three"} {
		w.clock.add(25 * time.Hour)
		w.end(w.say(first.ThreadID, words).ID)
	}
	m.set("We say guests.")
	w.end(w.say(first.ThreadID, "Four").ID)
	third := slabs(t, w.model.seen())
	if len(third) != 4 || !strings.Contains(third[0], "## our_decisions\n\nWe say islanders.\n") || strings.Contains(third[0], "gotchas") {
		t.Fatalf("%q", third)
	}
	if third[1] != third[0] || third[2] != third[0] {
		t.Errorf("the third slab changed between turns: %q", third)
	}
	if !strings.Contains(third[3], "We say guests.") || strings.Contains(third[3], "islanders") {
		t.Errorf("an edit is not seen: %q", third[3])
	}
	for _, org := range m.asked {
		if org != orgID {
			t.Errorf("the reminders of %s were asked for", org)
		}
	}
}

func TestAnEditInTheMiddleOfARunIsSeenByTheNextRun(t *testing.T) {
	m := &minutes{text: "before"}
	w := newWorld(t, withMinutes(m))
	w.model.play(calls("note.read", `{"id":"a"}`))
	w.model.playFunc(func(agent.ModelRequest) (scripted.Round, error) {
		m.set("after")
		return calls("note.write", `{"id":"a","text":"new"}`), nil
	})
	turn := w.say("", "Edit a")
	events := w.read(turn.ID, agent.EventPreview)
	if third := slabs(t, w.model.seen()); len(third) != 2 || third[0] != third[1] || !strings.Contains(third[0], "before") {
		t.Errorf("the steps of a run say %q", third)
	}
	_, err := w.decide(events, agent.AnswerAccept)
	must(t, err)
	w.end(turn.ID)
	if third := slabs(t, w.model.seen()); len(third) != 3 || !strings.Contains(third[2], "after") {
		t.Errorf("the run after the decision says %q", third)
	}
}

func TestWithoutItsRemindersATurnAsksNoModel(t *testing.T) {
	m := &minutes{text: "We say islanders.", err: agent.Errorf(agent.CodeInternal, "broken")}
	w := newWorld(t, withMinutes(m))
	failed := last[agent.TurnFailedData](t, w.end(w.say("", "One").ID), agent.EventTurnFailed)
	if failed.Code != agent.CodeInternal || len(w.model.seen()) != 0 {
		t.Errorf("%+v, %d requests", failed, len(w.model.seen()))
	}
}
