package engine_test

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

// asks lets the model ask for a change of a note in a turn of its own, later than
// whatever was before.
func (w *world) asks(ctx context.Context, input string) agent.Turn {
	w.t.Helper()
	w.clock.add(time.Second)
	w.model.play(calls("note.write", input))
	t, err := w.engine.StartTurn(ctx, agent.TurnRequest{ProjectID: "book", Message: agent.Message{Text: "Change it"}})
	must(w.t, err)
	return t
}

const again = `{"id":"a","text":"new"}`

// remembers accepts a change of note a for good, where the org lets that be, and
// gives the rule's id.
func (w *world) remembers() string {
	w.t.Helper()
	w.policy(`remember = 'mutate'`)
	turn := w.asks(me(), again)
	out, err := w.remember(w.read(turn.ID, agent.EventPreview), agent.AnswerAccept)
	must(w.t, err)
	w.end(turn.ID)
	if len(out) != 1 || out[0].PermissionID == "" {
		w.t.Fatalf("%+v", out)
	}
	w.clock.add(time.Second)
	return out[0].PermissionID
}

func (w *world) remember(events []agent.Event, answer string) ([]agent.Outcome, error) {
	w.t.Helper()
	p := last[agent.PreviewShown](w.t, events, agent.EventPreview)
	d := agent.Decision{CallID: p.CallID, ReceiptID: p.ReceiptID, Decision: answer, Remember: true}
	if answer == agent.AnswerEdit {
		d.Input = []byte(`{"id":"a","text":"mine"}`)
	}
	return w.engine.Decide(me(), agent.DecisionRequest{TurnID: events[0].Turn, Decisions: []agent.Decision{d}})
}

func (w *world) rules() []agent.Permission {
	w.t.Helper()
	page, err := w.store.PermissionList(me(), agent.PermissionQuery{}, w.clock.Now().UnixMilli())
	must(w.t, err)
	return page.Items
}

func TestARememberedChangeIsMadeWithoutWaitingAndToldAsSuch(t *testing.T) {
	w := newWorld(t)
	rule := w.remembers()
	turn := w.asks(me(), again)
	events := w.end(turn.ID)
	gapless(t, events)
	d := last[agent.Decided](t, events, agent.EventDecision)
	if d.Decision != agent.VerdictAccepted || d.By != "rule" || d.PermissionID != rule || w.notes.count() != 2 {
		t.Fatalf("%+v, %d effects", d, w.notes.count())
	}
	if k := kinds(events); !slices.Contains(k, agent.EventPreview) || slices.Index(k, agent.EventPreview) > slices.Index(k, agent.EventDecision) {
		t.Fatalf("the preview is not shown before its decision: %v", k)
	}
	rows, err := w.store.Transcripts(me(), turn.ThreadID)
	must(t, err)
	var results []struct{ Decision, By, PermissionID string }
	must(t, json.Unmarshal(rows[0].ToolResults, &results))
	if len(results) != 1 || results[0].By != "rule" || results[0].PermissionID != rule || results[0].Decision != "accepted" {
		t.Fatalf("the transcript says %s", rows[0].ToolResults)
	}
	rec, err := w.store.Record(me(), turn.ID)
	must(t, err)
	if rc := rec.Receipts[0]; rc.PermissionID != rule || rc.DecidedBy != "rule" || rc.AppliedAt == 0 {
		t.Fatalf("%+v", rc)
	}
	if got := w.rules(); len(got) != 1 || got[0].Uses != 1 || got[0].UsedAt != w.clock.Now().UnixMilli() {
		t.Fatalf("%+v", got)
	}
	seen := w.model.seen()
	blocks := seen[len(seen)-1].Messages[len(seen[len(seen)-1].Messages)-1].Blocks
	if text, _ := json.Marshal(blocks); !strings.Contains(string(text), "have not seen") {
		t.Fatalf("the model reads %s", text)
	}
}

func TestTheAcceptThatIsRememberedTellsTheRuleAlsoWhenItComesAgain(t *testing.T) {
	w := newWorld(t)
	w.policy(`remember = 'mutate'`)
	turn := w.asks(me(), again)
	events := w.read(turn.ID, agent.EventPreview)
	scope := last[agent.PreviewShown](t, events, agent.EventPreview).Scope
	if scope == nil {
		t.Fatal("it is not offered to be remembered")
	}
	first, err := w.remember(events, agent.AnswerAccept)
	must(t, err)
	all := w.end(turn.ID)
	if d := last[agent.Decided](t, all, agent.EventDecision); d.RememberedID != first[0].PermissionID || d.By != userID || d.PermissionID != "" {
		t.Fatalf("%+v", d)
	}
	second, err := w.remember(events, agent.AnswerAccept)
	must(t, err)
	if second[0].PermissionID != first[0].PermissionID || len(w.rules()) != 1 {
		t.Fatalf("first %+v, then %+v; %d rules", first, second, len(w.rules()))
	}
	rule := w.rules()[0]
	if !reflect.DeepEqual(*scope, agent.PermissionScope{Resources: rule.Resources, Limits: rule.Limits, Days: 30}) {
		t.Fatalf("shown was %+v", *scope)
	}
	if !reflect.DeepEqual(rule.Resources, []string{"a"}) || len(rule.Limits) != 2 || rule.Capability != "note.write" || rule.ProjectID != "book" ||
		rule.Until != rule.CreatedAt+30*24*time.Hour.Milliseconds() {
		t.Fatalf("%+v", rule)
	}
}

func TestAnAcceptThatWasNotRememberedIsNotRememberedLater(t *testing.T) {
	w := newWorld(t)
	w.policy(`remember = 'mutate'`)
	turn := w.asks(me(), again)
	events := w.read(turn.ID, agent.EventPreview)
	_, err := w.decide(events, agent.AnswerAccept)
	must(t, err)
	w.end(turn.ID)
	out, err := w.remember(events, agent.AnswerAccept)
	if agent.ErrorCode(err) != agent.CodeConflict || len(out) != 1 || out[0].Decision != agent.VerdictAccepted || out[0].PermissionID != "" || len(w.rules()) != 0 {
		t.Fatalf("%+v, %v; %d rules", out, err, len(w.rules()))
	}
}

func TestWhatMayNotBeRememberedIsNotDecidedEither(t *testing.T) {
	for name, c := range map[string]struct {
		policy, answer string
		code           agent.Code
	}{
		"a mutate by default":          {"", agent.AnswerAccept, agent.CodePolicyDenied},
		"where nothing is remembered":  {"remember = 'off'", agent.AnswerAccept, agent.CodePolicyDenied},
		"a discard":                    {"remember = 'mutate'", agent.AnswerDiscard, agent.CodeInvalidInput},
		"an edit":                      {"remember = 'mutate'", agent.AnswerEdit, agent.CodeInvalidInput},
		"what the admin just disabled": {"remember = 'mutate', disabled_capabilities = '[\"note.write\"]'", agent.AnswerAccept, agent.CodePolicyDenied},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			turn := w.asks(me(), again)
			events := w.read(turn.ID, agent.EventPreview)
			w.awaits(turn.ID)
			if last[agent.PreviewShown](t, events, agent.EventPreview).Scope != nil {
				t.Fatal("a change is offered to be remembered by default")
			}
			if c.policy != "" {
				w.policy(c.policy)
			}
			if _, err := w.remember(events, c.answer); agent.ErrorCode(err) != c.code {
				t.Fatalf("%v", err)
			}
			if w.turn(turn.ID).State != agent.TurnAwaiting || w.notes.count() != 0 || len(w.rules()) != 0 {
				t.Fatalf("%s, %d effects, %d rules", w.turn(turn.ID).State, w.notes.count(), len(w.rules()))
			}
		})
	}
}

func TestAnAcceptOfWhatMovedIsNotRemembered(t *testing.T) {
	w := newWorld(t)
	w.policy(`remember = 'mutate'`)
	turn := w.asks(me(), again)
	events := w.read(turn.ID, agent.EventPreview)
	w.notes.edit("a")
	out, err := w.remember(events, agent.AnswerAccept)
	must(t, err)
	<-w.engine.Idle(turn.ID)
	if out[0].Outcome != agent.OutcomeStale || out[0].PermissionID != "" || len(w.rules()) != 0 || w.notes.count() != 0 {
		t.Fatalf("%+v, %d rules", out, len(w.rules()))
	}
}

// whenWeighed calls f in the middle of the nth time that a rule is weighed: it was
// found, and what it allows is not taken yet.
func (w *world) whenWeighed(nth int, f func()) {
	w.notes.onEnter(func(_ context.Context, what string) error {
		if what == "preview" { // from here on, a project is opened to weigh a rule
			w.host.opening = func() {
				if nth--; nth == 0 {
					f()
				}
			}
		}
		return nil
	})
}

// TestARuleLetsNothingElseThrough plays each abuse against a rule that is in force:
// the change waits for its user, or is not even shown.
func TestARuleLetsNothingElseThrough(t *testing.T) {
	chatOnly := func() context.Context {
		p, _ := agent.PrincipalFrom(me())
		p.Scopes = []agent.CredentialScope{agent.ScopeChat}
		return agent.WithPrincipal(context.Background(), p)
	}
	viewer := func() context.Context {
		p, _ := agent.PrincipalFrom(me())
		p.Tier = agent.TierViewer
		return agent.WithPrincipal(context.Background(), p)
	}
	for name, c := range map[string]struct {
		spoil func(w *world, rule string)
		ctx   context.Context
		input string
		state agent.TurnState // awaiting where not given
	}{
		"another resource":                 {input: `{"id":"b","text":"new"}`},
		"other arguments":                  {input: `{"id":"a","text":"newer"}`},
		"another user of the org":          {ctx: as("user_2", orgID)},
		"a credential that may not accept": {ctx: chatOnly()},
		"a tier that was lost":             {ctx: viewer(), state: agent.TurnComplete},
		"a revoked rule": {spoil: func(w *world, rule string) {
			must(w.t, w.store.RevokePermission(me(), rule, 1))
		}},
		"a rule that is over":          {spoil: func(w *world, _ string) { w.clock.add(30 * 24 * time.Hour) }},
		"a ceiling that was lowered":   {spoil: func(w *world, _ string) { w.policy(`remember = 'preview'`) }},
		"a ceiling that was closed":    {spoil: func(w *world, _ string) { w.policy(`remember = 'off'`) }},
		"a shorter time":               {spoil: func(w *world, _ string) { w.policy(`remember_days = 1`); w.clock.add(25 * time.Hour) }},
		"a capability that is off now": {spoil: func(w *world, _ string) { w.policy(`disabled_capabilities = '["note.write"]'`) }, state: agent.TurnComplete},
		"a tier that the membership lost": {spoil: func(w *world, _ string) {
			must(w.t, w.store.PutMembership(context.Background(), agent.Membership{UserID: userID, OrgID: orgID, Role: agent.RoleViewer}))
		}},
		"a membership that is gone": {spoil: func(w *world, _ string) { w.behind(`DELETE FROM memberships WHERE user_id = 'user_1'`) }},
		"a rule revoked before it is taken": {spoil: func(w *world, rule string) {
			w.whenWeighed(2, func() { must(w.t, w.store.RevokePermission(me(), rule, 1)) })
		}},
		"a rule revoked before the turn would park": {spoil: func(w *world, rule string) {
			w.whenWeighed(1, func() { must(w.t, w.store.RevokePermission(me(), rule, 1)) })
		}},
		"a policy that moves before it is taken": {spoil: func(w *world, _ string) {
			w.whenWeighed(2, func() { w.policy(`remember = 'off'`) })
		}},
		"a tier lost before it is taken": {spoil: func(w *world, _ string) {
			w.whenWeighed(1, func() {
				must(w.t, w.store.PutMembership(context.Background(), agent.Membership{UserID: userID, OrgID: orgID, Role: agent.RoleViewer}))
			})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			rule := w.remembers()
			if c.spoil != nil {
				c.spoil(w, rule)
			}
			ctx, input, state := me(), again, agent.TurnAwaiting
			if c.ctx != nil {
				ctx = c.ctx
			}
			if c.input != "" {
				input = c.input
			}
			if c.state != "" {
				state = c.state
			}
			turn := w.asks(ctx, input)
			<-w.engine.Idle(turn.ID)
			w.notes.onEnter(nil)
			w.host.opening = nil
			got, err := w.store.Turn(ctx, turn.ID)
			must(t, err)
			if got.State != state || w.notes.count() != 1 {
				t.Fatalf("the turn is %s, with %d effects", got.State, w.notes.count())
			}
			if len(got.Open) != map[agent.TurnState]int{agent.TurnAwaiting: 1}[state] {
				t.Fatalf("open: %+v", got.Open)
			}
		})
	}
}

func TestARuleAcceptsNoPreviewThatWasThereBeforeIt(t *testing.T) {
	w := newWorld(t)
	w.policy(`remember = 'mutate'`)
	w.notes.notes["c"], w.notes.version["c"] = "gamma", 1
	round := scripted.Round{Calls: []scripted.Call{{Name: "note.write", Input: []byte(again)}, {Name: "note.write", Input: []byte(again)}}}
	w.model.play(round)
	turn := w.say("", "Twice")
	w.awaits(turn.ID)
	open := w.turn(turn.ID).Open
	_, err := w.engine.Decide(me(), agent.DecisionRequest{TurnID: turn.ID,
		Decisions: []agent.Decision{{CallID: open[0].CallID, ReceiptID: open[0].ReceiptID, Decision: agent.AnswerAccept, Remember: true}}})
	must(t, err)
	w.awaits(turn.ID)
	if left := w.turn(turn.ID).Open; len(left) != 1 || left[0].CallID != open[1].CallID || w.notes.count() != 1 {
		t.Fatalf("%+v, %d effects", left, w.notes.count())
	}
}

func TestInAChangeSetTheRuleTakesItsOwnAndTheRestWaits(t *testing.T) {
	w := newWorld(t)
	w.remembers()
	w.model.play(scripted.Round{Calls: []scripted.Call{{Name: "note.write", Input: []byte(again)}, {Name: "note.write", Input: []byte(`{"id":"b","text":"new"}`)}}}, says("Done."))
	turn := w.say("", "Both")
	w.awaits(turn.ID)
	open := w.turn(turn.ID).Open
	if len(open) != 1 || open[0].Summary != "Change b" || w.notes.count() != 2 {
		t.Fatalf("%+v, %d effects", open, w.notes.count())
	}
	_, err := w.engine.Decide(me(), agent.DecisionRequest{TurnID: turn.ID,
		Decisions: []agent.Decision{{CallID: open[0].CallID, ReceiptID: open[0].ReceiptID, Decision: agent.AnswerAccept}}})
	must(t, err)
	events := w.end(turn.ID)
	gapless(t, events)
	if text(events) != "Done." || w.notes.count() != 3 {
		t.Fatalf("%q, %d effects", text(events), w.notes.count())
	}
}

func TestAChangeThatMovesUnderARuleIsShownAgainToItsUser(t *testing.T) {
	w := newWorld(t)
	w.remembers()
	w.notes.onEnter(func(_ context.Context, what string) error {
		if what == "apply" {
			w.notes.edit("a")
		}
		return nil
	})
	turn := w.asks(me(), again)
	w.awaits(turn.ID)
	w.notes.onEnter(nil)
	if got := w.turn(turn.ID); len(got.Open) != 1 || w.notes.count() != 1 {
		t.Fatalf("%+v, %d effects", got.Open, w.notes.count())
	}
}

func TestACrashUnderARuleMakesTheChangeOnceOrAsks(t *testing.T) {
	for at, want := range map[string]struct {
		state   agent.TurnState
		effects int
	}{
		"preview": {agent.TurnAwaiting, 1}, // nobody had accepted: its user is asked
		"apply":   {agent.TurnComplete, 2},
		"applied": {agent.TurnComplete, 2},
	} {
		t.Run(at, func(t *testing.T) {
			w := newWorld(t)
			w.remembers()
			inside, goOn := make(chan struct{}), make(chan struct{})
			t.Cleanup(func() { close(goOn) })
			w.notes.onEnter(func(_ context.Context, what string) error {
				if what == at {
					close(inside)
					<-goOn
				}
				return nil
			})
			turn := w.asks(me(), again)
			<-inside
			next := w.crash()
			w.notes.onEnter(nil)
			next.open()
			t.Cleanup(next.close)
			<-next.engine.Idle(turn.ID)
			if got := next.turn(turn.ID); got.State != want.state || next.notes.count() != want.effects {
				t.Fatalf("%s, %d effects", got.State, next.notes.count())
			}
		})
	}
}
