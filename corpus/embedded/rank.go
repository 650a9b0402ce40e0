package embedded

import (
	"math"
	"slices"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

// The constants of BM25, and how much more a word counts in title and tags and
// how much less as the beginning of a longer word.
const (
	saturation  = 1.2
	lengthShare = 0.75
	titleWeight = 4.0
	tagsWeight  = 2.0
	beginWeight = 0.5
)

// ranking compares candidates of several tenants by the sums of all of them, as
// if they were one collection: scores by each one's own statistics would not
// compare.
type ranking struct {
	terms      []string
	found      []int64 // sections that hold each term
	sections   int64
	words      int64
	candidates []candidate
}

type candidate struct {
	agent.Passage
	position int
	words    int64
}

// best gives the highest scores first.
func (r *ranking) best(n int) []agent.Passage {
	average := float64(r.words) / float64(max(r.sections, 1))
	for i := range r.candidates {
		r.candidates[i].Score = r.score(&r.candidates[i], average)
	}
	slices.SortFunc(r.candidates, byScore)
	var out []agent.Passage
	for _, c := range r.candidates[:min(n, len(r.candidates))] {
		out = append(out, c.Passage)
	}
	return out
}

func (r *ranking) score(c *candidate, average float64) float64 {
	counts := make([]float64, len(r.terms))
	r.count(counts, c.Title, titleWeight)
	r.count(counts, strings.Join(c.Tags, " "), tagsWeight)
	r.count(counts, c.Text, 1)
	norm := saturation * (1 - lengthShare + lengthShare*float64(c.words)/max(average, 1))
	sum := 0.0
	for i, tf := range counts {
		sum += r.rarity(i) * tf * (saturation + 1) / (tf + norm)
	}
	return sum
}

// rarity is the inverse document frequency, which is never negative.
func (r *ranking) rarity(i int) float64 {
	n, df := float64(r.sections), float64(min(r.found[i], r.sections))
	return math.Log(1 + (n-df+0.5)/(df+0.5))
}

// count adds the weighted occurrences of the terms in a text.
func (r *ranking) count(counts []float64, text string, weight float64) {
	for _, word := range fold(text) {
		for i, term := range r.terms {
			switch {
			case word == term:
				counts[i] += weight
			case extends(term) && strings.HasPrefix(word, term):
				counts[i] += weight * beginWeight
			}
		}
	}
}
