package corpustest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	agent "github.com/lossless-group/in-app-agent"
)

var putCases = []Case{
	{"a passage comes back verbatim with its citation", func(tb TB, open Open) {
		c := open(NewEmbedder())
		p := agent.Passage{Text: "# Isolation \n\n\tBy *path*, not by “filter”.\r\n  ", Title: "Tenancy › Isolation", SourcePath: "specs/tenancy é.md",
			SourceRepo: "lossless-monorepo", Date: "2026-05-14", Tags: []string{"chroma", "a, \"b\""}}
		put(tb, c, global, p.SourcePath, agent.Section{Passage: p, Hash: p.Hash()})
		found := find(tb, c, "isolation", global)
		if len(found.Passages) != 1 {
			tb.Fatalf("found %d passages", len(found.Passages))
		}
		got := found.Passages[0]
		if got.Hash() != p.Hash() || got.Collection != global.Collection || got.Score <= 0 {
			tb.Errorf("put %+v, got %+v", p, got)
		}
	}},
	{"a passage without tags, date and repo comes back without", func(tb TB, open Open) {
		c := open(NewEmbedder())
		put(tb, c, global, "a.md", section("a.md", "", "alone"))
		if got := find(tb, c, "alone", global).Passages; len(got) != 1 || got[0].Hash() != section("a.md", "", "alone").Hash {
			tb.Errorf("got %+v", got)
		}
	}},
	{"Put tells what changed", func(tb TB, open Open) {
		c := open(NewEmbedder())
		one, two, edited := section("doc.md", "One", "first alpha"), section("doc.md", "Two", "second beta"), section("doc.md", "Two", "second gamma")
		for _, step := range []struct {
			what     string
			sections []agent.Section
			changed  int
		}{
			{"a new document", []agent.Section{one, two}, 2},
			{"the same again", []agent.Section{one, two}, 0},
			{"one section edited", []agent.Section{one, edited}, 1},
			{"sections swapped", []agent.Section{edited, one}, 0},
			{"a section without its hash", []agent.Section{{Passage: edited.Passage}, one}, 0},
			{"one section gone", []agent.Section{edited}, 1},
			{"all gone", nil, 1},
			{"nothing to nothing", nil, 0},
		} {
			if got := put(tb, c, global, "doc.md", step.sections...); got != step.changed {
				tb.Fatalf("%s: %d changed, want %d", step.what, got, step.changed)
			}
		}
		if found := find(tb, c, "alpha beta gamma first second", global); len(found.Passages) != 0 {
			tb.Errorf("what was removed is still found: %q", paths(found))
		}
	}},
	{"what stays is not embedded again", func(tb TB, open Open) {
		e := NewEmbedder()
		c := open(e)
		put(tb, c, global, "a.md", section("a.md", "A", "one"), section("a.md", "B", "two"))
		before := e.Texts.Load()
		put(tb, c, global, "a.md", section("a.md", "A", "one"), section("a.md", "B", "two"), section("a.md", "C", "three"))
		if n := e.Texts.Load() - before; n != 1 {
			tb.Errorf("%d sections were embedded for one that is new", n)
		}
	}},
	{"Put replaces its own path only", func(tb TB, open Open) {
		c := open(NewEmbedder())
		note(tb, c, global, "a.md", "shared word")
		note(tb, c, global, "b.md", "shared word")
		note(tb, c, log, "a.md", "shared word")
		note(tb, c, global, "a.md", "other")
		if got := paths(find(tb, c, "shared", global)); len(got) == 0 || got[0] != "b.md" {
			tb.Errorf("found %q first", got)
		}
		put(tb, c, global, "a.md")
		if got := paths(find(tb, c, "shared", global)); !slices.Equal(got, []string{"b.md"}) {
			tb.Errorf("found %q", got)
		}
		if got := paths(find(tb, c, "shared", log)); !slices.Equal(got, []string{"a.md"}) {
			tb.Errorf("the other collection's document of that path: %q", got)
		}
	}},
	{"the same section twice is stored once", func(tb TB, open Open) {
		c := open(NewEmbedder())
		s := section("a.md", "A", "word")
		if n := put(tb, c, global, "a.md", s, s); n != 1 {
			tb.Errorf("%d changed", n)
		}
		if got := find(tb, c, "word", global); len(got.Passages) != 1 {
			tb.Errorf("found %d", len(got.Passages))
		}
	}},
	{"what was put is there after opening again", func(tb TB, open Open) {
		note(tb, open(NewEmbedder()), acme, "a.md", "lasting")
		again := open(NewEmbedder())
		if got := paths(find(tb, again, "lasting", acme)); !slices.Equal(got, []string{"a.md"}) {
			tb.Errorf("found %q", got)
		}
		if n := put(tb, again, acme, "a.md", section("a.md", "Note", "lasting")); n != 0 {
			tb.Errorf("%d changed", n)
		}
	}},
	{"the limits of Put hold", func(tb TB, open Open) {
		c := open(NewEmbedder())
		for n, want := range map[int]agent.Code{agent.MaxSectionBytes - 1: "", agent.MaxSectionBytes: "", agent.MaxSectionBytes + 1: agent.CodeTooLarge} {
			_, err := c.Put(context.Background(), global, "a.md", []agent.Section{section("a.md", "A", strings.Repeat("a", n))})
			if (err != nil || want != "") && agent.ErrorCode(err) != want {
				tb.Errorf("a section of %d bytes: %v", n, err)
			}
		}
		if _, err := c.Put(context.Background(), global, "a.md", make([]agent.Section, agent.MaxSections+1)); agent.ErrorCode(err) != agent.CodeTooLarge {
			tb.Errorf("too many sections: %v", err)
		}
	}},
	{"more sections than one batch are all there", func(tb TB, open Open) {
		c := open(NewEmbedder())
		var many []agent.Section
		for i := range 333 {
			many = append(many, section("a.md", fmt.Sprint("T", i), fmt.Sprintf("number n%03d of many", i)))
		}
		if n := put(tb, c, global, "a.md", many...); n != 333 {
			tb.Fatalf("%d changed", n)
		}
		for _, i := range []int{0, 99, 100, 300, 332} {
			if got := find(tb, c, fmt.Sprintf("n%03d", i), global).Passages; len(got) == 0 || got[0].Text != many[i].Text {
				tb.Errorf("section %d is not found first: %+v", i, got)
			}
		}
		if n := put(tb, c, global, "a.md", many[:3]...); n != 330 {
			tb.Errorf("%d changed by removing 330", n)
		}
	}},
	{"searching and putting at once agree", func(tb TB, open Open) {
		c := open(NewEmbedder())
		note(tb, c, global, "old.md", "weather report")
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				ctx := context.Background()
				if i%2 == 0 {
					if _, err := c.Find(ctx, []agent.Scope{global, acme}, agent.CorpusQuery{Query: "weather", Results: 3}); err != nil {
						tb.Errorf("Find: %v", err)
					}
					return
				}
				path := fmt.Sprintf("new%d.md", i)
				if n, err := c.Put(ctx, acme, path, []agent.Section{section(path, "New", "weather "+path)}); n != 1 || err != nil {
					tb.Errorf("Put: %d %v", n, err)
				}
			})
		}
		wg.Wait()
		if got := paths(find(tb, c, "weather", acme)); len(got) != 4 {
			tb.Errorf("found %q", got)
		}
	}},
}
