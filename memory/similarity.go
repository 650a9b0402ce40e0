package memory

import (
	"context"
	"math"
)

// The usual constants of BM25: how soon a word that is repeated counts no more, and how
// much a long text is held back.
const (
	saturation = 1.2
	lengthBias = 0.75
)

// Words compares texts by the words that they share (BM25). What is common is measured
// over the given texts alone, so that nothing of another org bears on the ranking.
type Words struct{}

// Similar scores each text; one that shares no word with the query has 0.
func (Words) Similar(_ context.Context, query string, texts []string) ([]float64, error) {
	counts := make([]map[string]int, len(texts))
	lengths := make([]float64, len(texts))
	total := 0.0
	for i, text := range texts {
		counts[i] = map[string]int{}
		for _, w := range words(text) {
			counts[i][w]++
			lengths[i]++
		}
		total += lengths[i]
	}
	mean := math.Max(total/math.Max(float64(len(texts)), 1), 1)
	scores := make([]float64, len(texts))
	for _, w := range telling(query) {
		score(scores, w, counts, lengths, mean)
	}
	return scores, nil
}

// score adds what one word of the query says of each text.
func score(scores []float64, word string, counts []map[string]int, lengths []float64, mean float64) {
	having := 0.0
	for _, c := range counts {
		if c[word] > 0 {
			having++
		}
	}
	rarity := math.Log(1 + (float64(len(counts))-having+0.5)/(having+0.5))
	for i, c := range counts {
		n := float64(c[word])
		scores[i] += rarity * n * (saturation + 1) / (n + saturation*(1-lengthBias+lengthBias*lengths[i]/mean))
	}
}
