package account

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

const canary = "sk-ant-CANARY-0123456789"

func newKey(provider, label, key string) agent.NewKey {
	return agent.NewKey{Provider: provider, Label: label, Key: agent.NewSecret(key)}
}

func TestAKeyIsTestedWithTheRealToolsAndThenStored(t *testing.T) {
	o := newOffice(t)
	o.model.during = func() { o.now = o.now.Add(250 * time.Millisecond) }
	got, err := o.AddKey(alice, newKey("anthropic", "", canary))
	if err != nil || !got.Test.OK || got.Test.Model != "claude-sonnet-4-6" || got.Test.LatencyMS != 250 || got.Label != "personal" || got.ID != "kypersonal" {
		t.Fatalf("%+v, %v", got, err)
	}
	asked := o.model.asked[0]
	if len(asked.Tools) != 1 || asked.Tools[0].Name != "slide_edit" || asked.Key.Reveal() != canary || asked.MaxTokens != testMaxTokens ||
		asked.Model != "claude-sonnet-4-6" || len(asked.Messages) != 1 {
		t.Errorf("asked %+v", asked)
	}
}

func TestARejectedKeyIsNotStoredAndAnyOtherFailureIsNoReason(t *testing.T) {
	o := newOffice(t)
	o.model.err = agent.Wrap(agent.CodeKeyInvalid, fmt.Errorf("401 %s", canary), "The provider rejected the key.")
	_, err := o.AddKey(alice, newKey("anthropic", "", canary))
	refused(t, "rejected", err, agent.CodeKeyInvalid, "/key")
	if len(o.vault.keys) != 0 {
		t.Error("it was stored")
	}
	for code, failure := range map[agent.Code]error{
		agent.CodeRateLimited: agent.Errorf(agent.CodeRateLimited, "Slow."), agent.CodeOverloaded: agent.Errorf(agent.CodeOverloaded, "Busy."),
		agent.CodeTimeout: agent.Errorf(agent.CodeTimeout, "Late."), agent.CodeInvalidInput: agent.Errorf(agent.CodeInvalidInput, "No tools."),
		agent.CodeInternal: fmt.Errorf("dial %s", canary),
	} {
		o := newOffice(t)
		o.model.err = failure
		got, err := o.AddKey(alice, newKey("anthropic", "", canary))
		if err != nil || got.Test.OK || got.Test.Code != code || got.Test.Message == "" || len(o.vault.keys) != 1 || strings.Contains(got.Test.Message, "CANARY") {
			t.Errorf("%s: %+v, %v", code, got, err)
		}
	}
	o = newOffice(t)
	o.model.silent = true
	if got, err := o.AddKey(alice, newKey("anthropic", "", canary)); err != nil || got.Test.OK || got.Test.Code != agent.CodeProviderError {
		t.Errorf("an answer that broke off: %+v, %v", got, err)
	}
}

func TestWhatCannotBeAKeyIsSentNowhere(t *testing.T) {
	long := strings.Repeat("k", maxKeyBytes)
	cases := []struct {
		name    string
		ctx     context.Context
		key     agent.NewKey
		code    agent.Code
		pointer string
	}{
		{"nobody", context.Background(), newKey("anthropic", "", canary), agent.CodeUnauthenticated, ""},
		{"a viewer", viewer, newKey("anthropic", "", canary), agent.CodeForbidden, ""},
		{"an unknown provider", alice, newKey("evil", "", canary), agent.CodeInvalidInput, "/provider"},
		{"a provider without keys", alice, newKey("ollama", "", canary), agent.CodeInvalidInput, "/provider"},
		{"no provider", alice, newKey("", "", canary), agent.CodeInvalidInput, "/provider"},
		{"too short", alice, newKey("anthropic", "", "1234567"), agent.CodeInvalidInput, "/key"},
		{"at the lower limit", alice, newKey("anthropic", "", "12345678"), "", ""},
		{"at the upper limit", alice, newKey("anthropic", "", long), "", ""},
		{"too long", alice, newKey("anthropic", "", long+"k"), agent.CodeInvalidInput, "/key"},
		{"a space", alice, newKey("anthropic", "", "sk-ant 0123456789"), agent.CodeInvalidInput, "/key"},
		{"a line break", alice, newKey("anthropic", "", canary+"\n"), agent.CodeInvalidInput, "/key"},
		{"a control character", alice, newKey("anthropic", "", canary+"\x7f"), agent.CodeInvalidInput, "/key"},
		{"no UTF-8", alice, newKey("anthropic", "", canary+"\xff"), agent.CodeInvalidInput, "/key"},
		{"a label at the limit", alice, newKey("anthropic", strings.Repeat("é", maxLabelChars), canary), "", ""},
		{"a label over the limit", alice, newKey("anthropic", strings.Repeat("é", maxLabelChars+1), canary), agent.CodeInvalidInput, "/label"},
		{"a label of two lines", alice, newKey("anthropic", "a\nb", canary), agent.CodeInvalidInput, "/label"},
		{"anthropic's key for openai", alice, newKey("openai", "", canary), agent.CodeInvalidInput, "/key"},
		{"openai's key for anthropic", alice, newKey("anthropic", "", "sk-proj-0123456789"), agent.CodeInvalidInput, "/key"},
		{"groq's key for openai", alice, newKey("openai", "", "gsk_0123456789"), agent.CodeInvalidInput, "/key"},
		{"openai's own", alice, newKey("openai", "", "sk-proj-0123456789"), "", ""},
		{"a beginning that many have", alice, newKey("anthropic", "", "sk-0123456789"), "", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			o := newOffice(t)
			_, err := o.AddKey(c.ctx, c.key)
			if c.code == "" {
				if err != nil || len(o.model.asked) != 1 {
					t.Errorf("%v", err)
				}
				return
			}
			refused(t, c.name, err, c.code, c.pointer)
			if len(o.model.asked) != 0 || len(o.vault.keys) != 0 {
				t.Error("it went somewhere")
			}
			if strings.Contains(fmt.Sprintf("%v %+v %#v", err, err, err)+o.log.String(), c.key.Key.Reveal()) {
				t.Errorf("the key is in the error: %v", err)
			}
		})
	}
}

func TestAKeyOfAnotherProviderIsRefusedInTheNamesThatPeopleKnow(t *testing.T) {
	cases := []struct{ provider, key, want string }{
		{"openai", canary, "This looks like a key of Anthropic, but the provider chosen is OpenAI. It was not sent anywhere."},
		{"anthropic", "gsk_0123456789", "This looks like a key of Groq, but the provider chosen is Anthropic. It was not sent anywhere."},
		{"our-own", "sk-proj-0123456789", "This looks like a key of OpenAI, but the provider chosen is our-own. It was not sent anywhere."},
	}
	for _, c := range cases {
		if got := keyFault(c.provider, c.key); got != c.want {
			t.Errorf("%s: %q", c.provider, got)
		}
	}
}

func TestAUserKeepsAtMostFiftyKeys(t *testing.T) {
	o := newOffice(t)
	for i := range maxKeys - 1 {
		_, _ = o.vault.Put(alice, "anthropic", fmt.Sprint("l", i), agent.NewSecret(canary))
	}
	if _, err := o.AddKey(alice, newKey("anthropic", "at the limit", canary)); err != nil {
		t.Errorf("at the limit: %v", err)
	}
	_, err := o.AddKey(alice, newKey("anthropic", "over", canary))
	refused(t, "over", err, agent.CodeInvalidInput, "/label")
	if _, err := o.AddKey(alice, newKey("anthropic", "l7", canary)); err != nil {
		t.Errorf("one that replaces another: %v", err)
	}
}

func TestRotatingKeepsProviderAndLabel(t *testing.T) {
	o := newOffice(t)
	_, _ = o.vault.Put(alice, "openai", "work", agent.NewSecret("sk-old-0123456789"))
	got, err := o.RotateKey(alice, "kywork", agent.NewSecret("sk-new-0123456789"))
	if err != nil || got.Provider != "openai" || got.Label != "work" || o.vault.keys[1].Secret.Reveal() != "sk-new-0123456789" {
		t.Errorf("%+v, %v", got, err)
	}
	_, err = o.RotateKey(alice, "none", agent.NewSecret(canary))
	refused(t, "another id", err, agent.CodeNotFound, "")
	_, err = o.RotateKey(alice, "kywork", agent.NewSecret(canary))
	refused(t, "another provider's key", err, agent.CodeInvalidInput, "/key")
}

func TestAStoredKeyIsTestedAsItIs(t *testing.T) {
	o := newOffice(t)
	_, _ = o.vault.Put(alice, "anthropic", "a", agent.NewSecret(canary))
	_, _ = o.vault.Put(alice, "gone", "b", agent.NewSecret(canary))
	if got, err := o.TestKey(alice, "kya"); err != nil || !got.OK || len(o.model.asked[0].Tools) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	o.model.err = agent.Errorf(agent.CodeKeyInvalid, "Rejected.")
	if got, err := o.TestKey(alice, "kya"); err != nil || got.OK || got.Code != agent.CodeKeyInvalid || got.Message != "Rejected." {
		t.Errorf("rejected: %+v, %v", got, err)
	}
	if got, err := o.TestKey(alice, "kyb"); err != nil || got.OK || got.Code != agent.CodeUnavailable {
		t.Errorf("a provider that is not configured any more: %+v, %v", got, err)
	}
	_, err := o.TestKey(alice, "none")
	refused(t, "another id", err, agent.CodeNotFound, "")
	if list, err := o.Keys(alice); err != nil || len(list) != 2 {
		t.Errorf("%+v, %v", list, err)
	}
	if err := o.RevokeKey(alice, "kya"); err != nil || o.vault.revoked[0] != "kya" {
		t.Errorf("%v", err)
	}
}

func TestKeyTestsAreBoundedForEachCaller(t *testing.T) {
	o := newOffice(t)
	_, _ = o.vault.Put(alice, "anthropic", "a", agent.NewSecret(canary))
	var within error
	o.model.during = func() { _, within = o.TestKey(alice, "kya"); o.model.during = nil }
	if _, err := o.TestKey(alice, "kya"); err != nil {
		t.Fatal(err)
	}
	refused(t, "two at once", within, agent.CodeRateLimited, "")
	for i := range testsInWindow - 1 {
		if _, err := o.TestKey(alice, "kya"); err != nil {
			t.Fatalf("test %d: %v", i+2, err)
		}
	}
	o.now = o.now.Add(testWindow - time.Second)
	_, err := o.TestKey(alice, "kya")
	refused(t, "one more in the minute", err, agent.CodeRateLimited, "")
	if e := new(agent.Error); !asError(err, &e) || e.RetryAfter != time.Second {
		t.Errorf("come back after %v", e.RetryAfter)
	}
	if _, err := o.TestKey(bob, "kya"); err != nil {
		t.Errorf("another caller: %v", err)
	}
	o.now = o.now.Add(time.Second)
	if _, err := o.TestKey(alice, "kya"); err != nil {
		t.Errorf("a minute later: %v", err)
	}
	o.now = o.now.Add(2 * testWindow)
	if _, err := o.TestKey(bob, "kya"); err != nil || len(o.tests.callers) != 1 {
		t.Errorf("quiet callers are kept: %d, %v", len(o.tests.callers), err)
	}
}
