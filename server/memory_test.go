package server

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

// script is a model whose answers a test gives one by one, and which keeps what it was
// asked.
type script struct {
	mu     sync.Mutex
	rounds []scripted.Round
	asked  []agent.ModelRequest
}

// Round gives the next answer, or a word where none is left.
func (s *script) Round(req agent.ModelRequest) (scripted.Round, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, req)
	if len(s.rounds) == 0 {
		return scripted.Round{Text: scripted.Text{"ok"}}, nil
	}
	r := s.rounds[0]
	s.rounds = s.rounds[1:]
	return r, nil
}

func (s *script) newest() agent.ModelRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[len(s.asked)-1]
}

// office is a server with the script as its model, and a person in front of it.
type office struct {
	*Server
	t      *testing.T
	script *script
}

func newOffice(t *testing.T) *office {
	o := &office{t: t, script: &script{}}
	c := config(t.TempDir())
	c.Scripted = scripted.New(o.script, scripted.Options{})
	o.Server = open(t, c)
	return o
}

// as gives the context of a development user with the scopes of a login, or fewer.
func (o *office) as(user, org string, scopes ...agent.CredentialScope) context.Context {
	o.t.Helper()
	p, err := o.store.Member(o.t.Context(), user, org)
	if err != nil {
		o.t.Fatal(err)
	}
	if p.Scopes = scopes; scopes == nil {
		p.Scopes = []agent.CredentialScope{agent.ScopeChat, agent.ScopeApprove}
	}
	return agent.WithPrincipal(o.t.Context(), p)
}

func (o *office) demo(scopes ...agent.CredentialScope) context.Context {
	o.t.Helper()
	return o.as("user_demo", "org_demo", scopes...)
}

// turn lets the model make calls, each in an answer of its own, and gives the turn once
// it has ended or waits.
func (o *office) turn(ctx context.Context, thread agent.ThreadID, words string, calls ...scripted.Call) agent.Turn {
	o.t.Helper()
	o.script.mu.Lock()
	o.script.rounds = nil
	for _, c := range calls {
		o.script.rounds = append(o.script.rounds, scripted.Round{Calls: []scripted.Call{c}})
	}
	o.script.mu.Unlock()
	t, err := o.engine.StartTurn(ctx, agent.TurnRequest{ProjectID: "p", ThreadID: thread, Message: agent.Message{Text: words}})
	if err != nil {
		o.t.Fatal(err)
	}
	return o.settle(ctx, t.ID)
}

// settle follows a turn until it has ended or waits.
func (o *office) settle(ctx context.Context, id agent.TurnID) agent.Turn {
	o.t.Helper()
	for {
		t, err := o.engine.Turn(ctx, id)
		if err != nil {
			o.t.Fatal(err)
		}
		if t.State != agent.TurnRunning {
			return t
		}
		for ev, err := range o.engine.Events(ctx, id, agent.Position{Run: t.Run, Seq: t.LastSeq}) {
			if err != nil {
				o.t.Fatal(err)
			}
			if ev.Kind == agent.EventPreview {
				break
			}
		}
	}
}

// decide answers the one open preview of a turn.
func (o *office) decide(ctx context.Context, t agent.Turn, answer string) agent.Turn {
	o.t.Helper()
	if len(t.Open) != 1 {
		o.t.Fatalf("%d previews are open", len(t.Open))
	}
	if _, err := o.engine.Decide(ctx, agent.DecisionRequest{TurnID: t.ID, Decisions: []agent.Decision{
		{CallID: t.Open[0].CallID, ReceiptID: t.Open[0].ReceiptID, Decision: answer}}}); err != nil {
		o.t.Fatal(err)
	}
	return o.settle(ctx, t.ID)
}

func suggestion(scope, text string) scripted.Call {
	input, _ := json.Marshal(map[string]string{"file": "our_decisions", "scope": scope, "text": text})
	return scripted.Call{Name: "reminders.suggest", Input: input}
}

func (o *office) file(ctx context.Context, file agent.ReminderFile) agent.Reminder {
	o.t.Helper()
	r, err := o.store.ReminderRow(ctx, file, 0)
	if err != nil {
		o.t.Fatal(err)
	}
	return r
}

func TestWhatAPersonAcceptsIsRememberedAndALaterDecisionSupersedesIt(t *testing.T) {
	o := newOffice(t)
	ctx := o.demo()
	seeded := o.file(ctx, agent.ReminderDecisions)
	if seeded.Version != 1 || seeded.Via != agent.ReminderSeeded {
		t.Fatalf("the development orgs are not seeded: %+v", seeded)
	}
	first := o.turn(ctx, "", "Remember that we say islanders.", suggestion("readers", "We call readers islanders."))
	if got := o.file(ctx, agent.ReminderDecisions); got != seeded || first.State != agent.TurnAwaiting {
		t.Fatalf("before the accept: %+v, %s", got, first.State)
	}
	if done := o.decide(ctx, first, agent.AnswerAccept); done.State != agent.TurnComplete {
		t.Fatalf("%+v", done)
	}
	// The model reads it in the third slab at once, and in every later turn byte for byte.
	third := o.script.newest().System[1]
	if !third.Cache || !strings.Contains(third.Text, "## d-1 (readers, ") || !strings.Contains(third.Text, "\nWe call readers islanders.\n") {
		t.Errorf("the third slab after the accept:\n%s", third.Text)
	}
	for range 2 {
		o.turn(ctx, first.ThreadID, "Go on.")
		if got := o.script.newest().System[1]; got != third {
			t.Errorf("the third slab changed without an edit:\n%s", got.Text)
		}
	}
	second := o.turn(ctx, first.ThreadID, "From now on they are guests.", suggestion("readers", "We call readers guests."))
	if !strings.HasPrefix(second.Open[0].Summary, "Supersedes d-1 in our decisions (readers)") {
		t.Errorf("the preview says %q", second.Open[0].Summary)
	}
	o.decide(ctx, second, agent.AnswerAccept)
	now := o.file(ctx, agent.ReminderDecisions)
	if now.Version != 3 || now.Via != agent.ReminderSuggested || now.ByName == "" || strings.Count(now.Text, "~~We call readers islanders.~~") != 1 ||
		!strings.Contains(now.Text, " by [d-2](#d-2-readers-") || strings.Contains(now.Text, "\nWe call readers islanders.") || !strings.HasSuffix(now.Text, "\nWe call readers guests.\n") {
		t.Errorf("%+v", now)
	}
	// Another org has its own.
	if other := o.file(o.as("user_pay", "org_paying"), agent.ReminderDecisions); other.Version != 1 || strings.Contains(other.Text, "guests") {
		t.Errorf("another org reads %+v", other)
	}
	undone, err := o.engine.Undo(ctx, second.Open[0].CallID)
	if err != nil {
		t.Fatal(err)
	}
	o.settle(ctx, undone.ID)
	if got := o.file(ctx, agent.ReminderDecisions); got.Version != 4 || got.Via != agent.ReminderUndone || !strings.HasSuffix(got.Text, "\nWe call readers islanders.\n") {
		t.Errorf("after the undo: %+v", got)
	}
	// A conversation that is deleted takes no reminder with it.
	if err := o.store.DeleteThreadRows(ctx, first.ThreadID); err != nil {
		t.Fatal(err)
	}
	if got := o.file(ctx, agent.ReminderDecisions); got.Version != 4 {
		t.Errorf("after the delete: %+v", got)
	}
}

func TestAnEditByHandWhileAPreviewWaitsMakesItStale(t *testing.T) {
	o := newOffice(t)
	ctx := o.demo()
	parked := o.turn(ctx, "", "Remember.", suggestion("readers", "We call readers islanders."))
	cookie := signIn(t, o.Server, "demo")
	w := ask(o.Server, "PUT", "/api/agent/reminders/our_decisions", `{"version":1,"text":"# Ours\n"}`, "Cookie", cookie, "Content-Type", "application/json", "Origin", "http://example.test", "Sec-Fetch-Site", "same-origin")
	if w.Code != 200 || !strings.Contains(w.Body.String(), `"version":2,"text":"# Ours\n","by":"user_demo"`) {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	stale := o.decide(ctx, parked, agent.AnswerAccept)
	if got := o.file(ctx, agent.ReminderDecisions); got.Text != "# Ours\n" || stale.State != agent.TurnAwaiting || len(stale.Open) != 1 || stale.Open[0].ReceiptID == parked.Open[0].ReceiptID {
		t.Fatalf("%+v, %+v", got, stale)
	}
	o.decide(ctx, stale, agent.AnswerAccept)
	got := o.file(ctx, agent.ReminderDecisions)
	if got.Version != 3 || !strings.HasPrefix(got.Text, "# Ours\n\n## d-1 (readers, ") {
		t.Errorf("after the second accept: %+v", got)
	}
	w = ask(o.Server, "GET", "/api/agent/reminders/our_decisions/history?from=1&to=2", "", "Cookie", cookie)
	var h agent.ReminderHistory
	if err := json.Unmarshal(w.Body.Bytes(), &h); err != nil || len(h.Items) != 3 || h.Items[0].Via != agent.ReminderSuggested || h.Items[1].Via != agent.ReminderByHand ||
		h.Diff == nil || !strings.Contains(h.Diff.Text, "+# Ours\n") || !strings.HasPrefix(h.Diff.Text, "--- a/reminders/our_decisions.md\n") {
		t.Errorf("%s, %v", w.Body, err)
	}
}

func TestNotesAreRecalledWithTheirHedgeAndGoWithTheirConversation(t *testing.T) {
	o := newOffice(t)
	ctx := o.demo()
	noting := o.turn(ctx, "", "Look around.", scripted.Call{Name: "cache.note", Input: json.RawMessage(`{"text":"They prefer American spelling.","topic":"Spelling"}`)})
	if noting.State != agent.TurnComplete {
		t.Fatalf("%+v", noting)
	}
	recall := scripted.Call{Name: "cache.recall", Input: json.RawMessage(`{"query":"which spelling do they prefer"}`)}
	o.turn(ctx, "", "Which spelling?", recall)
	msgs := o.script.newest().Messages
	text := msgs[len(msgs)-1].Blocks[0].Text
	if !strings.Contains(text, "They prefer American spelling.") || !strings.Contains(text, "the reminder is right") || !strings.HasPrefix(text, "<recalled-notes>") {
		t.Errorf("the model reads\n%s", text)
	}
	o.turn(o.as("user_pay", "org_paying"), "", "Which spelling?", recall)
	if msgs := o.script.newest().Messages; strings.Contains(fmt.Sprint(msgs), "American") {
		t.Error("another org recalls it")
	}
	if err := o.store.DeleteThreadRows(ctx, noting.ThreadID); err != nil {
		t.Fatal(err)
	}
	again := o.turn(ctx, "", "Which spelling?", recall)
	if msgs := o.script.newest().Messages; strings.Contains(fmt.Sprint(msgs), "American") || again.State != agent.TurnComplete {
		t.Error("a note is recalled whose conversation was deleted")
	}
}
