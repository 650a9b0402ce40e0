package engine_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// attempt is one accept of a preview, and all that went wrong between the two.
type attempt struct {
	*world
	t        *testing.T
	turn     agent.TurnID
	decision agent.Decision
	other    agent.PreviewShown // of another turn of the same person
	who      agent.Principal
	went     map[string]bool
	applies  atomic.Int64
	late     func() // runs while the decision is being checked
}

// faults are what can go wrong. Those that answer the preview come first.
var faults = []struct {
	name string
	do   func(*attempt)
}{
	{"replayed", func(a *attempt) { a.answer(a.decision); a.end(a.turn) }},
	{"arguments edited before", func(a *attempt) {
		d := a.decision
		d.Decision, d.Input = agent.AnswerEdit, []byte(`{"id":"a","text":"mine"}`)
		a.answer(d)
		<-a.engine.Idle(a.turn)
	}},
	{"arguments edited", func(a *attempt) { a.decision.Input = []byte(`{"id":"b","text":"forged"}`) }},
	{"resource edited", func(a *attempt) { a.notes.edit("a") }},
	{"policy changed", func(a *attempt) { a.policy(`allow_model_choice = 1 - allow_model_choice`) }},
	{"capability disabled", func(a *attempt) { a.policy(`disabled_capabilities = '["note.write"]'`) }},
	{"capability disabled meanwhile", func(a *attempt) { a.late = func() { a.policy(`disabled_capabilities = '["note.write"]'`) } }},
	{"tier lost", func(a *attempt) { a.who.Tier = agent.TierViewer }},
	{"approve scope missing", func(a *attempt) { a.who.Scopes = []agent.CredentialScope{agent.ScopeChat} }},
	{"expired", func(a *attempt) { a.clock.add(7 * 24 * time.Hour) }},
	{"other user", func(a *attempt) { a.who.UserID = "user_2" }},
	{"other org", func(a *attempt) { a.who.OrgID = "org_2" }},
	{"other turn's receipt", func(a *attempt) { a.decision.ReceiptID = a.other.ReceiptID }},
	{"other turn's call and receipt", func(a *attempt) {
		a.decision.CallID, a.decision.ReceiptID = a.other.CallID, a.other.ReceiptID
	}},
	{"server restarted", func(a *attempt) { a.restart() }},
}

// wanted says, from the design and not from the code, how the attempt must end.
func (a *attempt) wanted() (code agent.Code, verdict agent.Verdict) {
	switch w := a.went; {
	case w["arguments edited"]:
		return agent.CodeInvalidInput, ""
	case w["other user"], w["other org"], w["other turn's receipt"], w["other turn's call and receipt"]:
		return agent.CodeNotFound, ""
	case w["replayed"]:
		return "", agent.VerdictAccepted
	case w["arguments edited before"]:
		return agent.CodeConflict, agent.VerdictEdited
	case w["expired"]:
		return agent.CodeGone, ""
	case w["tier lost"]:
		return agent.CodeForbidden, ""
	case w["capability disabled"]:
		return agent.CodePolicyDenied, ""
	case w["approve scope missing"]:
		return agent.CodeForbidden, ""
	case w["capability disabled meanwhile"]:
		return agent.CodePolicyDenied, ""
	case w["resource edited"]:
		return "", agent.VerdictStale
	}
	return "", agent.VerdictAccepted
}

func TestNothingThatHappensBetweenPreviewAndDecisionLetsAChangeThrough(t *testing.T) {
	var plans [][]int
	for i := range faults {
		plans = append(plans, []int{i})
		for j := range i {
			plans = append(plans, []int{j, i})
		}
	}
	drawn := 120
	if quick() {
		plans, drawn = plans[:0], 40
	}
	for seed := range uint64(drawn) {
		rng := rand.New(rand.NewPCG(seed, 2))
		plans = append(plans, rng.Perm(len(faults))[:3+rng.IntN(4)])
	}
	for i, plan := range plans {
		var names []string
		for _, k := range plan {
			names = append(names, faults[k].name)
		}
		t.Run(strings.Join(names, "+"), func(t *testing.T) {
			t.Parallel()
			attemptWith(t, plan, rand.New(rand.NewPCG(uint64(i), 3)))
		})
	}
}

func attemptWith(t *testing.T, plan []int, rng *rand.Rand) {
	a := propose(t)
	a.spoil(plan, rng)
	code, verdict := a.wanted()
	before := a.applies.Load()
	first, err := a.decide()
	if agent.ErrorCode(err) != code && (err != nil || code != "") {
		t.Fatalf("answered %+v, %v; want code %q", first, err, code)
	}
	if verdict != "" && (len(first) != 1 || first[0].Decision != verdict) {
		t.Fatalf("answered %+v, want the verdict %s", first, verdict)
	}
	<-a.engine.Idle(a.turn)
	if accepted := err == nil && verdict == agent.VerdictAccepted; accepted {
		a.end(a.turn)
		before = 1
	}
	if got := a.applies.Load(); got != before || a.notes.count() != int(before) {
		t.Fatalf("Apply ran %d times with %d effects, want %d", got, a.notes.count(), before)
	}
	// The same again is answered the same, and nothing more happens.
	a.late = nil
	again, err := a.decide()
	switch {
	case agent.ErrorCode(err) != code && (err != nil || code != ""):
		t.Fatalf("the second time answered %+v, %v; want code %q", again, err, code)
	case verdict == agent.VerdictAccepted && (len(again) != 1 || again[0].State != agent.EffectApplied):
		t.Fatalf("the stored outcome is %+v", again)
	case verdict == agent.VerdictEdited && !reflect.DeepEqual(first, again):
		t.Fatalf("first %+v, then %+v", first, again)
	}
	<-a.engine.Idle(a.turn)
	if got := a.applies.Load(); got != before {
		t.Fatalf("Apply ran %d times after a replay, want %d", got, before)
	}
	a.stillHis(verdict)
}

// propose starts two turns of one person that wait with a preview each.
func propose(t *testing.T) *attempt {
	a := &attempt{world: newWorld(t), t: t, went: map[string]bool{}}
	a.who, _ = agent.PrincipalFrom(me())
	a.notes.onEnter(func(_ context.Context, what string) error {
		if what == "apply" {
			a.applies.Add(1)
		}
		if f := a.late; what == "resources" && f != nil {
			a.late = nil
			f()
		}
		return nil
	})
	shown := func(text string) (agent.TurnID, agent.PreviewShown) {
		a.model.play(calls("note.write", `{"id":"a","text":"new"}`))
		turn := a.say("", text)
		a.awaits(turn.ID)
		return turn.ID, last[agent.PreviewShown](t, a.read(turn.ID, agent.EventPreview), agent.EventPreview)
	}
	_, a.other = shown("Change a elsewhere")
	turn, p := shown("Change a")
	a.turn, a.decision = turn, agent.Decision{CallID: p.CallID, ReceiptID: p.ReceiptID, Decision: agent.AnswerAccept}
	return a
}

// spoil lets the faults of the plan happen: first one that answers the preview, the
// others in the plan's order.
func (a *attempt) spoil(plan []int, rng *rand.Rand) {
	answers := -1
	for _, k := range plan {
		if k < 2 {
			answers = k
		}
	}
	if answers >= 0 {
		faults[answers].do(a)
		a.went[faults[answers].name] = true
	}
	if rng.IntN(4) == 0 {
		a.restart()
	}
	for _, k := range plan {
		if k >= 2 {
			faults[k].do(a)
			a.went[faults[k].name] = true
		}
	}
}

func (a *attempt) decide() ([]agent.Outcome, error) {
	return a.engine.Decide(agent.WithPrincipal(context.Background(), a.who),
		agent.DecisionRequest{TurnID: a.turn, Decisions: []agent.Decision{a.decision}})
}

// answer takes a decision of the right person that must work.
func (a *attempt) answer(d agent.Decision) {
	a.t.Helper()
	_, err := a.engine.Decide(me(), agent.DecisionRequest{TurnID: a.turn, Decisions: []agent.Decision{d}})
	must(a.t, err)
}

// stillHis shows that a refused attempt took nothing away: where only the asker was
// wrong, the right person's accept works, once.
func (a *attempt) stillHis(verdict agent.Verdict) {
	a.t.Helper()
	for _, spent := range []string{"replayed", "arguments edited before", "expired", "resource edited", "capability disabled", "capability disabled meanwhile"} {
		if a.went[spent] {
			return
		}
	}
	if verdict != "" {
		return
	}
	rec, err := a.store.Record(me(), a.turn)
	must(a.t, err)
	p := rec.Receipts[0]
	if p.State != agent.ReceiptOpen {
		a.t.Fatalf("the refused attempt left the receipt %s", p.State)
	}
	a.answer(agent.Decision{CallID: p.CallID, ReceiptID: p.ID, Decision: agent.AnswerAccept})
	a.end(a.turn)
	if a.applies.Load() != 1 || a.notes.get("a") != "new" {
		a.t.Fatalf("after the right answer Apply ran %d times: %q", a.applies.Load(), a.notes.get("a"))
	}
}

func TestTheFaultsOfTheTableAreNamedApart(t *testing.T) {
	seen := map[string]bool{}
	for i, f := range faults {
		if seen[f.name] || (i < 2) != (f.name == "replayed" || f.name == "arguments edited before") {
			t.Error(fmt.Sprint(i, f.name))
		}
		seen[f.name] = true
	}
}
