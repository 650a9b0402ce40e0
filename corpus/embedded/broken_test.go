package embedded_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/corpus/corpustest"
)

// broken is a corpus with one fault; a nil member is as it should be.
type broken struct {
	agent.Finder
	find func(ctx context.Context, c agent.Finder, scopes []agent.Scope, q agent.CorpusQuery) (agent.Findings, error)
	put  func(ctx context.Context, c agent.Finder, scope agent.Scope, path string, sections []agent.Section) (int, error)
	// embedder replaces what the corpus is opened with.
	embedder func(agent.Embedder) agent.Embedder
}

func (b broken) Find(ctx context.Context, scopes []agent.Scope, q agent.CorpusQuery) (agent.Findings, error) {
	if b.find != nil {
		return b.find(ctx, b.Finder, scopes, q)
	}
	return b.Finder.Find(ctx, scopes, q)
}

func (b broken) Put(ctx context.Context, scope agent.Scope, path string, sections []agent.Section) (int, error) {
	if b.put != nil {
		return b.put(ctx, b.Finder, scope, path, sections)
	}
	return b.Finder.Put(ctx, scope, path, sections)
}

// changed makes a fault of what is found.
func changed(f func(agent.Findings) agent.Findings) broken {
	return broken{find: func(ctx context.Context, c agent.Finder, scopes []agent.Scope, q agent.CorpusQuery) (agent.Findings, error) {
		found, err := c.Find(ctx, scopes, q)
		if err != nil {
			return found, err
		}
		return f(found), nil
	}}
}

// everywhere makes a fault of where is looked.
func everywhere(f func([]agent.Scope) []agent.Scope) broken {
	return broken{find: func(ctx context.Context, c agent.Finder, scopes []agent.Scope, q agent.CorpusQuery) (agent.Findings, error) {
		return c.Find(ctx, f(scopes), q)
	}}
}

type nameless struct{ agent.Embedder }

func (nameless) Model() agent.EmbeddingModel { return agent.EmbeddingModel{Name: "", Dimensions: 384} }

// faults are corpora that are broken on purpose, with the case that must catch each.
var faults = map[string]struct {
	broken broken
	caught string
}{
	"it looks in the other client's tenant too": {everywhere(func(s []agent.Scope) []agent.Scope { return append(s, acme, globex) }), "a tenant never sees another"},
	"it looks in every collection": {everywhere(func(s []agent.Scope) []agent.Scope {
		for _, scope := range slices.Clone(s) {
			for _, name := range agent.Collections {
				s = append(s, agent.Scope{Tenant: scope.Tenant, Database: scope.Database, Collection: name})
			}
		}
		return s
	}), "a collection never gives another's"},
	"it leaves the database out": {everywhere(func(s []agent.Scope) []agent.Scope {
		s = slices.Clone(s)
		for i := range s {
			s[i].Database = ""
		}
		return s
	}), "a database never gives another's"},
	"it skips a name that is no plain word": {everywhere(func(s []agent.Scope) []agent.Scope {
		return slices.DeleteFunc(slices.Clone(s), func(s agent.Scope) bool { return s.Check() != nil })
	}), "names that are no plain words are refused"},
	"it trims the text": {changed(func(f agent.Findings) agent.Findings {
		for i := range f.Passages {
			f.Passages[i].Text = strings.TrimSpace(f.Passages[i].Text)
		}
		return f
	}), "a passage comes back verbatim with its citation"},
	"it forgets the date": {changed(func(f agent.Findings) agent.Findings {
		for i := range f.Passages {
			f.Passages[i].Date = ""
		}
		return f
	}), "a passage comes back verbatim with its citation"},
	"it makes up a tag": {changed(func(f agent.Findings) agent.Findings {
		for i := range f.Passages {
			f.Passages[i].Tags = append(f.Passages[i].Tags, "")
		}
		return f
	}), "a passage without tags, date and repo comes back without"},
	"tags are a gate": {changed(func(f agent.Findings) agent.Findings {
		tagged := slices.DeleteFunc(slices.Clone(f.Passages), func(p agent.Passage) bool { return len(p.Tags) == 0 })
		if len(tagged) > 0 {
			f.Passages = tagged
		}
		return f
	}), "title, tags and source repo boost and are no gate"},
	"it gives the worst first": {changed(func(f agent.Findings) agent.Findings { slices.Reverse(f.Passages); return f }), "what is found comes best first and the same way each time"},
	"it always says hybrid":    {changed(func(f agent.Findings) agent.Findings { f.Ranking, f.Note = agent.RankingHybrid, ""; return f }), "without an embedder words alone rank, and it says so"},
	"it never says why": {changed(func(f agent.Findings) agent.Findings { f.Note = ""; return f }),
		"an embedder that fails costs a search no more than the meaning"},
	"it always gives ten": {broken{find: func(ctx context.Context, c agent.Finder, scopes []agent.Scope, q agent.CorpusQuery) (agent.Findings, error) {
		q.Results = 10
		return c.Find(ctx, scopes, q)
	}}, "results are one to ten"},
	"a query is an expression": {broken{find: func(ctx context.Context, c agent.Finder, scopes []agent.Scope, q agent.CorpusQuery) (agent.Findings, error) {
		if strings.Count(q.Query, `"`)%2 == 1 {
			return agent.Findings{}, fmt.Errorf("unterminated string")
		}
		return c.Find(ctx, scopes, q)
	}}, "any text is a good query"},
	"it looks at upper case": {broken{find: func(ctx context.Context, c agent.Finder, scopes []agent.Scope, q agent.CorpusQuery) (agent.Findings, error) {
		q.Query = strings.Map(func(r rune) rune {
			if r >= 'A' && r <= 'Z' {
				return -1
			}
			return r
		}, q.Query)
		return c.Find(ctx, scopes, q)
	}}, "words are found whatever their case and what stands around them"},
	"it goes on after a cancel": {broken{find: func(ctx context.Context, c agent.Finder, scopes []agent.Scope, q agent.CorpusQuery) (agent.Findings, error) {
		return c.Find(context.WithoutCancel(ctx), scopes, q)
	}}, "a cancelled search ends as cancelled"},
	"it ranks each scope by itself": {broken{find: func(ctx context.Context, c agent.Finder, scopes []agent.Scope, q agent.CorpusQuery) (agent.Findings, error) {
		var all agent.Findings
		for _, s := range scopes {
			found, err := c.Find(ctx, []agent.Scope{s}, q)
			if err != nil {
				return found, err
			}
			found.Passages = append(all.Passages, found.Passages...)
			all = found
		}
		all.Passages = all.Passages[:min(len(all.Passages), max(q.Results, 1))]
		return all, nil
	}}, "scopes of several tenants are ranked as one"},
	"Search gives one less": {broken{}, "Search gives the passages of Find"}, // its Search is below
	"Put always tells all": {broken{put: func(ctx context.Context, c agent.Finder, scope agent.Scope, path string, sections []agent.Section) (int, error) {
		_, err := c.Put(ctx, scope, path, sections)
		return len(sections), err
	}}, "Put tells what changed"},
	"it removes nothing": {broken{put: func(ctx context.Context, c agent.Finder, scope agent.Scope, path string, sections []agent.Section) (int, error) {
		if len(sections) == 0 {
			return 0, nil
		}
		return c.Put(ctx, scope, path, sections)
	}}, "what was removed is not found by its meaning"},
	"Put replaces all paths": {broken{put: func(ctx context.Context, c agent.Finder, scope agent.Scope, _ string, sections []agent.Section) (int, error) {
		return c.Put(ctx, scope, "one", sections)
	}}, "Put replaces its own path only"},
	"Put cuts what is too long": {broken{put: func(ctx context.Context, c agent.Finder, scope agent.Scope, path string, sections []agent.Section) (int, error) {
		sections = slices.Clone(sections)
		for i := range sections {
			sections[i].Text = sections[i].Text[:min(len(sections[i].Text), agent.MaxSectionBytes)]
		}
		return c.Put(ctx, scope, path, sections)
	}}, "the limits of Put hold"},
	"Put takes a hundred": {broken{put: func(ctx context.Context, c agent.Finder, scope agent.Scope, path string, sections []agent.Section) (int, error) {
		if len(sections) > agent.MaxSections {
			return c.Put(ctx, scope, path, sections)
		}
		_, err := c.Put(ctx, scope, path, sections[:min(len(sections), 100)])
		return len(sections), err
	}}, "more sections than one batch are all there"},
	"the same path is one document for all": {broken{put: func(ctx context.Context, c agent.Finder, scope agent.Scope, path string, sections []agent.Section) (int, error) {
		if scope == globex && len(sections) == 0 {
			if _, err := c.Put(ctx, acme, path, nil); err != nil {
				return 0, err
			}
		}
		return c.Put(ctx, scope, path, sections)
	}}, "the same path in two tenants is two documents"},
	"it embeds everything again": {broken{put: func(ctx context.Context, c agent.Finder, scope agent.Scope, path string, sections []agent.Section) (int, error) {
		if _, err := c.Put(ctx, scope, path, nil); err != nil {
			return 0, err
		}
		return c.Put(ctx, scope, path, sections)
	}}, "what stays is not embedded again"},
	"vectors have no model": {broken{embedder: func(e agent.Embedder) agent.Embedder {
		if e == nil || e.Model().Dimensions != 384 {
			return e
		}
		return nameless{e}
	}}, "vectors of two models are never compared"},
	"it uses no vectors and claims it": {broken{
		embedder: func(agent.Embedder) agent.Embedder { return nil },
		find: func(ctx context.Context, c agent.Finder, scopes []agent.Scope, q agent.CorpusQuery) (agent.Findings, error) {
			found, err := c.Find(ctx, scopes, q)
			found.Ranking, found.Note = agent.RankingHybrid, ""
			return found, err
		}}, "what means the same is found without its words"},
	"it forgets on closing": {broken{put: func(ctx context.Context, c agent.Finder, scope agent.Scope, path string, sections []agent.Section) (int, error) {
		n, err := c.Put(ctx, scope, path, sections)
		if err == nil {
			_, err = c.Put(ctx, scope, path, nil)
		}
		return n, err
	}}, "what was put is there after opening again"},
}

type oneLess struct{ broken }

func (c oneLess) Search(ctx context.Context, scopes []agent.Scope, q agent.CorpusQuery) ([]agent.Passage, error) {
	found, err := c.Find(ctx, scopes, q)
	return found.Passages[:max(0, len(found.Passages)-1)], err
}

// verdict collects what a case says.
type verdict struct{ failed []string }

func (v *verdict) Helper() {}
func (v *verdict) Errorf(format string, args ...any) {
	v.failed = append(v.failed, fmt.Sprintf(format, args...))
}
func (v *verdict) Fatalf(format string, args ...any) {
	v.Errorf(format, args...)
	runtime.Goexit()
}

func TestEveryBrokenCorpusIsCaughtByTheCaseThatIsAboutIt(t *testing.T) {
	cases := map[string]corpustest.Case{}
	for _, c := range corpustest.Cases() {
		cases[c.Name] = c
	}
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, known := cases[fault.caught]
			if !known {
				t.Fatalf("there is no case %q", fault.caught)
			}
			open := place(t)
			var v verdict
			done := make(chan any)
			go func() {
				defer close(done)
				defer func() {
					if r := recover(); r != nil {
						v.Errorf("panic: %v", r)
					}
				}()
				c.Run(&v, func(e agent.Embedder) agent.Finder {
					b := fault.broken
					if b.embedder != nil {
						e = b.embedder(e)
					}
					b.Finder = open(e)
					if fault.caught == "Search gives the passages of Find" {
						return oneLess{b}
					}
					return b
				})
			}()
			<-done
			if len(v.failed) == 0 {
				t.Errorf("%q passes", fault.caught)
			}
		})
	}
}
