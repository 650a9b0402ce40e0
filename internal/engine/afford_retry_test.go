package engine_test

import (
	"context"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

func TestACallThatIsTriedAgainIsReservedOnceAtATime(t *testing.T) {
	w := priced(t)
	var held []int64
	w.model.raw = streams(func(ctx context.Context, req agent.ModelRequest, yield func(agent.Delta, error) bool) {
		held = append(held, w.count(`SELECT count(*) FROM budget_ledger WHERE state = 'held'`))
		if len(held) < 3 {
			yield(agent.Delta{}, &agent.Error{Code: agent.CodeOverloaded, Message: "busy", Retryable: true, RetryAfter: time.Millisecond})
			return
		}
		answers("fine")(ctx, req, yield)
	})
	w.end(w.say("", "Hello").ID)
	if len(held) != 3 || held[0] != 1 || held[1] != 1 || held[2] != 1 {
		t.Errorf("reservations at each try: %v", held)
	}
	if sum := w.usage().Total; sum.Calls != 3 || sum.Cost != cent || sum.EstimatedCalls != 0 {
		t.Errorf("the month holds %+v", sum)
	}
	w.nothingHeld()
}

func TestACapabilitysBudgetBoundsTheCallsThatItMakesAndNoOthers(t *testing.T) {
	w := priced(t)
	none := agent.NanoUSD(0)
	w.budgets(agent.Budget{Scope: agent.BudgetCapability, Subject: "note.draft", HardCost: &none})
	w.model.play(calls("note.draft", `{"id":"a"}`), says("I could not."))
	events := w.end(w.say("", "Draft it").ID)
	done := last[agent.CapabilityDone](t, events, agent.EventCapabilityDone)
	if done.OK || done.Error == nil || done.Error.Code != agent.CodeBudgetExceeded || events[len(events)-1].Kind != agent.EventTurnCompleted {
		t.Fatalf("%+v, %v", done.Error, kinds(events))
	}
	w.budgets()
	w.model.play(calls("note.draft", `{"id":"a"}`), scripted.Round{Text: scripted.Text{"drafted"}}, says("Done."))
	w.end(w.say("", "Draft it").ID)
	r, err := w.store.UsageOfOrg(me(), agent.BudgetMonth(w.clock.Now().UnixMilli()))
	must(t, err)
	if len(r.Capabilities) != 1 || r.Capabilities[0].Subject != "note.draft" || r.Capabilities[0].Calls != 1 || r.Total.Calls != 5 {
		t.Errorf("%+v", r)
	}
	w.nothingHeld()
}
