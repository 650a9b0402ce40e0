package engine_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/engine"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

// streams is a model made of one function a call.
type streams func(ctx context.Context, req agent.ModelRequest, yield func(agent.Delta, error) bool)

func (s streams) Stream(ctx context.Context, req agent.ModelRequest) iter.Seq2[agent.Delta, error] {
	return func(yield func(agent.Delta, error) bool) { s(ctx, req, yield) }
}

func failing(err *agent.Error) func(agent.ModelRequest) (scripted.Round, error) {
	return func(agent.ModelRequest) (scripted.Round, error) { return scripted.Round{}, err }
}

func TestAProviderThatRecoversIsAskedAgain(t *testing.T) {
	w := newWorld(t)
	busy := &agent.Error{Code: agent.CodeOverloaded, Message: "busy", Retryable: true, RetryAfter: time.Millisecond}
	w.model.playFunc(failing(busy))
	w.model.playFunc(failing(busy))
	w.model.play(says("Back."))
	events := w.end(w.say("", "Hi").ID)
	if text(events) != "Back." || len(w.model.seen()) != 3 {
		t.Fatalf("%q after %d requests", text(events), len(w.model.seen()))
	}
	var waited bool
	for _, ev := range events {
		waited = waited || (ev.Kind == agent.EventCast && strings.Contains(string(ev.Data), "trying again"))
	}
	if !waited {
		t.Fatal("nobody was told about the wait")
	}
}

func TestHowAFailedModelCallEndsTheTurn(t *testing.T) {
	for _, c := range []struct {
		name     string
		err      *agent.Error
		requests int
	}{
		{"a rejected key is not tried again", &agent.Error{Code: agent.CodeKeyInvalid, Message: "no"}, 1},
		{"a provider that stays busy is asked three times", &agent.Error{Code: agent.CodeOverloaded, Message: "no", Retryable: true, RetryAfter: time.Millisecond}, 3},
		{"a wait longer than the limit is not waited", &agent.Error{Code: agent.CodeRateLimited, Message: "no", Retryable: true, RetryAfter: 31 * time.Second}, 1},
		{"a request that the provider refuses is not tried again", &agent.Error{Code: agent.CodeInvalidInput, Message: "no"}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			for range 5 {
				w.model.playFunc(failing(c.err))
			}
			turn := w.say("", "Hi")
			events := w.end(turn.ID)
			gapless(t, events)
			failed := last[agent.TurnFailedData](t, events, agent.EventTurnFailed)
			if failed.Code != c.err.Code || len(w.model.seen()) != c.requests {
				t.Fatalf("%+v after %d requests", failed, len(w.model.seen()))
			}
			if c.err.Code == agent.CodeKeyInvalid && (failed.Status != 402 || failed.KeySource != agent.KeySourceNone || failed.Panel != "") {
				t.Fatalf("a rejected key gives %+v", failed)
			}
			if got := w.turn(turn.ID); got.State != agent.TurnFailed || got.ErrorCode != c.err.Code {
				t.Fatalf("turn %+v", got)
			}
			w.model.raw = nil
			w.model.rounds = nil
			if next := w.end(w.say(turn.ThreadID, "Again").ID); text(next) != "ok" {
				t.Fatalf("the thread's next message gives %q", text(next))
			}
		})
	}
}

func TestAnAnswerThatBreaksOffKeepsItsText(t *testing.T) {
	w := newWorld(t)
	w.model.raw = streams(func(_ context.Context, _ agent.ModelRequest, yield func(agent.Delta, error) bool) {
		yield(agent.Delta{Kind: agent.DeltaText, Text: "Half an"}, nil)
		yield(agent.Delta{}, &agent.Error{Code: agent.CodeProviderError, Message: "cut", Retryable: true})
	})
	turn := w.say("", "Hi")
	events := w.end(turn.ID)
	failed := last[agent.TurnFailedData](t, events, agent.EventTurnFailed)
	if text(events) != "Half an" || !failed.Recoverable {
		t.Fatalf("%q, %+v", text(events), failed)
	}
	w.model.raw = nil
	w.end(w.say(turn.ThreadID, "Go on").ID)
	history := w.model.seen()[0].Messages
	if len(history) != 3 || history[1].Role != agent.RoleAssistant || history[1].Blocks[0].Text != "Half an" {
		t.Fatalf("the model reads %+v", history)
	}
}

func TestAStreamThatEndsSilentlyIsAnError(t *testing.T) {
	w := newWorld(t)
	w.model.raw = streams(func(_ context.Context, _ agent.ModelRequest, yield func(agent.Delta, error) bool) {
		yield(agent.Delta{Kind: agent.DeltaText, Text: "Hal"}, nil)
	})
	events := w.end(w.say("", "Hi").ID)
	if f := last[agent.TurnFailedData](t, events, agent.EventTurnFailed); f.Code != agent.CodeProviderError {
		t.Fatalf("%+v", f)
	}
}

func TestAModelThatPanicsEndsTheTurnHonestly(t *testing.T) {
	w := newWorld(t)
	w.model.raw = streams(func(context.Context, agent.ModelRequest, func(agent.Delta, error) bool) { panic("boom secret") })
	events := w.end(w.say("", "Hi").ID)
	f := last[agent.TurnFailedData](t, events, agent.EventTurnFailed)
	if f.Code != agent.CodeInternal || strings.Contains(f.Message, "secret") {
		t.Fatalf("%+v", f)
	}
}

func TestBoundsOfATurn(t *testing.T) {
	t.Run("a model that goes round in circles is stopped at the cap", func(t *testing.T) {
		w := newWorld(t, func(w *world) { w.limits = engine.Limits{Steps: 3} })
		for range 10 {
			w.model.play(calls("note.read", `{"id":"a"}`))
		}
		events := w.end(w.say("", "Loop").ID)
		if f := last[agent.TurnFailedData](t, events, agent.EventTurnFailed); f.Code != agent.CodeBudgetExceeded || len(w.model.seen()) != 3 {
			t.Fatalf("%+v after %d requests", f, len(w.model.seen()))
		}
	})
	t.Run("a model that does not listen to refusals is ended after three of them", func(t *testing.T) {
		w := newWorld(t)
		for range 20 {
			w.model.play(calls("note.search", `{"id":"a"}`))
		}
		events := w.end(w.say("", "Search on").ID)
		if f := last[agent.TurnFailedData](t, events, agent.EventTurnFailed); f.Code != agent.CodeBudgetExceeded || len(w.model.seen()) != 5+3 {
			t.Fatalf("%+v after %d requests", f, len(w.model.seen()))
		}
	})
	t.Run("the sixth search is refused and the turn goes on", func(t *testing.T) {
		w := newWorld(t)
		for range 6 {
			w.model.play(calls("note.search", `{"id":"a"}`))
		}
		w.model.play(says("Enough."))
		events := w.end(w.say("", "Search").ID)
		var ok, refused int
		for _, ev := range events {
			var d agent.CapabilityDone
			if ev.Kind == agent.EventCapabilityDone && ev.Decode(&d) == nil {
				if d.OK {
					ok++
				} else if d.Error.Code == agent.CodeRateLimited {
					refused++
				}
			}
		}
		if ok != 5 || refused != 1 || text(events) != "Enough." {
			t.Fatalf("%d searches, %d refused, %q", ok, refused, text(events))
		}
	})
	t.Run("output tokens", func(t *testing.T) {
		w := newWorld(t, func(w *world) { w.limits = engine.Limits{TokensOut: 100} })
		round := calls("note.read", `{"id":"a"}`)
		n := int64(60)
		round.Usage = &agent.Usage{TokensOut: &n}
		w.model.play(round, round, round)
		events := w.end(w.say("", "Write a lot").ID)
		if f := last[agent.TurnFailedData](t, events, agent.EventTurnFailed); f.Code != agent.CodeBudgetExceeded || len(w.model.seen()) != 2 {
			t.Fatalf("%+v after %d requests", f, len(w.model.seen()))
		}
	})
	t.Run("time", func(t *testing.T) {
		w := newWorld(t, func(w *world) { w.limits = engine.Limits{TurnTime: 20 * time.Millisecond} })
		w.model.raw = streams(func(ctx context.Context, _ agent.ModelRequest, yield func(agent.Delta, error) bool) {
			<-ctx.Done()
			yield(agent.Delta{}, ctx.Err())
		})
		events := w.end(w.say("", "Slow").ID)
		if f := last[agent.TurnFailedData](t, events, agent.EventTurnFailed); f.Code != agent.CodeTimeout {
			t.Fatalf("%+v", f)
		}
	})
}

func TestWhatADispatchRefusesIsReadByTheModel(t *testing.T) {
	for _, c := range []struct{ name, call, input, code string }{
		{"a capability outside the whitelist", "book.export", `{}`, "not_executed"},
		{"a capability that does not exist", "note.readx", `{"id":"a"}`, "not_executed"},
		{"arguments of the wrong shape", "note.read", `{"id":7}`, "invalid_input"},
		{"arguments that do not parse", "note.read", `{"id":`, "invalid_input"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.model.play(scripted.Round{Calls: []scripted.Call{{Name: c.call, InputText: c.input}}}, says("I can not."))
			turn, err := w.engine.StartTurn(me(), agent.TurnRequest{ProjectID: "book", Message: agent.Message{Text: "x"}, Whitelist: []string{"note.*"}})
			must(t, err)
			events := w.end(turn.ID)
			d := last[agent.CapabilityDone](t, events, agent.EventCapabilityDone)
			if d.OK || string(d.Error.Code) != c.code || text(events) != "I can not." || w.notes.count() != 0 {
				t.Fatalf("%+v %+v, %q", d, d.Error, text(events))
			}
			results := w.model.seen()[1].Messages
			if r := results[len(results)-1].Blocks[0]; !r.Error || !strings.Contains(r.Text, c.code) {
				t.Fatalf("the model reads %+v", r)
			}
		})
	}
}

func TestAHandlersOwnErrorTextStaysInTheLog(t *testing.T) {
	w := newWorld(t)
	w.notes.onEnter(func(context.Context, string) error { return errors.New("dsn=postgres://secret") })
	w.model.play(calls("note.read", `{"id":"a"}`), says("Sorry."))
	events := w.end(w.say("", "Read").ID)
	d := last[agent.CapabilityDone](t, events, agent.EventCapabilityDone)
	if d.Error.Code != agent.CodeToolError || strings.Contains(d.Error.Message, "secret") {
		t.Fatalf("%+v", d.Error)
	}
}

func TestACapabilityAsksTheModelOnTheTurnsOwnKey(t *testing.T) {
	w := newWorld(t, func(w *world) { w.vault.key = "sk-secret-secret" })
	in := int64(7)
	w.model.play(calls("note.draft", `{"id":"a"}`), scripted.Round{Text: scripted.Text{"Draft."}, Usage: &agent.Usage{TokensIn: &in}}, says("Here."))
	turn, err := w.engine.StartTurn(me(), agent.TurnRequest{ProjectID: "book", Message: agent.Message{Text: "x"}, Model: "paid"})
	must(t, err)
	events := w.end(turn.ID)
	if d := last[agent.CapabilityDone](t, events, agent.EventCapabilityDone); string(d.Output) != `"Draft."` {
		t.Fatalf("%s %+v", d.Output, d.Error)
	}
	asked := w.model.seen()[1]
	if asked.Purpose != "note.draft" || len(asked.Tools) != 0 || asked.Key.Reveal() != "sk-secret-secret" {
		t.Fatalf("asked %+v", asked)
	}
	rows, err := w.store.Transcripts(me(), turn.ThreadID)
	must(t, err)
	if rows[0].KeySource != agent.KeySourceUser || rows[0].TokensIn == nil || *rows[0].TokensIn != 7 {
		t.Fatalf("transcript %+v", rows[0])
	}
}

func TestAKeyRevokedInARunningTurnIsGoneAtOnce(t *testing.T) {
	w := newWorld(t, func(w *world) { w.vault.key = "sk-secret-secret" })
	w.notes.onEnter(func(context.Context, string) error { return w.vault.Revoke(context.Background(), "key_1") })
	w.model.play(calls("note.read", `{"id":"a"}`), says("never"))
	turn, err := w.engine.StartTurn(me(), agent.TurnRequest{ProjectID: "book", Message: agent.Message{Text: "x"}, Model: "paid"})
	must(t, err)
	if f := last[agent.TurnFailedData](t, w.end(turn.ID), agent.EventTurnFailed); f.Code != agent.CodeKeyRequired || len(w.model.seen()) != 1 {
		t.Fatalf("%+v after %d requests", f, len(w.model.seen()))
	}
}
