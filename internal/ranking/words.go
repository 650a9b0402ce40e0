package ranking

import (
	"math"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

// The constants of BM25, and how much more a word counts in title, tags and source
// repo and how much less as the beginning of a longer word.
const (
	saturation  = 1.2
	lengthShare = 0.75
	titleWeight = 4.0
	tagsWeight  = 2.0
	beginWeight = 0.5
)

// Statistics are the sums over everything that is searched together, as if it were
// one collection: scores by each tenant's own statistics would not compare.
type Statistics struct {
	Terms    []string
	Found    []int64 // sections that hold each term
	Sections int64
	Words    int64
}

// NewStatistics begins the sums for the terms of a query.
func NewStatistics(terms []string) Statistics {
	return Statistics{Terms: terms, Found: make([]int64, len(terms))}
}

// Length counts the words of a passage as its length is stored.
func Length(p agent.Passage) int {
	return len(Fold(p.Title)) + len(Fold(strings.Join(p.Tags, " "))) + len(Fold(p.Text))
}

// words is the BM25 score of a candidate.
func (s *Statistics) words(c *Candidate) float64 {
	average := float64(s.Words) / float64(max(s.Sections, 1))
	counts := make([]float64, len(s.Terms))
	s.count(counts, c.Title, titleWeight)
	s.count(counts, strings.Join(c.Tags, " "), tagsWeight)
	s.count(counts, c.SourceRepo, tagsWeight)
	s.count(counts, c.Text, 1)
	norm := saturation * (1 - lengthShare + lengthShare*float64(c.Words)/max(average, 1))
	sum := 0.0
	for i, tf := range counts {
		sum += s.Rarity(i) * tf * (saturation + 1) / (tf + norm)
	}
	return sum
}

// Rarity is the inverse document frequency of a term, which is never negative.
func (s *Statistics) Rarity(i int) float64 {
	n, df := float64(s.Sections), float64(min(s.Found[i], s.Sections))
	return math.Log(1 + (n-df+0.5)/(df+0.5))
}

// count adds the weighted occurrences of the terms in a text.
func (s *Statistics) count(counts []float64, text string, weight float64) {
	for _, word := range Fold(text) {
		for i, term := range s.Terms {
			switch {
			case word == term:
				counts[i] += weight
			case Extends(term) && strings.HasPrefix(word, term):
				counts[i] += weight * beginWeight
			}
		}
	}
}
