package account

import (
	"context"
	"fmt"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/prompt"
)

// StepTraces gives the store's traces as a path of turns tn1, tn2 and so on; those in
// quiet made no model call.
func (f *fakeStore) StepTraces(_ context.Context, _ agent.ThreadID, before agent.TurnID, limit int) ([]agent.StepTrace, []agent.TurnID, error) {
	f.traceLimit = limit
	var turns []agent.TurnID
	for i := range f.traced {
		id := agent.TurnID(fmt.Sprint("tn", i+1))
		if id == before {
			break
		}
		turns = append(turns, id)
	}
	turns = turns[max(0, len(turns)-limit):]
	var steps []agent.StepTrace
	for _, id := range turns {
		if f.quiet != id {
			steps = append(steps, agent.StepTrace{TurnID: id, Model: "m", Provider: "p", Trace: &agent.PromptTrace{
				Segments: []agent.Segment{{Name: agent.SegmentSpine, Hash: f.spine[id]}}}})
		}
	}
	return steps, turns, f.err
}

func TestACacheReportComparesAlsoTheFirstCallOfAPage(t *testing.T) {
	o := newOffice(t)
	o.store.traced, o.store.quiet = 30, "tn27"
	o.store.spine = map[agent.TurnID]string{"tn29": "other"}
	report, err := o.CacheReport(alice, "th1", "", 3)
	if err != nil || report.ThreadID != "th1" || report.Before != "tn28" || len(report.Steps) != 3 {
		t.Fatalf("%+v, %v", report, err)
	}
	for i, want := range []int{0, 1, 1} { // of another spine, and back
		if got := report.Steps[i]; len(got.Findings) != want {
			t.Errorf("step %d: %+v", i, got.Findings)
		}
	}
	report, err = o.CacheReport(alice, "th1", "tn3", 3)
	if err != nil || report.Before != "" || len(report.Steps) != 2 || report.Steps[0].Findings[0].Cause != agent.CacheFirstCall {
		t.Errorf("the oldest page: %+v, %v", report, err)
	}
}

func TestACacheReportHasItsLimitsAndItsOwner(t *testing.T) {
	o := newOffice(t)
	for limit, want := range map[int]int{0: defaultTurns, 1: 1, 100: 100} {
		if _, err := o.CacheReport(alice, "th1", "", limit); err != nil || o.store.traceLimit != want+prompt.LeadTurns {
			t.Errorf("limit %d reads %d turns, %v", limit, o.store.traceLimit, err)
		}
	}
	for _, limit := range []int{-1, 101} {
		_, err := o.CacheReport(alice, "th1", "", limit)
		refused(t, fmt.Sprint("limit ", limit), err, agent.CodeInvalidInput, "/limit")
	}
	_, err := o.CacheReport(bob, "th1", "", 5)
	refused(t, "another user", err, agent.CodeNotFound, "")
	o.host.open["p1"] = false
	_, err = o.CacheReport(alice, "th1", "", 5)
	refused(t, "a project that closed", err, agent.CodeNotFound, "")
}
