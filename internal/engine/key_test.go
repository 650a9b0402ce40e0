package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// paysAs is the caller with a tier; of a paying org where the org's key is meant.
func paysAs(tier agent.Tier) context.Context {
	p, _ := agent.PrincipalFrom(me())
	p.Tier, p.Billing, p.OrgSlug = tier, agent.BillingPaying, "acme"
	return agent.WithPrincipal(context.Background(), p)
}

func TestARefusedKeySaysWhoseItWasAndWhoCanReplaceIt(t *testing.T) {
	rejected := &agent.Error{Code: agent.CodeKeyInvalid, Message: "Acme did not accept the key.", Hint: "Check the key in the settings, or add another one.", Provider: "paid", Panel: "byok"}
	unpaid := &agent.Error{Code: agent.CodeKeyInvalid, Message: "The account behind this key cannot pay for the call at Acme.", Hint: "Check the billing.", Provider: "paid", Panel: "byok"}
	for name, c := range map[string]struct {
		org    bool
		model  string
		tier   agent.Tier
		err    *agent.Error
		source agent.KeySource
		panel  string
		says   string // in the message
		hint   string
	}{
		"the person's own":                       {false, "paid", agent.TierUser, rejected, agent.KeySourceUser, "byok", "did not accept the key.", "in the settings"},
		"the org's, a member asks":               {true, "paid", agent.TierUser, rejected, agent.KeySourceOrg, "", "It is your organisation's key.", "Ask an admin"},
		"the org's, an admin asks":               {true, "paid", agent.TierAdmin, rejected, agent.KeySourceOrg, "", "It is your organisation's key.", "keys set --org acme --provider paid"},
		"the org's account cannot pay":           {true, "paid", agent.TierUser, unpaid, agent.KeySourceOrg, "", "cannot pay for the call at Acme. It is", "Ask an admin"},
		"none, at an endpoint that takes no key": {false, "scripted", agent.TierUser, rejected, agent.KeySourceNone, "", "sends none there", "configured as keyless"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, func(w *world) { w.vault.key, w.vault.org = "sk-secret-secret", c.org })
			w.model.playFunc(failing(c.err))
			turn, err := w.engine.StartTurn(paysAs(c.tier), agent.TurnRequest{ProjectID: "book", Model: c.model, Message: agent.Message{Text: "Hi"}})
			must(t, err)
			f := last[agent.TurnFailedData](t, w.end(turn.ID), agent.EventTurnFailed)
			if f.Code != agent.CodeKeyInvalid || f.Status != 402 || f.KeySource != c.source || f.Panel != c.panel || !strings.Contains(f.Message, c.says) || !strings.Contains(f.Hint, c.hint) {
				t.Errorf("%+v", f)
			}
		})
	}
}

func TestAStoredKeyThatDoesNotOpenIsToldToWhoeverCanStoreItAgain(t *testing.T) {
	shut := agent.Wrap(agent.CodeInternal, errors.New("row key_1 does not open"), "The stored key cannot be opened.")
	for name, c := range map[string]struct {
		org         bool
		tier        agent.Tier
		err         error
		code        agent.Code
		panel, hint string
	}{
		"the person's own":         {false, agent.TierUser, shut, agent.CodeKeyInvalid, "byok", "Store it again"},
		"the org's, a member asks": {true, agent.TierUser, shut, agent.CodeKeyInvalid, "", "Ask an admin"},
		"the org's, an admin asks": {true, agent.TierAdmin, shut, agent.CodeKeyInvalid, "", "keys set --org acme"},
		"the store is busy":        {true, agent.TierUser, agent.Errorf(agent.CodeStorageBusy, "busy"), agent.CodeStorageBusy, "", ""},
	} {
		for _, when := range []string{"at the start", "in the turn"} {
			t.Run(name+", "+when, func(t *testing.T) {
				w := newWorld(t, func(w *world) { w.vault.key, w.vault.org = "sk-secret-secret", c.org })
				shutNow := func() { w.vault.mu.Lock(); w.vault.err = c.err; w.vault.mu.Unlock() }
				if when == "at the start" {
					shutNow()
				}
				w.notes.onEnter(func(context.Context, string) error { shutNow(); return nil })
				w.model.play(calls("note.read", `{"id":"a"}`), says("never"))
				turn, err := w.engine.StartTurn(paysAs(c.tier), agent.TurnRequest{ProjectID: "book", Model: "paid", Message: agent.Message{Text: "Hi"}})
				if when == "in the turn" {
					must(t, err)
					if c.code == agent.CodeStorageBusy {
						return // a run waits for its store; that is another test
					}
					f := last[agent.TurnFailedData](t, w.end(turn.ID), agent.EventTurnFailed)
					err = &agent.Error{Code: f.Code, Message: f.Message, Hint: f.Hint, Panel: f.Panel, KeySource: f.KeySource}
				}
				var e *agent.Error
				if !errors.As(err, &e) || e.Code != c.code || e.Panel != c.panel || !strings.Contains(e.Hint, c.hint) || strings.Contains(e.Message, "key_1") {
					t.Fatalf("%+v", err)
				}
				if c.code == agent.CodeKeyInvalid && (e.KeySource == agent.KeySourceOrg) != c.org {
					t.Errorf("it is told as the key of %q", e.KeySource)
				}
			})
		}
	}
}

func TestWhoWaitsForAnotherTryIsToldWhy(t *testing.T) {
	w := newWorld(t)
	w.model.playFunc(failing(&agent.Error{Code: agent.CodeProviderError, Message: "Local cannot be reached from this server.", Retryable: true, RetryAfter: time.Millisecond}))
	w.model.play(says("Back."))
	for _, ev := range w.end(w.say("", "Hi").ID) {
		if ev.Kind == agent.EventCast && strings.Contains(string(ev.Data), "trying again") {
			if !strings.Contains(string(ev.Data), "Local cannot be reached from this server; trying again") {
				t.Errorf("it says %s", ev.Data)
			}
			return
		}
	}
	t.Error("nothing was told")
}
