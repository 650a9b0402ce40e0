package builtin_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/capability"
	"github.com/lossless-group/in-app-agent/capability/builtin"
	"github.com/lossless-group/in-app-agent/corpus/embedded"
)

// corpus remembers what it was asked and answers what it is told to.
type corpus struct {
	agent.Corpus
	scopes []agent.Scope
	query  agent.CorpusQuery
	asked  int
	found  []agent.Passage
	err    error
}

func (c *corpus) Search(_ context.Context, scopes []agent.Scope, q agent.CorpusQuery) ([]agent.Passage, error) {
	c.scopes, c.query = scopes, q
	c.asked++
	return c.found, c.err
}

type found struct {
	Passages []struct {
		agent.Passage
		Truncated bool
	}
	Note string
}

func searching(c agent.Corpus) *capability.Registry {
	reg := capability.NewRegistry()
	reg.Add(builtin.CorpusSearch(c))
	return reg
}

func TestTheTenantComesFromThePrincipal(t *testing.T) {
	const global = "lossless__global/context-vigilance-corpus lossless__global/lossless-changelog"
	noOrg := editor
	noOrg.OrgSlug = ""
	for name, tt := range map[string]struct {
		who         agent.Principal
		collections string
		want        string
	}{
		"everything":              {editor, ``, global + " client__acme/client-app-sessions"},
		"an empty list":           {editor, `,"collections":[]`, global + " client__acme/client-app-sessions"},
		"one":                     {editor, `,"collections":["client-app-sessions"]`, "client__acme/client-app-sessions"},
		"in the order of ours":    {editor, `,"collections":["lossless-changelog","context-vigilance-corpus","lossless-changelog"]`, global},
		"a principal without org": {noOrg, ``, global},
	} {
		t.Run(name, func(t *testing.T) {
			c := &corpus{}
			read[found](t, run(t, searching(c), tt.who, "corpus.search", `{"query":"x"`+tt.collections+`}`))
			var got []string
			for _, s := range c.scopes {
				got = append(got, s.Tenant+"/"+s.Collection)
				if s.Database != "" {
					t.Errorf("database %q", s.Database)
				}
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("searched %q, want %q", got, tt.want)
			}
		})
	}
}

func TestASearchThatMustNotBeIsNotMade(t *testing.T) {
	for name, input := range map[string]string{
		"a hidden collection":      `{"query":"x","collections":["claude-code-sessions"]}`,
		"another hidden one":       `{"query":"x","collections":["lossless-changelog","claude-code-tool-traces"]}`,
		"a collection's id":        `{"query":"x","collections":["0f8fad5b-d9cb-469f-a165-70867728950e"]}`,
		"a path":                   `{"query":"x","collections":["../client__globex/client-app-sessions"]}`,
		"a tenant":                 `{"query":"x","tenant":"client__globex"}`,
		"a filter":                 `{"query":"x","where":{"org_id":"globex"}}`,
		"no query":                 `{}`,
		"an empty query":           `{"query":" "}`,
		"a query over the limit":   `{"query":"` + strings.Repeat("x", builtin.MaxQueryBytes+1) + `"}`,
		"too few results":          `{"query":"x","nResults":-1}`,
		"too many results":         `{"query":"x","nResults":11}`,
		"half a result":            `{"query":"x","nResults":1.5}`,
		"a collection in capitals": `{"query":"x","collections":["Lossless-Changelog"]}`,
	} {
		c := &corpus{}
		if res := run(t, searching(c), editor, "corpus.search", input); res.OK || res.Error.Code != agent.CodeInvalidInput || c.asked != 0 {
			t.Errorf("%s: %+v, asked %d times", name, res, c.asked)
		}
	}
	viewer := editor
	viewer.Tier = agent.TierViewer
	if res := run(t, searching(&corpus{}), viewer, "corpus.search", `{"query":"x"}`); res.OK || res.Error.Code != agent.CodeForbidden {
		t.Errorf("a viewer got %+v", res)
	}
}

func TestTheNumberOfResultsIsKept(t *testing.T) {
	for input, want := range map[string]int{``: 5, `,"nResults":0`: 5, `,"nResults":1`: 1, `,"nResults":9`: 9, `,"nResults":10`: 10} {
		c := &corpus{}
		for i := range 20 {
			c.found = append(c.found, agent.Passage{Text: fmt.Sprint(i), Collection: agent.CollectionChangelog})
		}
		got := read[found](t, run(t, searching(c), editor, "corpus.search", `{"query":" a b "`+input+`}`))
		if len(got.Passages) != want || c.query.Results != want || c.query.Query != "a b" {
			t.Errorf("%q: %d passages, asked %+v", input, len(got.Passages), c.query)
		}
	}
}

func TestPassagesAreCitableAndBounded(t *testing.T) {
	text := strings.Repeat("é", builtin.MaxPassageBytes/2)
	c := &corpus{found: []agent.Passage{
		{Text: text, Title: "T", SourcePath: "a.md", SourceRepo: "r", Date: "2026-01-01", Tags: []string{"x"}, Collection: agent.CollectionChangelog, Score: 2},
		{Text: "x" + text, Collection: agent.CollectionSessions},
		{Text: "leaked", Collection: "claude-code-sessions"},
	}}
	got := read[found](t, run(t, searching(c), editor, "corpus.search", `{"query":"x"}`))
	if len(got.Passages) != 2 {
		t.Fatalf("got %d passages", len(got.Passages))
	}
	whole, cut := got.Passages[0], got.Passages[1]
	if whole.Text != text || whole.Truncated || whole.Title != "T" || whole.SourcePath != "a.md" || whole.SourceRepo != "r" ||
		whole.Date != "2026-01-01" || whole.Tags[0] != "x" || whole.Collection != agent.CollectionChangelog {
		t.Errorf("got %+v", whole.Passage)
	}
	if !cut.Truncated || len(cut.Text) > builtin.MaxPassageBytes || strings.Contains(cut.Text, "\uFFFD") || !strings.HasSuffix(cut.Text, "é") {
		t.Errorf("a long passage came with %d bytes", len(cut.Text))
	}
	if got := read[found](t, run(t, searching(&corpus{}), editor, "corpus.search", `{"query":"x"}`)); got.Note == "" || got.Passages == nil {
		t.Errorf("nothing found reads %+v", got)
	}
	if res := run(t, searching(&corpus{err: agent.Errorf(agent.CodeUnavailable, "Down.")}), editor, "corpus.search", `{"query":"x"}`); res.OK || res.Error.Code != agent.CodeUnavailable {
		t.Errorf("got %+v", res)
	}
}

func TestASearchOverRealFilesStaysWithItsTenant(t *testing.T) {
	c, err := embedded.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	for tenant, collection := range map[string]string{agent.GlobalTenant: agent.CollectionChangelog,
		agent.ClientTenant("acme"): agent.CollectionSessions, agent.ClientTenant("globex"): agent.CollectionSessions} {
		if _, err := c.Put(context.Background(), agent.Scope{Tenant: tenant, Collection: collection}, tenant+".md",
			embedded.Sections([]byte("# Canary\nof "+tenant), tenant+".md")); err != nil {
			t.Fatal(err)
		}
	}
	got := read[found](t, run(t, searching(c), editor, "corpus.search", `{"query":"canary"}`))
	if len(got.Passages) != 2 {
		t.Fatalf("got %d passages", len(got.Passages))
	}
	for _, p := range got.Passages {
		if strings.Contains(p.Text, "globex") {
			t.Errorf("acme reads %q", p.Text)
		}
	}
}
