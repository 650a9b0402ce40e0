package ranking

import (
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

func candidate(path, text string, words float64, similarity float64, known bool) Candidate {
	p := agent.Passage{SourcePath: path, Text: text}
	return Candidate{Passage: p, Words: int64(max(1, words)), Similarity: similarity, Known: known}
}

func order(found []agent.Passage) string {
	var out []string
	for _, p := range found {
		out = append(out, p.SourcePath)
	}
	return strings.Join(out, " ")
}

func TestFusingLetsEachHalfFindWhatTheOtherDoesNot(t *testing.T) {
	s := NewStatistics([]string{"alpha"})
	s.Found[0], s.Sections, s.Words = 2, 100, 1000
	candidates := func() []Candidate {
		return []Candidate{
			candidate("both", "alpha", 10, 0.8, true),
			candidate("words", "alpha", 10, 0.0, false),
			candidate("meaning", "other", 10, 0.9, true),
			candidate("neither", "other", 10, 0.1, true),
		}
	}
	if got := order(Best(s, candidates(), true, 10)); got != "both meaning words neither" {
		t.Errorf("fused: %q", got)
	}
	if got := order(Best(s, candidates(), false, 2)); got != "both words" {
		t.Errorf("by words: %q", got)
	}
}

func TestFusingTakesWhatCannotBeCompared(t *testing.T) {
	s := NewStatistics([]string{"alpha"})
	for name, candidates := range map[string][]Candidate{
		"none":               nil,
		"one":                {candidate("a", "alpha", 1, 0.3, true)},
		"no similarity":      {candidate("a", "alpha", 1, 0, false), candidate("b", "beta", 1, 0, false)},
		"the same for all":   {candidate("a", "x", 1, 0.5, true), candidate("b", "x", 1, 0.5, true)},
		"negative likeness":  {candidate("a", "x", 1, -0.5, true), candidate("b", "x", 1, -0.9, true)},
		"nothing by words":   {candidate("a", "x", 1, 0.2, true), candidate("b", "y", 1, 0.1, true)},
		"words of no length": {{Passage: agent.Passage{SourcePath: "a"}}},
	} {
		found := Best(s, candidates, true, 5)
		if len(found) != len(candidates) {
			t.Errorf("%s: %d of %d", name, len(found), len(candidates))
		}
		for i, p := range found {
			if p.Score < 0 || p.Score > 1 || p.Score != p.Score || i > 0 && p.Score > found[i-1].Score {
				t.Errorf("%s: score %v at %d", name, p.Score, i)
			}
		}
	}
	if Comparable([]Candidate{{}}) || !Comparable([]Candidate{{}, {Known: true}}) {
		t.Error("Comparable is wrong")
	}
}

func TestTitleTagsAndRepoBoost(t *testing.T) {
	s := NewStatistics([]string{"kerning"})
	s.Found[0], s.Sections, s.Words = 4, 100, 1000
	list := []Candidate{
		{Passage: agent.Passage{SourcePath: "text", Text: "kerning"}, Words: 10},
		{Passage: agent.Passage{SourcePath: "repo", SourceRepo: "kerning-kit", Text: "kerning"}, Words: 10},
		{Passage: agent.Passage{SourcePath: "title", Title: "Kerning", Text: "kerning"}, Words: 10},
		{Passage: agent.Passage{SourcePath: "longer", Text: "kernings"}, Words: 10},
	}
	if got := order(Best(s, list, false, 4)); got != "title repo text longer" {
		t.Errorf("got %q", got)
	}
}
