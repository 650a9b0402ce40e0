package corpustest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

var searchCases = []Case{
	{"words are found whatever their case and what stands around them", func(tb TB, open Open) {
		c := open(NewEmbedder())
		filler(tb, c, global, 12)
		note(tb, c, global, "deploy.md", "How Deployments are ROLLED out.")
		for _, query := range []string{"deployments", "DEPLOYMENTS", "deploy", "rolled", "how do I deploy? please!", "nonsenseword deployments xy", `"deployments"`, "$deployments*"} {
			if got := paths(find(tb, c, query, global)); len(got) == 0 || got[0] != "deploy.md" {
				tb.Errorf("%q found %q", query, got)
			}
		}
	}},
	{"a short word that stands everywhere does not outweigh a rare one", func(tb TB, open Open) {
		c := open(nil)
		e := open(NewEmbedder())
		for i := range 12 {
			note(tb, e, global, fmt.Sprintf("filler/%03d.md", i), "It is as it is, and it is to be done as it is in all of it.")
		}
		note(tb, e, global, "rare.md", "In an hour of talk on very many other things the word kerning once came up, and it was gone again.")
		if got := paths(find(tb, c, "and is it to be as of kerning", global)); len(got) == 0 || got[0] != "rare.md" {
			tb.Errorf("got %q", got)
		}
	}},
	{"any text is a good query", func(tb TB, open Open) {
		c := open(NewEmbedder())
		note(tb, c, global, "a.md", `NEAR and OR title : body AND NOT "quote" * ^ ( ) { } -`)
		for _, query := range hostile {
			if _, err := c.Find(context.Background(), []agent.Scope{global}, agent.CorpusQuery{Query: query, Results: 3}); err != nil {
				tb.Errorf("%q: %v", query, err)
			}
		}
		for _, query := range []string{"", "  ", "?!", "\x00"} {
			if got := find(tb, c, query, global); len(got.Passages) != 0 {
				tb.Errorf("%q, which has no word, found %q", query, paths(got))
			}
		}
	}},
	{"title, tags and source repo boost and are no gate", func(tb TB, open Open) {
		c := open(nil) // the words alone, so that nothing else moves them
		e := open(NewEmbedder())
		filler(tb, e, global, 12)
		const text = "A word on letters and more about this thing here."
		put(tb, e, global, "body.md", section("body.md", "Something", strings.Replace(text, "letters", "kerning", 1)))
		put(tb, e, global, "tag.md", section("tag.md", "Other kerns", strings.Replace(text, "letters", "kerning", 1), "kerning"))
		put(tb, e, global, "title.md", section("title.md", "Kerning", strings.Replace(text, "letters", "kerning", 1), "kerning"))
		repo := agent.Passage{Text: text + " kerning", Title: "Else", SourcePath: "repo.md", SourceRepo: "typeset"}
		put(tb, e, global, "repo.md", agent.Section{Passage: repo, Hash: repo.Hash()})
		if got := paths(find(tb, c, "kerning", global)); !slices.Equal(got[:2], []string{"title.md", "tag.md"}) || !slices.Contains(got, "body.md") {
			tb.Errorf("got %q", got)
		}
		if got := paths(find(tb, c, "kerning typeset", global)); got[0] != "title.md" && got[0] != "repo.md" || slices.Index(got, "repo.md") > slices.Index(got, "body.md") {
			tb.Errorf("the source repo does not boost: %q", got)
		}
	}},
	{"scopes of several tenants are ranked as one", func(tb TB, open Open) {
		c := open(NewEmbedder())
		filler(tb, c, global, 24)
		put(tb, c, acme, "weak.md", section("weak.md", "Talk", "We once said chroma, and then talked about the weather for an hour."))
		put(tb, c, global, "strong.md", section("strong.md", "Chroma tenancy", "Chroma tenancy is by path. Tenancy of chroma is native."))
		put(tb, c, log, "log.md", section("log.md", "Release", "chroma tenancy arrived"))
		for _, c := range []agent.Finder{c, open(nil)} {
			got := paths(find(tb, c, "chroma tenancy", acme, global, log))
			if len(got) < 3 || got[0] != "strong.md" || got[1] != "log.md" || !slices.Contains(got, "weak.md") {
				tb.Errorf("got %q", got)
			}
		}
	}},
	{"results are one to ten", func(tb TB, open Open) {
		c := open(NewEmbedder())
		filler(tb, c, global, 15)
		for asked, want := range map[int]int{-1: 1, 0: 1, 1: 1, 9: 9, 10: 10, 11: 10} {
			found, err := c.Find(context.Background(), []agent.Scope{global}, agent.CorpusQuery{Query: "weather", Results: asked})
			if err != nil || len(found.Passages) != want {
				tb.Errorf("asked for %d, got %d (%v), want %d", asked, len(found.Passages), err, want)
			}
		}
	}},
	{"what is found comes best first and the same way each time", func(tb TB, open Open) {
		c := open(NewEmbedder())
		filler(tb, c, global, 15)
		first := find(tb, c, "weather and lunch", global)
		if !slices.IsSortedFunc(first.Passages, func(a, b agent.Passage) int {
			return -compare(a.Score, b.Score)
		}) {
			tb.Errorf("not best first: %+v", first.Passages)
		}
		for range 3 {
			if again := find(tb, c, "weather and lunch", global); !slices.Equal(paths(again), paths(first)) {
				tb.Errorf("first %q, then %q", paths(first), paths(again))
			}
		}
	}},
	{"Search gives the passages of Find", func(tb TB, open Open) {
		c := open(NewEmbedder())
		filler(tb, c, global, 5)
		found := find(tb, c, "weather", global)
		passages, err := c.Search(context.Background(), []agent.Scope{global}, agent.CorpusQuery{Query: "weather", Results: 5})
		if err != nil || len(passages) != 5 || !slices.Equal(paths(agent.Findings{Passages: passages}), paths(found)) {
			tb.Errorf("got %+v, %v", passages, err)
		}
	}},
	{"a cancelled search ends as cancelled", func(tb TB, open Open) {
		c := open(NewEmbedder())
		note(tb, c, global, "a.md", "b")
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := c.Find(ctx, []agent.Scope{global}, agent.CorpusQuery{Query: "b"}); !errors.Is(err, context.Canceled) {
			tb.Errorf("got %v", err)
		}
	}},
}

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func filler(tb TB, c agent.Corpus, s agent.Scope, n int) {
	tb.Helper()
	for i := range n {
		note(tb, c, s, fmt.Sprintf("filler/%03d.md", i), fmt.Sprintf("Some ordinary words about weather and lunch, number %d.", i))
	}
}

// hostile are queries that a careless adapter reads as syntax.
var hostile = []string{`"`, `a" OR "b`, "NEAR(a b)", "title:x", "a*", "^a", "((", "AND", "NOT x", "a -b", "{a b}:c", "\x00",
	"'; DROP TABLE section; --", "\xff", "ﬀ", "İß", `{"$contains": "x"}`, `$or`, `"}]}`, `.*`, `\`, "%", "_", "a\nb", strings.Repeat("word ", 500), strings.Repeat("x", 3000)}
