package account

import (
	"context"
	"iter"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

func TestDeletingStopsWhatRunsBeforeItTakesTheRows(t *testing.T) {
	o := newOffice(t)
	o.engine.active = []agent.Turn{{ID: "tn1", ThreadID: "th1", State: agent.TurnRunning}, {ID: "tn2", ThreadID: "th1", State: agent.TurnAwaiting},
		{ID: "tn3", ThreadID: "th1", State: agent.TurnComplete}, {ID: "tn4", ThreadID: "other", State: agent.TurnRunning}}
	o.engine.stopsWith = []agent.Event{{Kind: agent.EventTextDelta}, {Kind: agent.EventTurnCanceled}, {Kind: agent.EventCast}}
	if err := o.DeleteThread(alice, "th1"); err != nil {
		t.Fatal(err)
	}
	want := []string{"cancel tn2", "text.delta of tn2", "turn.canceled of tn2", "cancel tn1", "text.delta of tn1", "turn.canceled of tn1", "delete th1"}
	if !reflect.DeepEqual(o.done, want) {
		t.Errorf("done %q", o.done)
	}
	if len(o.changes) != 1 || !o.changes[0].Deleted {
		t.Errorf("told %+v", o.changes)
	}
}

func TestATurnThatDoesNotStopKeepsItsRows(t *testing.T) {
	o := newOffice(t)
	o.engine.active = []agent.Turn{{ID: "tn1", ThreadID: "th1", State: agent.TurnRunning}}
	err := o.DeleteThread(alice, "th1")
	if agent.ErrorCode(err) != agent.CodeUnavailable || len(o.store.deleted) != 0 || len(o.changes) != 0 {
		t.Errorf("%v, deleted %v", err, o.store.deleted)
	}
}

// stuck is a turn whose stream tells nothing and ends with its context.
type stuck struct {
	*fakeEngine
	state agent.TurnState
}

func (s stuck) Events(ctx context.Context, _ agent.TurnID, _ agent.Position) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		<-ctx.Done()
		if s.state == "" {
			yield(agent.Event{}, ctx.Err())
		}
	}
}

func (s stuck) Turn(context.Context, agent.TurnID) (agent.Turn, error) {
	return agent.Turn{State: s.state}, nil
}

func TestWaitingForATurnToStopHasAnEnd(t *testing.T) {
	for state, ok := range map[agent.TurnState]bool{"": false, agent.TurnCanceled: true, agent.TurnRunning: false} {
		synctest.Test(t, func(t *testing.T) {
			o := newOffice(t)
			o.engine.active = []agent.Turn{{ID: "tn1", ThreadID: "th1", State: agent.TurnRunning}}
			o.Agent = stuck{o.engine, state}
			begun := time.Now()
			err := o.DeleteThread(alice, "th1")
			if (err == nil) != ok || time.Since(begun) != stopTimeout {
				t.Errorf("%s: after %v: %v", state, time.Since(begun), err)
			}
		})
	}
}

func TestWhoLostTheProjectMayStillDelete(t *testing.T) {
	o := newOffice(t)
	o.host.open["p1"] = false
	if err := o.DeleteThread(alice, "th1"); err != nil || len(o.store.deleted) != 1 {
		t.Errorf("%v", err)
	}
}

func TestFaultsWhileDeletingAreTold(t *testing.T) {
	o := newOffice(t)
	o.engine.active = []agent.Turn{{ID: "tn1", ThreadID: "th1", State: agent.TurnRunning}}
	o.engine.err = agent.Errorf(agent.CodeStorageBusy, "Busy.")
	refused(t, "the agent", o.DeleteThread(alice, "th1"), agent.CodeStorageBusy, "")
	o = newOffice(t)
	o.store.err = agent.Errorf(agent.CodeStorageFull, "Full.")
	refused(t, "the store", o.DeleteThread(alice, "th1"), agent.CodeStorageFull, "")
}
