// Package corpustest is the conformance suite that every corpus passes: what the port
// promises, said in cases that run over an empty place each.
//
// An adapter's own test calls Run. The cases are also there one by one, over a small
// TB, so that a test can run them against corpora that are broken on purpose and see
// that each fault is caught.
package corpustest

import (
	"context"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

// Open opens the corpus of one empty place with an embedder, or with none (nil). A
// case opens its place several times, and finds again what it put there.
type Open func(e agent.Embedder) agent.Finder

// TB is the part of testing.TB that a case uses. Fatalf does not return.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Case is one promise.
type Case struct {
	Name string
	// Run fails tb where the corpus breaks the promise.
	Run func(tb TB, open Open)
}

// Run runs every case over a place of its own.
func Run(t *testing.T, place func(t testing.TB) Open) {
	t.Helper()
	for _, c := range Cases() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			c.Run(t, place(t))
		})
	}
}

// Cases gives all cases.
func Cases() []Case {
	var all []Case
	for _, cases := range [][]Case{putCases, searchCases, tenancyCases, meaningCases} {
		all = append(all, cases...)
	}
	return all
}

// Places that the cases use.
var (
	global = agent.Scope{Tenant: agent.GlobalTenant, Collection: agent.CollectionContextVigilance}
	log    = agent.Scope{Tenant: agent.GlobalTenant, Collection: agent.CollectionChangelog}
	acme   = agent.Scope{Tenant: agent.ClientTenant("acme"), Collection: agent.CollectionSessions}
	globex = agent.Scope{Tenant: agent.ClientTenant("globex"), Collection: agent.CollectionSessions}
)

// section makes one section of a document.
func section(path, title, text string, tags ...string) agent.Section {
	p := agent.Passage{Text: text, Title: title, SourcePath: path, Tags: tags}
	return agent.Section{Passage: p, Hash: p.Hash()}
}

func put(tb TB, c agent.Corpus, s agent.Scope, path string, sections ...agent.Section) int {
	tb.Helper()
	n, err := c.Put(context.Background(), s, path, sections)
	if err != nil {
		tb.Fatalf("Put %s: %v", path, err)
	}
	return n
}

// note puts a document of one section.
func note(tb TB, c agent.Corpus, s agent.Scope, path, text string) {
	tb.Helper()
	put(tb, c, s, path, section(path, "Note", text))
}

func find(tb TB, c agent.Finder, query string, scopes ...agent.Scope) agent.Findings {
	tb.Helper()
	found, err := c.Find(context.Background(), scopes, agent.CorpusQuery{Query: query, Results: 5})
	if err != nil {
		tb.Fatalf("Find %q: %v", query, err)
	}
	return found
}

// paths gives the source paths of what was found, in order.
func paths(found agent.Findings) []string {
	out := []string{}
	for _, p := range found.Passages {
		out = append(out, p.SourcePath)
	}
	return out
}
