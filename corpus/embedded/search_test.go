package embedded_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/corpus/embedded"
)

var (
	global = agent.Scope{Tenant: agent.GlobalTenant, Collection: agent.CollectionContextVigilance}
	log    = agent.Scope{Tenant: agent.GlobalTenant, Collection: agent.CollectionChangelog}
	acme   = agent.Scope{Tenant: agent.ClientTenant("acme"), Collection: agent.CollectionSessions}
	globex = agent.Scope{Tenant: agent.ClientTenant("globex"), Collection: agent.CollectionSessions}
)

func open(tb testing.TB) *embedded.Corpus {
	tb.Helper()
	c, err := embedded.Open(tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := c.Close(); err != nil {
			tb.Error(err)
		}
	})
	return c
}

func mustPut(tb testing.TB, c *embedded.Corpus, s agent.Scope, path, markdown string) int {
	tb.Helper()
	n, err := c.Put(context.Background(), s, path, embedded.Sections([]byte(markdown), path))
	if err != nil {
		tb.Fatal(err)
	}
	return n
}

func mustSearch(tb testing.TB, c *embedded.Corpus, query string, scopes ...agent.Scope) []agent.Passage {
	tb.Helper()
	found, err := c.Search(context.Background(), scopes, agent.CorpusQuery{Query: query, Results: 5})
	if err != nil {
		tb.Fatal(err)
	}
	return found
}

func paths(found []agent.Passage) string {
	var out []string
	for _, p := range found {
		out = append(out, p.SourcePath)
	}
	return strings.Join(out, " ")
}

func filler(tb testing.TB, c *embedded.Corpus, s agent.Scope, n int) {
	tb.Helper()
	for i := range n {
		mustPut(tb, c, s, fmt.Sprintf("filler/%03d.md", i), fmt.Sprintf("# Note %d\nSome ordinary words about weather and lunch, number %d.", i, i))
	}
}

func TestAPassageComesBackVerbatimWithItsCitation(t *testing.T) {
	c := open(t)
	doc := "---\ntitle: Tenancy\ndate: 2026-05-14\ntags: [chroma, silo]\nsource_repo_slug: lossless-monorepo\n---\n# Isolation\n\nBy *path*, not by filter.\n"
	mustPut(t, c, global, "specs/tenancy.md", doc)
	found := mustSearch(t, c, "isolation", global)
	if len(found) != 1 {
		t.Fatalf("found %d passages", len(found))
	}
	p := found[0]
	if p.Text != "# Isolation\n\nBy *path*, not by filter." || p.Title != "Tenancy › Isolation" ||
		p.SourcePath != "specs/tenancy.md" || p.SourceRepo != "lossless-monorepo" || p.Date != "2026-05-14" ||
		strings.Join(p.Tags, ",") != "chroma,silo" || p.Collection != global.Collection || p.Score <= 0 {
		t.Fatalf("got %+v", p)
	}
}

func TestSearchFindsWhatPeopleMean(t *testing.T) {
	c := open(t)
	filler(t, c, global, 20)
	mustPut(t, c, global, "cafe.md", "# Café crème\nServed in Zürich since März.")
	mustPut(t, c, global, "deploy.md", "# Deployments\nHow deployments are rolled out.")
	mustPut(t, c, global, "kanji.md", "# 日本語\n東京都の天気")
	mustPut(t, c, global, "tagged.md", "---\ntags: [pricing]\n---\n# Money\nWhat it costs.")
	for query, want := range map[string]string{
		"cafe":                        "cafe.md",
		"CAFÉ":                        "cafe.md",
		"zurich":                      "cafe.md",
		"cafe\u0301":                  "cafe.md", // the accent as a character of its own
		"deploy":                      "deploy.md",
		"how do I deploy? please!":    "deploy.md",
		"天気":                          "kanji.md",
		"pricing":                     "tagged.md",
		"nonsenseword deployments xy": "deploy.md",
	} {
		t.Run(query, func(t *testing.T) {
			if found := mustSearch(t, c, query, global); len(found) == 0 || found[0].SourcePath != want {
				t.Fatalf("found %q first, want %q", paths(found), want)
			}
		})
	}
	for _, query := range []string{"", "  ", "?!", "\x00", "dep", "zzzz"} {
		if found := mustSearch(t, c, query, global); len(found) != 0 {
			t.Errorf("%q found %q, want nothing", query, paths(found))
		}
	}
}

func TestTitleAndTagsBoostButAreNoGate(t *testing.T) {
	c := open(t)
	filler(t, c, global, 20)
	mustPut(t, c, global, "body.md", "# Something\nA word on kerning and more about this thing here.")
	mustPut(t, c, global, "tag.md", "---\ntags: [kerning]\n---\n# Other\nA word on letters and more about this thing here.")
	mustPut(t, c, global, "title.md", "# Kerning\nA word on letters and more about this thing here.")
	if got, want := paths(mustSearch(t, c, "kerning", global)), "title.md tag.md body.md"; got != want {
		t.Fatalf("got %q, want %q", got, want)
	}
}

func TestScopesOfSeveralTenantsAreRankedAsOne(t *testing.T) {
	c := open(t)
	filler(t, c, global, 50)
	mustPut(t, c, acme, "weak.md", "# Talk\nWe once said chroma.") // alone in its file: every word is common there
	mustPut(t, c, global, "strong.md", "# Chroma tenancy\nChroma tenancy is by path. Tenancy of chroma is native.")
	mustPut(t, c, log, "log.md", "# Release\nchroma tenancy arrived")
	if got, want := paths(mustSearch(t, c, "chroma tenancy", acme, global, log)), "strong.md log.md weak.md"; got != want {
		t.Fatalf("got %q, want %q", got, want)
	}
}

func TestATenantNeverSeesAnother(t *testing.T) {
	c := open(t)
	mustPut(t, c, acme, "a.md", "# Secret\ncanary of acme")
	mustPut(t, c, globex, "g.md", "# Secret\ncanary of globex")
	if got := paths(mustSearch(t, c, "canary", globex)); got != "g.md" {
		t.Fatalf("globex found %q", got)
	}
	other := acme
	other.Collection = agent.CollectionChangelog
	if got := mustSearch(t, c, "canary", other); len(got) != 0 {
		t.Fatalf("another collection of the tenant gave %q", paths(got))
	}
	other = acme
	other.Database = "elsewhere"
	if got := mustSearch(t, c, "canary", other); len(got) != 0 {
		t.Fatalf("another database of the tenant gave %q", paths(got))
	}
}

func TestResultsAreOneToTen(t *testing.T) {
	c := open(t)
	filler(t, c, global, 15)
	for asked, want := range map[int]int{-1: 1, 0: 1, 1: 1, 9: 9, 10: 10, 11: 10} {
		found, err := c.Search(context.Background(), []agent.Scope{global}, agent.CorpusQuery{Query: "weather", Results: asked})
		if err != nil || len(found) != want {
			t.Errorf("asked for %d, got %d (%v), want %d", asked, len(found), err, want)
		}
	}
}

func TestSearchAndPutAtOnceAgree(t *testing.T) {
	c := open(t)
	filler(t, c, global, 3)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			if i%2 == 0 {
				if _, err := c.Search(context.Background(), []agent.Scope{global, acme}, agent.CorpusQuery{Query: "weather", Results: 3}); err != nil {
					t.Error(err)
				}
				return
			}
			path := fmt.Sprintf("new%d.md", i)
			if n, err := c.Put(context.Background(), acme, path, embedded.Sections([]byte("# New\nweather "+path), path)); n != 1 || err != nil {
				t.Error(n, err)
			}
		})
	}
	wg.Wait()
	if got := mustSearch(t, c, "weather", acme); len(got) != 4 {
		t.Fatalf("found %q", paths(got))
	}
}

func FuzzSearchTakesAnyText(f *testing.F) {
	c := open(f)
	mustPut(f, c, global, "a.md", "# NEAR and OR\ntitle : body AND NOT \"quote\" * ^ ( ) { } -")
	for _, seed := range []string{`"`, `a" OR "b`, "NEAR(a b)", "title:x", "a*", "^a", "((", "AND", "NOT x", "a -b", "{a b}:c", "\x00", "'; DROP TABLE section; --", "\xff", "ﬀ", "İß"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, query string) {
		if _, err := c.Search(context.Background(), []agent.Scope{global}, agent.CorpusQuery{Query: query, Results: 3}); err != nil {
			t.Fatalf("%q: %v", query, err)
		}
	})
}
