package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

func TestWhatStartTurnRefuses(t *testing.T) {
	w := newWorld(t)
	first := w.say("", "Hi")
	w.end(first.ID)
	long := strings.Repeat("x", agent.MaxMessageBytes)
	nouns := make([]agent.Noun, agent.MaxAttachments+1)
	for i := range nouns {
		nouns[i] = agent.Noun{Kind: "note", ID: "a"}
	}
	viewer := agent.WithPrincipal(context.Background(), agent.Principal{UserID: userID, OrgID: orgID, Tier: agent.TierViewer})
	for _, c := range []struct {
		name    string
		ctx     context.Context
		req     agent.TurnRequest
		code    agent.Code
		pointer string
	}{
		{"nobody", context.Background(), agent.TurnRequest{}, agent.CodeUnauthenticated, ""},
		{"a credential without the chat scope", viewer, agent.TurnRequest{}, agent.CodeForbidden, ""},
		{"an empty message", me(), agent.TurnRequest{ProjectID: "book"}, agent.CodeInvalidInput, "/text"},
		{"only white space", me(), agent.TurnRequest{ProjectID: "book", Message: agent.Message{Text: " \n\t "}}, agent.CodeInvalidInput, "/text"},
		{"a message one byte too long", me(), agent.TurnRequest{ProjectID: "book", Message: agent.Message{Text: long + "x"}}, agent.CodeTooLarge, "/text"},
		{"text that is none", me(), agent.TurnRequest{ProjectID: "book", Message: agent.Message{Text: "a\xff"}}, agent.CodeInvalidInput, "/text"},
		{"a null byte", me(), agent.TurnRequest{ProjectID: "book", Message: agent.Message{Text: "a\x00b"}}, agent.CodeInvalidInput, "/text"},
		{"no project", me(), agent.TurnRequest{Message: agent.Message{Text: "x"}}, agent.CodeInvalidInput, "/projectId"},
		{"a project of another org", as(userID, "org_2"), agent.TurnRequest{ProjectID: "book", Message: agent.Message{Text: "x"}}, agent.CodeNotFound, ""},
		{"an unknown model", me(), agent.TurnRequest{ProjectID: "book", Message: agent.Message{Text: "x"}, Model: "nope"}, agent.CodeInvalidInput, "/model"},
		{"an unknown thread", me(), agent.TurnRequest{ProjectID: "book", ThreadID: "thread_x", Message: agent.Message{Text: "x"}}, agent.CodeNotFound, ""},
		{"another user's thread", as("user_2", orgID), agent.TurnRequest{ProjectID: "book", ThreadID: first.ThreadID, Message: agent.Message{Text: "x"}}, agent.CodeNotFound, ""},
		{"a parent without its thread", me(), agent.TurnRequest{ProjectID: "book", Parent: first.ID, Message: agent.Message{Text: "x"}}, agent.CodeInvalidInput, "/parentTurnId"},
		{"a whitelist that names nothing", me(), agent.TurnRequest{ProjectID: "book", Message: agent.Message{Text: "x"}, Whitelist: []string{"slide.*"}}, agent.CodeInvalidInput, "/tools"},
		{"a message id that is too long", me(), agent.TurnRequest{ProjectID: "book", Message: agent.Message{Text: "x"}, MessageID: strings.Repeat("m", 65)}, agent.CodeInvalidInput, "/messageId"},
		{"51 attachments", me(), agent.TurnRequest{ProjectID: "book", Message: agent.Message{Text: "x", Attachments: nouns}}, agent.CodeInvalidInput, "/attachments"},
		{"a noun that does not exist", me(), agent.TurnRequest{ProjectID: "book", Message: agent.Message{Text: "x", Attachments: []agent.Noun{{Kind: "slide", ID: "1"}}}}, agent.CodeNotFound, ""},
		{"a paid model without a key", me(), agent.TurnRequest{ProjectID: "book", Message: agent.Message{Text: "x"}, Model: "paid"}, agent.CodeKeyRequired, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := w.engine.StartTurn(c.ctx, c.req)
			if agent.ErrorCode(err) != c.code {
				t.Fatalf("got %v", err)
			}
			var e *agent.Error
			if !errors.As(err, &e) || e.Pointer != c.pointer || e.Message == "" {
				t.Fatalf("got %#v", err)
			}
		})
	}
	for name, req := range map[string]agent.TurnRequest{
		"the longest message":     {ProjectID: "book", Message: agent.Message{Text: long}},
		"the longest message id":  {ProjectID: "book", Message: agent.Message{Text: "x"}, MessageID: strings.Repeat("m", 64)},
		"50 attachments are fine": {ProjectID: "book", Message: agent.Message{Text: "x", Attachments: nouns[:50]}},
	} {
		turn, err := w.engine.StartTurn(me(), req)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		w.end(turn.ID)
		<-w.engine.Idle(turn.ID)
	}
}

func TestAnEmptyWhitelistOffersNothingButWhatIsShared(t *testing.T) {
	w := newWorld(t)
	for name, c := range map[string]struct {
		whitelist []string
		offered   int
	}{"not said": {nil, 5}, "empty": {[]string{}, 0}, "a glob": {[]string{"book.*"}, 1}} {
		turn, err := w.engine.StartTurn(me(), agent.TurnRequest{ProjectID: "book", Message: agent.Message{Text: "x"}, Whitelist: c.whitelist})
		must(t, err)
		started := last[agent.TurnStarted](t, w.end(turn.ID), agent.EventTurnStarted)
		if len(started.Capabilities) != c.offered {
			t.Errorf("%s: %v", name, started.Capabilities)
		}
	}
}

func TestSuggestionsNameNothingThatWouldBeRefused(t *testing.T) {
	w := newWorld(t, func(w *world) {
		w.host.suggestions = []agent.Suggestion{{Capability: "book.export", Hint: "Export"}, {Capability: "note.read", Hint: "Read"}, {Hint: "Anything"}}
	})
	turn, err := w.engine.StartTurn(me(), agent.TurnRequest{ProjectID: "book", Message: agent.Message{Text: "x"}, Whitelist: []string{"note.*"}})
	must(t, err)
	s := last[agent.SuggestionsOffered](t, w.end(turn.ID), agent.EventSuggestions)
	if len(s.Items) != 2 || s.Items[0].Hint != "Read" || s.Items[1].Hint != "Anything" {
		t.Fatalf("%+v", s.Items)
	}
}

func TestWhatDecideRefuses(t *testing.T) {
	w := newWorld(t)
	w.model.play(calls("note.write", `{"id":"a","text":"new"}`), calls("note.write", `{"id":"b","text":"new"}`))
	other := w.read(w.say("", "Change a").ID, agent.EventPreview)
	events := w.read(w.say("", "Change b").ID, agent.EventPreview)
	p := last[agent.PreviewShown](t, events, agent.EventPreview)
	q := last[agent.PreviewShown](t, other, agent.EventPreview)
	turn := events[0].Turn
	good := agent.Decision{CallID: p.CallID, ReceiptID: p.ReceiptID, Decision: agent.AnswerAccept}
	with := func(change func(*agent.Decision)) []agent.Decision {
		d := good
		change(&d)
		return []agent.Decision{d}
	}
	chatOnly := agent.WithPrincipal(context.Background(), agent.Principal{UserID: userID, OrgID: orgID, Tier: agent.TierUser, Scopes: []agent.CredentialScope{agent.ScopeChat}})
	viewer := agent.WithPrincipal(context.Background(), agent.Principal{UserID: userID, OrgID: orgID, Tier: agent.TierViewer, Scopes: []agent.CredentialScope{agent.ScopeChat, agent.ScopeApprove}})
	for _, c := range []struct {
		name string
		ctx  context.Context
		d    []agent.Decision
		code agent.Code
	}{
		{"another user", as("user_2", orgID), []agent.Decision{good}, agent.CodeNotFound},
		{"another org", as(userID, "org_2"), []agent.Decision{good}, agent.CodeNotFound},
		{"another turn's receipt", me(), with(func(d *agent.Decision) { d.CallID, d.ReceiptID = q.CallID, q.ReceiptID }), agent.CodeNotFound},
		{"a receipt of another call", me(), with(func(d *agent.Decision) { d.CallID = q.CallID }), agent.CodeNotFound},
		{"a word that is no decision", me(), with(func(d *agent.Decision) { d.Decision = "yes" }), agent.CodeInvalidInput},
		{"an accept with edited arguments", me(), with(func(d *agent.Decision) { d.Input = []byte(`{"id":"a"}`) }), agent.CodeInvalidInput},
		{"an edit without arguments", me(), with(func(d *agent.Decision) { d.Decision = agent.AnswerEdit }), agent.CodeInvalidInput},
		{"an edit that does not validate", me(), with(func(d *agent.Decision) { d.Decision, d.Input = agent.AnswerEdit, []byte(`{"id":7}`) }), agent.CodeInvalidInput},
		{"an edit that changes nothing", me(), with(func(d *agent.Decision) { d.Decision, d.Input = agent.AnswerEdit, []byte(`{"text":"new","id":"b"}`) }), agent.CodeInvalidInput},
		{"no decision", me(), nil, agent.CodeInvalidInput},
		{"the same call twice", me(), []agent.Decision{good, good}, agent.CodeInvalidInput},
		{"a credential that may not approve", chatOnly, []agent.Decision{good}, agent.CodeForbidden},
		{"a tier lost between preview and accept", viewer, []agent.Decision{good}, agent.CodeForbidden},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := w.engine.Decide(c.ctx, agent.DecisionRequest{TurnID: turn, Decisions: c.d})
			if agent.ErrorCode(err) != c.code {
				t.Fatalf("got %v", err)
			}
		})
	}
	if w.notes.count() != 0 || w.turn(turn).State != agent.TurnAwaiting {
		t.Fatalf("%d effects, %s", w.notes.count(), w.turn(turn).State)
	}
	w.clock.add(7*24*time.Hour - time.Millisecond)
	if _, err := w.engine.Decide(me(), agent.DecisionRequest{TurnID: other[0].Turn, Decisions: []agent.Decision{{CallID: q.CallID, ReceiptID: q.ReceiptID, Decision: agent.AnswerAccept}}}); err != nil {
		t.Fatalf("a moment before it expires: %v", err)
	}
	w.clock.add(time.Millisecond)
	if _, err := w.engine.Decide(me(), agent.DecisionRequest{TurnID: turn, Decisions: []agent.Decision{good}}); agent.ErrorCode(err) != agent.CodeGone {
		t.Fatalf("after it expired: %v", err)
	}
}

func TestAnAbandonedPreviewExpiresAndIsCleanedUp(t *testing.T) {
	w := newWorld(t)
	w.model.play(calls("note.write", `{"id":"a","text":"new"}`))
	turn := w.say("", "Change a")
	w.read(turn.ID, agent.EventPreview)
	<-w.engine.Idle(turn.ID)
	if n, err := w.engine.ExpirePreviews(context.Background()); n != 0 || err != nil {
		t.Fatalf("too early: %d, %v", n, err)
	}
	w.clock.add(8 * 24 * time.Hour)
	n, err := w.engine.ExpirePreviews(context.Background())
	must(t, err)
	events := w.end(turn.ID)
	gapless(t, events)
	d := last[agent.Decided](t, events, agent.EventDecision)
	if n != 1 || d.Decision != agent.VerdictExpired || w.notes.cleaned != 1 || w.turn(turn.ID).State != agent.TurnCanceled {
		t.Fatalf("%d, %+v, cleaned %d, %s", n, d, w.notes.cleaned, w.turn(turn.ID).State)
	}
	if n, err := w.engine.ExpirePreviews(context.Background()); n != 0 || err != nil {
		t.Fatalf("a second time: %d, %v", n, err)
	}
}

func TestForeignReadersFindNothing(t *testing.T) {
	w := newWorld(t)
	turn := w.say("", "Hi")
	w.end(turn.ID)
	for name, ctx := range map[string]context.Context{
		"another user of the org": as("user_2", orgID), "the same user in another org": as(userID, "org_2"), "another org": as("user_2", "org_2"),
	} {
		if _, err := w.engine.Turn(ctx, turn.ID); agent.ErrorCode(err) != agent.CodeNotFound {
			t.Errorf("%s reads the turn: %v", name, err)
		}
		for _, err := range w.engine.Events(ctx, turn.ID, agent.Position{}) {
			if agent.ErrorCode(err) != agent.CodeNotFound {
				t.Errorf("%s reads events: %v", name, err)
			}
		}
		for _, err := range w.engine.ThreadEvents(ctx, turn.ThreadID, agent.Cursor{}) {
			if agent.ErrorCode(err) != agent.CodeNotFound {
				t.Errorf("%s reads the thread: %v", name, err)
			}
		}
		if err := w.engine.CancelTurn(ctx, turn.ID); agent.ErrorCode(err) != agent.CodeNotFound {
			t.Errorf("%s stops the turn: %v", name, err)
		}
		page, err := w.engine.Turns(ctx, agent.TurnQuery{ThreadID: turn.ThreadID})
		if err == nil && len(page.Items) != 0 {
			t.Errorf("%s lists %d turns", name, len(page.Items))
		}
	}
}
