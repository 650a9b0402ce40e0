package builtin

import (
	"context"
	_ "embed"
	"slices"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/capability"
)

// The limits of a search.
const (
	DefaultResults  = 5
	MaxResults      = 10
	MaxQueryBytes   = 2 << 10
	MaxPassageBytes = 4 << 10
)

//go:embed search.md
var searchWords string

type searchInput struct {
	Query       string   `json:"query" jsonschema:"a few telling words"`
	Collections []string `json:"collections,omitempty" jsonschema:"where to look; left out, everywhere"`
	Results     int      `json:"nResults,omitempty" jsonschema:"how many passages, 1 to 10; left out, 5"`
}

type searchOutput struct {
	Passages []passage     `json:"passages"`
	Ranking  agent.Ranking `json:"ranking,omitempty"`
	Note     string        `json:"note,omitempty"`
}

// passage is a found one as the model and the citation see it.
type passage struct {
	agent.Passage
	// Truncated says that the text was longer than MaxPassageBytes.
	Truncated bool `json:"truncated,omitempty"`
}

// CorpusSearch makes corpus.search over the caller's own tenant and the global
// one. The tenant comes from the principal; a model names collections of the
// allowlist and nothing else.
func CorpusSearch(corpus agent.Corpus) agent.Capability {
	return capability.Func(capability.Spec{
		Name: "corpus.search", Title: "Search the corpus", Description: searchWords,
		Kind: agent.KindRead, Tier: agent.TierUser, Retrieval: true, Shared: true,
	}, func(ctx context.Context, call *agent.Call, in searchInput) (searchOutput, error) {
		query, err := in.checked()
		if err != nil {
			return searchOutput{}, err
		}
		scopes, err := scopes(call.Principal, in.Collections)
		if err != nil {
			return searchOutput{}, err
		}
		found, err := agent.Find(ctx, corpus, scopes, query)
		if err != nil {
			return searchOutput{}, err
		}
		out := present(found.Passages, scopes, query.Results)
		out.Ranking, out.Note = found.Ranking, strings.TrimSpace(found.Note+" "+out.Note)
		return out, nil
	})
}

func (in searchInput) checked() (agent.CorpusQuery, error) {
	q := agent.CorpusQuery{Query: strings.TrimSpace(in.Query), Results: in.Results}
	if q.Results == 0 {
		q.Results = DefaultResults
	}
	switch {
	case q.Query == "":
		return q, misfit("/query", "The query is empty; give a few telling words.")
	case len(q.Query) > MaxQueryBytes:
		return q, misfit("/query", "The query is too long; give a few telling words.")
	case q.Results < 1 || q.Results > MaxResults:
		return q, misfit("/nResults", "nResults must be between 1 and 10.")
	}
	return q, nil
}

func misfit(pointer, message string) *agent.Error {
	return &agent.Error{Code: agent.CodeInvalidInput, Message: message, Pointer: pointer}
}

// scopes places each collection in the only tenant it may be read in. Database
// stays empty: it is the adapter's configured one.
func scopes(p agent.Principal, collections []string) ([]agent.Scope, error) {
	var found []agent.Scope
	for _, name := range collections {
		if !slices.Contains(agent.Collections, name) {
			return nil, misfit("/collections", "collections may name "+strings.Join(agent.Collections, ", ")+" only.")
		}
	}
	for _, name := range agent.Collections {
		if len(collections) > 0 && !slices.Contains(collections, name) {
			continue
		}
		tenant := agent.GlobalTenant
		if name == agent.CollectionSessions {
			if p.OrgSlug == "" {
				continue // no org, no sessions of its own
			}
			tenant = agent.ClientTenant(p.OrgSlug)
		}
		found = append(found, agent.Scope{Tenant: tenant, Collection: name})
	}
	return found, nil
}

// shortened cuts one passage to the limit.
func shortened(p agent.Passage) passage {
	shown := passage{Passage: p}
	if text := strings.ToValidUTF8(p.Text, "\uFFFD"); len(text) > MaxPassageBytes {
		shown.Text, shown.Truncated = strings.ToValidUTF8(text[:MaxPassageBytes], ""), true
	}
	return shown
}

// present cuts what was found to the limits. A passage from a collection that
// was not asked for is a fault of the adapter and is never shown.
func present(found []agent.Passage, scopes []agent.Scope, results int) searchOutput {
	out := searchOutput{Passages: []passage{}}
	for _, p := range found {
		asked := slices.ContainsFunc(scopes, func(s agent.Scope) bool { return s.Collection == p.Collection })
		if !asked || len(out.Passages) == results {
			continue
		}
		out.Passages = append(out.Passages, shortened(p))
	}
	if len(out.Passages) == 0 {
		out.Note = "Nothing was found. Try other words once, or say that the corpus does not tell."
	}
	return out
}
