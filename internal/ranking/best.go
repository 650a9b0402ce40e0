package ranking

import (
	"cmp"
	"slices"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

// vectorShare is how much of a fused score comes from the likeness of vectors; the
// rest comes from words. From 0.6 to 0.9 the fused ranking answers more of the
// questions in e2e/retrieval than each half does; the least of these leaves a rare word,
// such as the code of an error, the most weight.
const vectorShare = 0.6

// Candidate is a passage that may be an answer.
type Candidate struct {
	agent.Passage
	Position int   // in its document
	Words    int64 // its length
	// Similarity is the product of its vector and the query's; Known is false where
	// it has no vector that compares.
	Similarity float64
	Known      bool
}

// Comparable tells whether any candidate has a vector that compares.
func Comparable(candidates []Candidate) bool {
	return slices.ContainsFunc(candidates, func(c Candidate) bool { return c.Known })
}

// Best gives the n best candidates, best first and the same way each time: by words
// alone, or fused with the similarities. A candidate that only one of the two finds
// is ranked by that one: nothing is a gate.
func Best(s Statistics, candidates []Candidate, fused bool, n int) []agent.Passage {
	for i := range candidates {
		candidates[i].Score = s.words(&candidates[i])
	}
	if fused {
		fuse(candidates)
	}
	slices.SortFunc(candidates, byScore)
	var out []agent.Passage
	for _, c := range candidates[:min(n, len(candidates))] {
		out = append(out, c.Passage)
	}
	return out
}

// fuse brings both scores to the range from 0 to 1 among the candidates, and adds
// their shares.
func fuse(candidates []Candidate) {
	words, low, high := 0.0, 1.0, -1.0
	for _, c := range candidates {
		words = max(words, c.Score)
		if c.Known {
			low, high = min(low, c.Similarity), max(high, c.Similarity)
		}
	}
	for i := range candidates {
		c := &candidates[i]
		score := 0.0
		if words > 0 {
			score = (1 - vectorShare) * c.Score / words
		}
		switch {
		case c.Known && high > low:
			score += vectorShare * (c.Similarity - low) / (high - low)
		case c.Known:
			score += vectorShare
		}
		c.Score = score
	}
}

func byScore(a, b Candidate) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.Collection, b.Collection),
		strings.Compare(a.SourcePath, b.SourcePath), cmp.Compare(a.Position, b.Position), strings.Compare(a.Text, b.Text))
}
