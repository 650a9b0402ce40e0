package agent

import "context"

// Ranking says what a search was ranked by.
type Ranking string

// The rankings.
const (
	RankingHybrid Ranking = "hybrid" // the likeness of meaning and the words, fused
	RankingWords  Ranking = "bm25"   // the words alone: no embedder, or it did not answer
)

// Findings are what a search gave, and how it was ranked.
type Findings struct {
	Passages []Passage
	Ranking  Ranking
	// Note says to a person why the ranking is not what was configured; else "".
	Note string
}

// Finder is a Corpus that tells how it ranked.
type Finder interface {
	Corpus
	// Find is Search with the ranking told. Errors: as Search.
	Find(ctx context.Context, scopes []Scope, q CorpusQuery) (Findings, error)
}

// Find searches any corpus. One that does not tell its ranking leaves it empty.
func Find(ctx context.Context, c Corpus, scopes []Scope, q CorpusQuery) (Findings, error) {
	if f, ok := c.(Finder); ok {
		return f.Find(ctx, scopes, q)
	}
	found, err := c.Search(ctx, scopes, q)
	return Findings{Passages: found}, err
}
