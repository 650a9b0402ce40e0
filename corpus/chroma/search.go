package chroma

import (
	"context"
	"errors"
	"net/http"
	"sync"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/ranking"
)

// The limits of a search.
const (
	MaxResults = 10
	maxSimilar = 50  // of each collection, by likeness of meaning
	maxByWords = 100 // of each collection, by words
)

// What a person reads where the ranking is by words alone.
const (
	noteNoEmbedder  = "No embedder is configured: ranked by words alone."
	noteUnreachable = "The embedder did not answer: ranked by words alone."
	noteNoVectors   = "Nothing here was embedded with the configured model: ranked by words alone, until it is put in again."
)

// Search is Find without the ranking.
func (c *Corpus) Search(ctx context.Context, scopes []agent.Scope, q agent.CorpusQuery) ([]agent.Passage, error) {
	found, err := c.Find(ctx, scopes, q)
	return found.Passages, err
}

// Find asks each collection for what is similar and for what holds the words, and
// ranks all of it together. Besides the port's errors: invalid_input (a name).
func (c *Corpus) Find(ctx context.Context, scopes []agent.Scope, q agent.CorpusQuery) (agent.Findings, error) {
	var reached []agent.Scope
	for _, s := range scopes {
		s, err := c.full(s)
		if err != nil {
			return agent.Findings{}, err
		}
		if c.reached(s.Tenant) {
			reached = append(reached, s)
		}
	}
	terms := ranking.Terms(q.Query)
	findings := agent.Findings{Ranking: agent.RankingWords, Note: noteNoEmbedder}
	if len(terms) == 0 {
		return findings, trouble(ctx.Err())
	}
	if err := c.Check(ctx); err != nil {
		return agent.Findings{}, err
	}
	var vector []float32
	if c.cfg.Embedder != nil {
		made, err := agent.EmbedAll(ctx, c.cfg.Embedder, []string{q.Query})
		switch {
		case err == nil:
			vector, findings.Ranking, findings.Note = made[0], agent.RankingHybrid, ""
		case ctx.Err() != nil || errors.Is(err, context.Canceled):
			return agent.Findings{}, trouble(err)
		default:
			findings.Note = noteUnreachable
		}
	}
	s, candidates, err := c.gatherAll(ctx, reached, q.Query, terms, vector)
	if err != nil {
		return agent.Findings{}, trouble(err)
	}
	if vector != nil && len(candidates) > 0 && !ranking.Comparable(candidates) {
		findings.Ranking, findings.Note = agent.RankingWords, noteNoVectors
	}
	findings.Passages = ranking.Best(s, candidates, findings.Ranking == agent.RankingHybrid, min(max(q.Results, 1), MaxResults))
	return findings, nil
}

// gatherAll asks all collections at once; the first error ends the others.
func (c *Corpus) gatherAll(ctx context.Context, scopes []agent.Scope, query string, terms []string, vector []float32) (ranking.Statistics, []ranking.Candidate, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	gathered := make([]gathering, len(scopes))
	var wg sync.WaitGroup
	for i, s := range scopes {
		wg.Go(func() {
			g := gathering{c: c, query: query, terms: terms, vector: vector}
			if err := g.gather(ctx, s); err != nil {
				cancel(err)
			}
			gathered[i] = g
		})
	}
	wg.Wait()
	s := ranking.NewStatistics(terms)
	if err := context.Cause(ctx); err != nil {
		return s, nil, err
	}
	var candidates []ranking.Candidate
	for _, g := range gathered {
		s.Sections += g.sections
		for i, n := range g.holding {
			s.Found[i] += n
		}
		words := int64(0)
		for _, found := range g.found {
			candidates = append(candidates, found)
			words += found.Words
		}
		if len(g.found) > 0 {
			s.Words += words / int64(len(g.found)) * g.sections // the average is that of the candidates
		}
	}
	return s, candidates, nil
}

// gathering is the part of a search in one collection.
type gathering struct {
	c      *Corpus
	query  string
	terms  []string
	vector []float32

	p        *place
	sections int64
	holding  []int64
	found    map[string]ranking.Candidate // by row
}

func (g *gathering) gather(ctx context.Context, s agent.Scope) (err error) {
	if g.p, err = g.c.resolve(ctx, s); g.p == nil || err != nil {
		return err
	}
	g.found, g.holding = map[string]ranking.Candidate{}, make([]int64, len(g.terms))
	if err := g.c.call(ctx, http.MethodGet, g.p.records("count"), nil, &g.sections); err != nil {
		return g.vanished(err)
	}
	if g.sections == 0 {
		return nil
	}
	if g.vector != nil && g.p.comparable(g.c.cfg.Embedder.Model()) {
		if err := g.bySimilarity(ctx); err != nil {
			return g.vanished(err)
		}
	}
	return g.vanished(g.byWords(ctx))
}

// vanished makes nothing of a collection that was removed since it was resolved.
func (g *gathering) vanished(err error) error {
	if !hasStatus(err, http.StatusNotFound) {
		return err
	}
	g.found, g.sections = nil, 0
	return nil
}

func (g *gathering) bySimilarity(ctx context.Context) error {
	var answer queried
	err := g.c.call(ctx, http.MethodPost, g.p.records("query"), map[string]any{
		"query_embeddings": [][]float32{g.vector}, "n_results": maxSimilar,
		"where": equal(metaTenant, g.p.scope.Tenant), "include": []string{"documents", "metadatas", "distances"},
	}, &answer)
	if err != nil {
		return err
	}
	rows, distances := answer.first()
	for i, id := range rows.IDs {
		found, ok := candidate(g.p, rows.document(i), rows.meta(i))
		if !ok {
			continue
		}
		if d := distances[i]; d != nil {
			found.Similarity, found.Known = g.p.similarity(*d), true
		}
		g.found[id] = found
	}
	return nil
}

// similarity gives the product of two vectors of length one from their distance.
func (p *place) similarity(distance float64) float64 {
	if p.space == "l2" { // squared, as the server gives it
		return 1 - distance/2
	}
	return 1 - distance
}
