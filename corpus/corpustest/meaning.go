package corpustest

import (
	"context"
	"errors"
	"slices"

	agent "github.com/lossless-group/in-app-agent"
)

var meaningCases = []Case{
	{"what means the same is found without its words", func(tb TB, open Open) {
		c := open(NewEmbedder())
		filler(tb, c, global, 12)
		note(tb, c, global, "car.md", "Renting a car.")
		found := find(tb, c, "automobile", global)
		if got := paths(found); len(got) == 0 || got[0] != "car.md" || found.Ranking != agent.RankingHybrid || found.Note != "" {
			tb.Errorf("got %q, ranked %q (%s)", got, found.Ranking, found.Note)
		}
	}},
	{"a rare word is found whatever the rest means", func(tb TB, open Open) {
		c := open(NewEmbedder())
		filler(tb, c, global, 12)
		put(tb, c, global, "code.md", section("code.md", "Codes", "The failure with code zx81q means that a disk broke, that a fan stood still, or that nobody looked after either for a year or two."))
		note(tb, c, global, "near.md", "weather lunch weather lunch failure")
		if got := paths(find(tb, c, "weather lunch zx81q", global)); len(got) == 0 || got[0] != "code.md" && !slices.Contains(got[:3], "code.md") {
			tb.Errorf("got %q", got)
		}
	}},
	{"without an embedder words alone rank, and it says so", func(tb TB, open Open) {
		e := open(NewEmbedder())
		filler(tb, e, global, 3)
		note(tb, e, global, "car.md", "Renting a car.")
		c := open(nil)
		found := find(tb, c, "car", global)
		if got := paths(found); !slices.Equal(got, []string{"car.md"}) || found.Ranking != agent.RankingWords || found.Note == "" {
			tb.Errorf("got %q, ranked %q (%q)", got, found.Ranking, found.Note)
		}
		if found := find(tb, c, "automobile", global); len(found.Passages) != 0 || found.Ranking != agent.RankingWords {
			tb.Errorf("words alone found %q for what is nowhere", paths(found))
		}
	}},
	{"an embedder that fails costs a search no more than the meaning", func(tb TB, open Open) {
		note(tb, open(NewEmbedder()), global, "car.md", "Renting a car.")
		e := NewEmbedder()
		e.Fails = agent.Errorf(agent.CodeUnavailable, "Down.")
		found := find(tb, open(e), "car", global)
		if got := paths(found); !slices.Equal(got, []string{"car.md"}) || found.Ranking != agent.RankingWords || found.Note == "" {
			tb.Errorf("got %q, ranked %q (%q)", got, found.Ranking, found.Note)
		}
	}},
	{"an embedder that fails ends a Put that changed nothing", func(tb TB, open Open) {
		note(tb, open(NewEmbedder()), global, "a.md", "old words")
		e := NewEmbedder()
		e.Fails = agent.Errorf(agent.CodeRateLimited, "Slower.")
		if _, err := open(e).Put(context.Background(), global, "a.md", []agent.Section{section("a.md", "A", "new words")}); !errors.Is(err, e.Fails) {
			tb.Errorf("got %v", err)
		}
		found := find(tb, open(NewEmbedder()), "words", global)
		if len(found.Passages) != 1 || found.Passages[0].Text != "old words" {
			tb.Errorf("found %+v", found.Passages)
		}
	}},
	{"vectors of two models are never compared", func(tb TB, open Open) {
		note(tb, open(NewEmbedder()), global, "car.md", "Renting a car.")
		for _, other := range []*Embedder{{Name: "another", Dimensions: 384}, {Name: "words-for-tests", Dimensions: 64}} {
			c := open(other)
			if found := find(tb, c, "car", global); !slices.Equal(paths(found), []string{"car.md"}) || found.Ranking != agent.RankingWords || found.Note == "" {
				tb.Errorf("got %q, ranked %q (%q)", paths(found), found.Ranking, found.Note)
			}
			if found := find(tb, c, "automobile", global); len(found.Passages) != 0 {
				tb.Errorf("a vector of another model found %q", paths(found))
			}
		}
	}},
	{"what was removed is not found by its meaning", func(tb TB, open Open) {
		c := open(NewEmbedder())
		filler(tb, c, global, 3)
		note(tb, c, global, "car.md", "Renting a car.")
		find(tb, c, "automobile", global) // so that an index in memory holds it
		put(tb, c, global, "car.md")
		if got := paths(find(tb, c, "automobile", global)); slices.Contains(got, "car.md") {
			tb.Errorf("got %q", got)
		}
		note(tb, c, global, "new.md", "Driving a vehicle.")
		if got := paths(find(tb, c, "automobile", global)); len(got) == 0 || got[0] != "new.md" {
			tb.Errorf("what came after it: %q", got)
		}
	}},
}
