package embedded

import (
	"context"
	"errors"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/ranking"
)

// The limits of a search.
const (
	MaxResults    = 10
	maxCandidates = 100 // of each tenant, for the common ranking
	maxSimilar    = 50  // more of each tenant, by likeness of meaning
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

// Find ranks over all scopes together. Any text is a good query: words that nothing
// has only do not help. A word of four letters or more also finds longer ones. An
// embedder that fails costs the likeness of meaning, and the note says so. Besides
// the port's errors: invalid_input (a name).
func (c *Corpus) Find(ctx context.Context, scopes []agent.Scope, q agent.CorpusQuery) (agent.Findings, error) {
	byTenant := map[string][]agent.Scope{}
	for _, s := range scopes {
		if err := s.Check(); err != nil {
			return agent.Findings{}, err
		}
		byTenant[s.Tenant] = append(byTenant[s.Tenant], s)
	}
	s := search{Statistics: ranking.NewStatistics(ranking.Terms(q.Query))}
	findings := agent.Findings{Ranking: agent.RankingWords, Note: noteNoEmbedder}
	if len(s.Terms) == 0 {
		return findings, trouble(ctx.Err())
	}
	if c.embedder != nil {
		made, err := agent.EmbedAll(ctx, c.embedder, []string{q.Query})
		switch {
		case err == nil:
			s.vector, s.model = made[0], c.embedder.Model()
			findings.Ranking, findings.Note = agent.RankingHybrid, ""
		case ctx.Err() != nil || errors.Is(err, context.Canceled):
			return agent.Findings{}, trouble(err)
		default:
			findings.Note = noteUnreachable
		}
	}
	for name, places := range byTenant {
		if err := c.gather(ctx, name, places, &s); err != nil {
			return agent.Findings{}, trouble(err)
		}
	}
	if s.vector != nil && len(s.candidates) > 0 && !ranking.Comparable(s.candidates) {
		findings.Ranking, findings.Note = agent.RankingWords, noteNoVectors
	}
	findings.Passages = ranking.Best(s.Statistics, s.candidates, findings.Ranking == agent.RankingHybrid, min(max(q.Results, 1), MaxResults))
	return findings, nil
}

// search is one running search over all tenants.
type search struct {
	ranking.Statistics
	model      agent.EmbeddingModel
	vector     []float32 // nil: words alone
	candidates []ranking.Candidate
}

// gather adds a tenant's candidates and sums to a search.
func (c *Corpus) gather(ctx context.Context, name string, scopes []agent.Scope, s *search) error {
	t, err := c.tenant(ctx, name, false)
	if t == nil || err != nil {
		return err
	}
	defer c.release(t)
	places := map[string]bool{}
	for _, p := range scopes {
		places[p.Database+"/"+p.Collection] = true
	}
	list, err := t.byWords(ctx, s, places)
	if err != nil {
		return err
	}
	if s.vector != nil {
		if list, err = t.bySimilarity(ctx, s, places, list); err != nil {
			return err
		}
	}
	for _, f := range list {
		s.candidates = append(s.candidates, f.Candidate)
	}
	return nil
}
