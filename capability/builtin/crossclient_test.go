//go:build !selfhosted

package builtin_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/capability"
	"github.com/lossless-group/in-app-agent/capability/builtin"
)

// clients are the orgs of a fake store, and the searches that it recorded.
type clients struct {
	list     []agent.Client
	recorded []agent.ClientSearch
	err      error
}

func (c *clients) Clients(context.Context) ([]agent.Client, error) { return c.list, nil }

func (c *clients) RecordSearch(_ context.Context, s agent.ClientSearch) error {
	if c.err == nil {
		c.recorded = append(c.recorded, s)
	}
	return c.err
}

// sessions is a corpus that has some passages of each tenant.
type sessions struct {
	agent.Corpus
	of    map[string][]agent.Passage
	asked []agent.Scope
	err   error
}

func (s *sessions) Search(_ context.Context, scopes []agent.Scope, q agent.CorpusQuery) ([]agent.Passage, error) {
	s.asked = append(s.asked, scopes...)
	var out []agent.Passage
	for _, scope := range scopes {
		out = append(out, s.of[scope.Tenant]...)
	}
	return out[:min(len(out), q.Results)], s.err
}

func said(text string, score float64) agent.Passage {
	return agent.Passage{Text: text, Title: text, SourcePath: text + ".md", Collection: agent.CollectionSessions, Score: score}
}

type bench struct {
	t       *testing.T
	clients *clients
	corpus  *sessions
	reg     *capability.Registry
}

func across(t *testing.T, change ...func(*builtin.Across)) *bench {
	t.Helper()
	b := &bench{t: t, clients: &clients{list: []agent.Client{
		{OrgID: "o1", Slug: "acme", Name: "Acme Ferries"}, {OrgID: "o2", Slug: "borg", Name: "Borg", OptedOut: true}, {OrgID: "o3", Slug: "cato", Name: "Cato & Sons"},
	}}, corpus: &sessions{of: map[string][]agent.Passage{
		"client__acme": {said("a1", 0.2), said("a2", 0.1)}, "client__borg": {said("secret of borg", 9)}, "client__cato": {said("c1", 0.9), said("c2", 0.8), said("c3", 0.7)},
	}}, reg: capability.NewRegistry()}
	a := builtin.Across{Corpus: b.corpus, Clients: b.clients}
	for _, f := range change {
		f(&a)
	}
	b.reg.Add(builtin.CrossClientSearch(a))
	return b
}

func (b *bench) env() *capability.Env {
	return &capability.Env{Offered: map[string]bool{"corpus.search_cross_client": true}, Counter: capability.NewCounter(capability.Limits{}, 0, 0),
		Allow: func(agent.Capability) *agent.ResultError { return nil }}
}

func (b *bench) call(input string) *agent.Call {
	return &agent.Call{ID: "call_1", Turn: "turn_1", Key: "turn_1/call_1/apply", Capability: "corpus.search_cross_client", Input: json.RawMessage(input),
		Principal: agent.Principal{UserID: "s", OrgID: "house", Tier: agent.TierAdmin, Staff: true}, Now: func() time.Time { return time.UnixMilli(77) }}
}

// propose gives the preview and the receipt of it.
func (b *bench) propose(input string) (agent.Preview, agent.Receipt, *agent.ResultError) {
	b.t.Helper()
	call := b.call(input)
	d := b.reg.Dispatch(context.Background(), b.env(), call)
	if !d.Result.OK {
		return agent.Preview{}, agent.Receipt{}, d.Result.Error
	}
	_, digest, err := capability.Canonical(call.Input)
	if err != nil {
		b.t.Fatal(err)
	}
	return *d.Result.Preview, agent.Receipt{ID: "rc1", CallID: call.ID, TurnID: call.Turn, Capability: call.Capability, InputDigest: digest, Resources: d.Resources}, nil
}

type acrossFound struct {
	Passages []struct {
		Org string
		agent.Passage
	}
	Searched        []string
	SkippedByOptOut []string
	Note            string
}

func TestASearchAcrossClientsIsShownAndNotMade(t *testing.T) {
	b := across(t)
	p, _, refused := b.propose(`{"query":"ferry routes"}`)
	if refused != nil {
		t.Fatal(refused)
	}
	var shown struct {
		Query           string
		Searched        []string
		SkippedByOptOut []string
	}
	if err := json.Unmarshal([]byte(p.Artifacts[0].Text), &shown); err != nil || shown.Query != "ferry routes" ||
		!slices.Equal(shown.Searched, []string{"acme", "cato"}) || !slices.Equal(shown.SkippedByOptOut, []string{"borg"}) {
		t.Errorf("shown %+v, %v", shown, err)
	}
	if len(b.corpus.asked) != 0 || len(b.clients.recorded) != 0 {
		t.Errorf("searched %v, recorded %v before the accept", b.corpus.asked, b.clients.recorded)
	}
}

func TestAnAcceptSearchesWhoAllowsItAndIsRecordedWithEach(t *testing.T) {
	b := across(t)
	input := `{"query":"routes of Cato & Sons, mail jo@cato.example, +43 660 1234567","nResults":4}`
	_, receipt, refused := b.propose(input)
	if refused != nil {
		t.Fatal(refused)
	}
	got := read[acrossFound](t, b.reg.Apply(context.Background(), b.env(), b.call(input), receipt))
	var order []string
	for _, p := range got.Passages {
		order = append(order, p.Org+":"+p.Text)
	}
	if want := []string{"cato:c1", "acme:a1", "cato:c2", "acme:a2"}; !slices.Equal(order, want) {
		t.Errorf("found %q, want the best of each first: %q", order, want)
	}
	for _, s := range b.corpus.asked {
		if s.Tenant == "client__borg" || s.Collection != agent.CollectionSessions {
			t.Errorf("asked %+v", s)
		}
	}
	if len(b.clients.recorded) != 1 {
		t.Fatalf("recorded %+v", b.clients.recorded)
	}
	s := b.clients.recorded[0]
	if s.ID != "turn_1/call_1/apply" || s.ReceiptID != "rc1" || s.At != 77 || s.Query != "routes of Cato & Sons, mail [redacted], [redacted]" ||
		len(s.Searched) != 2 || s.Searched[0].Results != 2 || s.Searched[1].Results != 2 || len(s.Skipped) != 1 || s.Skipped[0].Slug != "borg" {
		t.Errorf("recorded %+v", s)
	}
	if s.Searched[0].Query != "routes of [redacted], mail [redacted], [redacted]" || !strings.Contains(s.Searched[1].Query, "Cato & Sons") {
		t.Errorf("acme reads %q, cato reads %q", s.Searched[0].Query, s.Searched[1].Query)
	}
}

func TestAClientThatOptsOutAfterThePreviewIsNotSearched(t *testing.T) {
	b := across(t)
	_, receipt, _ := b.propose(`{"query":"x"}`)
	b.clients.list[2].OptedOut = true
	res := b.reg.Apply(context.Background(), b.env(), b.call(`{"query":"x"}`), receipt)
	if res.OK || res.Error.Code != agent.CodeStalePreview || len(b.corpus.asked) != 0 {
		t.Errorf("%+v, asked %v", res, b.corpus.asked)
	}
	b = across(t)
	_, receipt, _ = b.propose(`{"query":"x"}`)
	b.clients.err = agent.Errorf(agent.CodeConflict, "opted out while it was searched")
	if res := b.reg.Apply(context.Background(), b.env(), b.call(`{"query":"x"}`), receipt); res.OK || res.Error.Code != agent.CodeStalePreview {
		t.Errorf("in the same moment: %+v", res)
	}
}

func TestWhatCannotBeRecordedIsNotShown(t *testing.T) {
	b := across(t)
	_, receipt, _ := b.propose(`{"query":"x"}`)
	b.clients.err = agent.Errorf(agent.CodeStorageFull, "full")
	if res := b.reg.Apply(context.Background(), b.env(), b.call(`{"query":"x"}`), receipt); res.OK || len(res.Output) != 0 {
		t.Errorf("%+v", res)
	}
	b = across(t, func(a *builtin.Across) {
		a.Redact = func(context.Context, string) (string, error) {
			return "", agent.Errorf(agent.CodeUnavailable, "no rules")
		}
	})
	_, receipt, _ = b.propose(`{"query":"x"}`)
	if res := b.reg.Apply(context.Background(), b.env(), b.call(`{"query":"x"}`), receipt); res.OK || len(b.clients.recorded) != 0 {
		t.Errorf("without redaction: %+v", res)
	}
	b = across(t)
	_, receipt, _ = b.propose(`{"query":"x"}`)
	b.corpus.err = agent.Errorf(agent.CodeUnavailable, "away")
	if res := b.reg.Apply(context.Background(), b.env(), b.call(`{"query":"x"}`), receipt); res.OK || len(b.clients.recorded) != 0 {
		t.Errorf("a search that failed was recorded: %+v", res)
	}
}

func TestASearchAcrossClientsThatMustNotBe(t *testing.T) {
	many := make([]agent.Client, builtin.MaxClients+1)
	for i := range many {
		many[i] = agent.Client{OrgID: fmt.Sprint("o", i), Slug: fmt.Sprint("c", i)}
	}
	for name, c := range map[string]struct {
		input string
		list  []agent.Client
		code  agent.Code
	}{
		"of one that opted out":         {`{"query":"x","orgs":["borg"]}`, nil, agent.CodePolicyDenied},
		"of nobody":                     {`{"query":"x"}`, []agent.Client{}, agent.CodePolicyDenied},
		"of an unknown slug":            {`{"query":"x","orgs":["acme","nobody"]}`, nil, agent.CodeInvalidInput},
		"of a slug that is a path":      {`{"query":"x","orgs":["../acme"]}`, nil, agent.CodeInvalidInput},
		"of a tenant instead of a slug": {`{"query":"x","orgs":["client__acme"]}`, nil, agent.CodeInvalidInput},
		"without words":                 {`{"query":" "}`, nil, agent.CodeInvalidInput},
		"with too many results":         {`{"query":"x","nResults":11}`, nil, agent.CodeInvalidInput},
		"with a collection":             {`{"query":"x","collections":["claude-code-sessions"]}`, nil, agent.CodeInvalidInput},
		"of a client too many":          {`{"query":"x"}`, many, agent.CodeInvalidInput},
		"of as many as it may":          {`{"query":"x"}`, many[:builtin.MaxClients], ""},
		"of a client fewer":             {`{"query":"x"}`, many[:builtin.MaxClients-1], ""},
		"of some of very many":          {`{"query":"x","orgs":["c1","c100"]}`, many, ""},
	} {
		b := across(t)
		if c.list != nil {
			b.clients.list = c.list
		}
		_, _, refused := b.propose(c.input)
		if (refused == nil) != (c.code == "") || (refused != nil && refused.Code != c.code) {
			t.Errorf("%s: %+v", name, refused)
		}
	}
}

func TestACrashDuringASearchMakesItAgain(t *testing.T) {
	b := across(t)
	known, done, _ := b.reg.Verify(context.Background(), b.env(), b.call(`{"query":"x"}`))
	if !known || done {
		t.Errorf("known %v, done %v", known, done)
	}
	c, _ := b.reg.Get("corpus.search_cross_client")
	if !c.StaffOnly || !c.RequiresConfirmation || !c.Retrieval || c.RequiredTier != agent.TierAdmin || c.Kind != agent.KindRead {
		t.Errorf("%+v", c)
	}
	if found := b.reg.Lint(); len(found) != 0 {
		t.Errorf("%+v", found)
	}
}
