package api

import (
	"net/http"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/e2e/harness"
)

// remember accepts a preview for good and gives the outcome.
func remember(t *testing.T, u *harness.User, turn agent.TurnID, p agent.PreviewShown) agent.Outcome {
	t.Helper()
	d := harness.Decision(turn, agent.AnswerAccept, p)
	d.Decisions[0].Remember = true
	var o harness.Outcomes
	u.Must(http.StatusOK, "POST /confirm", d).Into(t, &o)
	if len(o.Results) != 1 || o.Results[0].PermissionID == "" {
		t.Fatalf("the accept was not remembered: %+v", o)
	}
	return o.Results[0]
}

func TestARememberedVariantIsMadeWithoutAskingUntilItIsRevoked(t *testing.T) {
	t.Parallel()
	rng, seed := harness.Seed(t)
	s := start(t, rng, variants("a bold slide 4", "04", "bold", seed)...)
	first := s.lin.Chat(harness.Say("a bold slide 4"))
	rule := remember(t, s.lin, first.Turn(), first.Preview()).PermissionID
	first.Completed()

	again := func(seed uint64) { // another page, by the same words and arguments
		s.provider.Play(append(variants("a bold slide 4", "04", "bold", seed), ok())...)
	}
	// The variant moved the slide on; the rule is about the slide, whatever its version.
	again(seed + 1)
	second := s.lin.Chat(harness.Say("a bold slide 4"))
	second.Completed()
	var by agent.Decided
	for _, ev := range second.Events {
		if ev.Kind == agent.EventDecision {
			if err := ev.Decode(&by); err != nil {
				t.Fatal(err)
			}
		}
	}
	if by.By != "rule" || by.PermissionID != rule {
		t.Fatalf("the second time was decided %+v", by)
	}
	var list agent.Page[agent.Permission]
	s.lin.Must(http.StatusOK, "GET /permissions", nil).Into(t, &list)
	if len(list.Items) != 1 || list.Items[0].ID != rule || list.Items[0].Uses != 1 || !list.Items[0].InForce || list.Items[0].Title == "" {
		t.Fatalf("permissions: %+v", list.Items)
	}

	s.lin.Must(http.StatusNoContent, "DELETE /permissions/"+rule, nil)
	if a := s.lin.Do("DELETE /permissions/"+rule, nil); a.Status != http.StatusNotFound {
		t.Errorf("revoking it again answered %s", a)
	}
	again(seed + 2)
	third := s.lin.Chat(harness.Say("a bold slide 4"))
	s.lin.Discard(third.Turn(), third.Preview())
	third.Completed()
}
