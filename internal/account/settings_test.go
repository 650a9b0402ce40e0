package account

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

func TestTheNextTurnsModelIsTheUsersTheOrgsOrTheOperators(t *testing.T) {
	cases := []struct {
		name, user, org string
		choice          bool
		want            string
	}{
		{"the operator's", "", "", true, "claude-sonnet-4-6"},
		{"the org's", "", "gpt-5.2", true, "gpt-5.2"},
		{"the user's", "claude-opus-4-6", "gpt-5.2", true, "claude-opus-4-6"},
		{"the user may not choose", "claude-opus-4-6", "gpt-5.2", false, "gpt-5.2"},
		{"the user's is not served any more", "gone", "gpt-5.2", true, "gpt-5.2"},
		{"the org's is not served any more", "", "gone", true, "claude-sonnet-4-6"},
	}
	for _, c := range cases {
		o := newOffice(t)
		o.store.user.Model, o.store.policy = c.user, agent.OrgPolicy{DefaultModel: c.org, AllowModelChoice: c.choice, Billing: agent.BillingLingering}
		v, err := o.Settings(alice)
		if err != nil || v.Effective.Name != c.want || v.ModelChoice != c.choice {
			t.Errorf("%s: %+v, %v", c.name, v, err)
		}
		if !reflect.DeepEqual(v.Providers, []string{"anthropic", "openai"}) || len(v.Models) != len(catalogue) || v.ResponseMode != agent.ResponseConcise {
			t.Errorf("%s: %+v", c.name, v)
		}
	}
}

func TestAKeyIsRequiredWhereNeitherOrgNorUserHasOne(t *testing.T) {
	org := map[string]agent.KeyRef{"anthropic": {Source: agent.KeySourceOrg}}
	user := []agent.KeyRef{{Provider: "anthropic", Source: agent.KeySourceUser}}
	cases := []struct {
		name     string
		billing  agent.Billing
		org      map[string]agent.KeyRef
		user     []agent.KeyRef
		model    string
		source   agent.KeySource
		required bool
	}{
		{"lingering, none", agent.BillingLingering, nil, nil, "", "", true},
		{"lingering, only the org's", agent.BillingLingering, org, nil, "", "", true},
		{"lingering, the user's", agent.BillingLingering, org, user, "", agent.KeySourceUser, false},
		{"paying, the org's first", agent.BillingPaying, org, user, "", agent.KeySourceOrg, false},
		{"paying, else the user's", agent.BillingPaying, nil, user, "", agent.KeySourceUser, false},
		{"paying, none", agent.BillingPaying, nil, nil, "", "", true},
		{"another provider's", agent.BillingLingering, nil, user, "gpt-5.2", "", true},
		{"the scripted model", agent.BillingLingering, nil, nil, "scripted", agent.KeySourceNone, false},
		{"an endpoint without keys", agent.BillingLingering, nil, nil, "llama", agent.KeySourceNone, false},
		{"billing of the principal", "", org, nil, "", "", true},
	}
	for _, c := range cases {
		o := newOffice(t)
		o.vault.org, o.vault.keys = c.org, c.user
		o.store.policy = agent.OrgPolicy{Billing: c.billing, DefaultModel: c.model}
		v, err := o.Settings(alice)
		if err != nil || v.KeySource != c.source || v.KeyRequired != c.required {
			t.Errorf("%s: source %q, required %v, %v", c.name, v.KeySource, v.KeyRequired, err)
		}
		if want := c.billing; want != "" && v.Billing != want || v.Billing == "" {
			t.Errorf("%s: billing %q", c.name, v.Billing)
		}
	}
}

func TestAKeyThatDoesNotOpenIsNone(t *testing.T) {
	o := newOffice(t)
	o.vault.keys = []agent.KeyRef{{Provider: "anthropic"}}
	o.vault.err = errors.New("does not open")
	if v, err := o.Settings(alice); err != nil || !v.KeyRequired || !strings.Contains(o.log.String(), "does not open") {
		t.Errorf("%+v, %v", v, err)
	}
}

func TestAnOrgsKeyThatDoesNotOpenAsksNobodyForTheirs(t *testing.T) {
	o := newOffice(t)
	o.store.policy = agent.OrgPolicy{Billing: agent.BillingPaying}
	o.vault.orgErr = agent.Errorf(agent.CodeInternal, "does not open")
	if v, err := o.Settings(alice); err != nil || v.KeyRequired || v.KeySource != agent.KeySourceOrg || !strings.Contains(o.log.String(), "does not open") {
		t.Errorf("%+v, %v", v, err)
	}
}

func TestSettingsAreCheckedBeforeTheyAreStored(t *testing.T) {
	cases := []struct {
		name    string
		give    agent.UserSettings
		choice  bool
		code    agent.Code
		pointer string
	}{
		{"a model", agent.UserSettings{Model: "gpt-5.2"}, true, "", ""},
		{"the org's default again", agent.UserSettings{}, false, "", ""},
		{"thorough", agent.UserSettings{ResponseMode: agent.ResponseThorough}, false, "", ""},
		{"an unknown model", agent.UserSettings{Model: "gone"}, true, agent.CodeInvalidInput, "/model"},
		{"an unknown mode", agent.UserSettings{ResponseMode: "loud"}, true, agent.CodeInvalidInput, "/responseMode"},
		{"a model where the org fixed it", agent.UserSettings{Model: "gpt-5.2"}, false, agent.CodePolicyDenied, "/model"},
	}
	for _, c := range cases {
		o := newOffice(t)
		o.store.policy.AllowModelChoice = c.choice
		v, err := o.PutSettings(alice, c.give)
		if c.code == "" {
			if err != nil || o.store.user != c.give || c.give.Model != "" && v.Effective.Name != c.give.Model {
				t.Errorf("%s: %+v, %v", c.name, v, err)
			}
			continue
		}
		refused(t, c.name, err, c.code, c.pointer)
		if o.store.user != (agent.UserSettings{}) {
			t.Errorf("%s was stored", c.name)
		}
	}
	o := newOffice(t)
	o.store.err = agent.Errorf(agent.CodeStorageBusy, "Busy.")
	_, get := o.Settings(alice)
	_, put := o.PutSettings(alice, agent.UserSettings{})
	refused(t, "get from a busy store", get, agent.CodeStorageBusy, "")
	refused(t, "put to a busy store", put, agent.CodeStorageBusy, "")
	_, err := o.PutSettings(t.Context(), agent.UserSettings{})
	refused(t, "nobody", err, agent.CodeUnauthenticated, "")
}

func TestFeedbackIsAThumbAndAShortNote(t *testing.T) {
	at := strings.Repeat("x", maxNote)
	for _, c := range []struct {
		note    agent.FeedbackNote
		pointer string
	}{
		{agent.FeedbackNote{TurnID: "tn1", Thumb: agent.ThumbUp, Note: "good"}, ""}, {agent.FeedbackNote{TurnID: "tn1", Thumb: agent.ThumbDown}, ""},
		{agent.FeedbackNote{TurnID: "tn1"}, ""}, {agent.FeedbackNote{TurnID: "tn1", Note: at}, ""}, {agent.FeedbackNote{TurnID: "tn1", Note: at + "x"}, "/note"},
		{agent.FeedbackNote{TurnID: "tn1", Thumb: "sideways"}, "/thumb"}, {agent.FeedbackNote{TurnID: "tn1", Note: "\xff"}, "/note"},
	} {
		o := newOffice(t)
		err := o.GiveFeedback(alice, c.note)
		if c.pointer != "" {
			refused(t, c.pointer, err, agent.CodeInvalidInput, c.pointer)
		} else if err != nil || o.store.note != c.note {
			t.Errorf("%+v: %v", c.note, err)
		}
	}
}
