//go:build !selfhosted

package builtin

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/capability"
)

// MaxClients is how many clients one search may reach.
const MaxClients = 100

//go:embed search_across_clients.md
var acrossWords string

type acrossInput struct {
	Query   string   `json:"query" jsonschema:"a few telling words, without names of clients"`
	Orgs    []string `json:"orgs,omitempty" jsonschema:"slugs of the clients to search; left out, every one that allows it"`
	Results int      `json:"nResults,omitempty" jsonschema:"how many passages in all, 1 to 10; left out, 5"`
}

type acrossOutput struct {
	Passages []clientPassage `json:"passages"`
	Searched []string        `json:"searched"`
	Skipped  []string        `json:"skippedByOptOut"`
	Note     string          `json:"note,omitempty"`
}

type clientPassage struct {
	Org string `json:"org"` // slug of the client that it is of
	passage
}

// Across is what the search across clients stands on.
type Across struct {
	Corpus  agent.Corpus
	Clients agent.Clients
	// Redact takes personal detail out of a query before it is recorded, besides what is
	// always taken out; nil takes out no more.
	Redact func(ctx context.Context, text string) (string, error)
}

// CrossClientSearch makes corpus.search_cross_client: staff only, shown before it
// runs, run in Apply, recorded in the log of every org that it reached. A person
// accepts each one: it cannot be remembered as always allowed.
func CrossClientSearch(a Across) agent.Capability {
	c := capability.Confirming(capability.Spec{
		Name: "corpus.search_cross_client", Title: "Search across clients", Description: acrossWords,
		Kind: agent.KindRead, Tier: agent.TierAdmin, StaffOnly: true, Retrieval: true, Shared: true,
	}, capability.Confirm[acrossInput, acrossOutput]{
		Resources: func(ctx context.Context, _ *agent.Call, in acrossInput) ([]agent.Resource, error) {
			p, err := a.plan(ctx, in)
			return []agent.Resource{p.resource()}, err
		},
		Preview: func(ctx context.Context, _ *agent.Call, in acrossInput) (agent.Preview, error) {
			p, err := a.plan(ctx, in)
			if err != nil {
				return agent.Preview{}, err
			}
			return p.preview()
		},
		Apply: func(ctx context.Context, call *agent.Call, in acrossInput, r agent.Receipt) (acrossOutput, error) {
			p, err := a.plan(ctx, in)
			if err != nil {
				return acrossOutput{}, err
			}
			if !slices.Contains(r.Resources, p.resource()) {
				return acrossOutput{}, agent.ErrStale // somebody opted in or out since
			}
			return a.search(ctx, call, p, r)
		},
		// A search changes nothing but the logs, which record it once under its key: after
		// a crash it is made again.
		Verify: func(context.Context, *agent.Call, acrossInput) (bool, acrossOutput, error) {
			return false, acrossOutput{}, nil
		},
	})
	return c
}

// across is a search before it is made.
type across struct {
	query    agent.CorpusQuery
	searched []agent.Client
	skipped  []agent.Client
}

// plan works out which clients would be searched now.
func (a Across) plan(ctx context.Context, in acrossInput) (across, error) {
	query, err := searchInput{Query: in.Query, Results: in.Results}.checked()
	if err != nil {
		return across{}, err
	}
	all, err := a.Clients.Clients(ctx)
	if err != nil {
		return across{}, err
	}
	for i, slug := range in.Orgs {
		if !slices.ContainsFunc(all, func(c agent.Client) bool { return c.Slug == slug }) {
			return across{}, misfit(fmt.Sprintf("/orgs/%d", i), "There is no client of this slug.")
		}
	}
	p := across{query: query}
	for _, c := range all {
		switch {
		case len(in.Orgs) > 0 && !slices.Contains(in.Orgs, c.Slug):
		case c.OptedOut:
			p.skipped = append(p.skipped, c)
		default:
			p.searched = append(p.searched, c)
		}
	}
	switch {
	case len(p.searched) == 0:
		return p, &agent.Error{Code: agent.CodePolicyDenied, Message: "Every client that would be searched has opted out. Tell the user."}
	case len(p.searched) > MaxClients:
		return p, misfit("/orgs", fmt.Sprintf("One search reaches at most %d clients; name some by their slugs.", MaxClients))
	}
	return p, nil
}

func slugs(list []agent.Client) []string {
	out := make([]string, len(list))
	for i, c := range list {
		out[i] = c.Slug
	}
	return out
}

// resource is what a preview rests on: which clients are searched and which are not.
func (p across) resource() agent.Resource {
	sum := sha256.Sum256([]byte(strings.Join(slugs(p.searched), " ") + "\n" + strings.Join(slugs(p.skipped), " ")))
	return agent.Resource{ID: "clients", Version: hex.EncodeToString(sum[:])}
}

func (p across) preview() (agent.Preview, error) {
	shown, err := json.MarshalIndent(struct {
		Query    string   `json:"query"`
		Searched []string `json:"searched"`
		Skipped  []string `json:"skippedByOptOut"`
	}{p.query.Query, slugs(p.searched), slugs(p.skipped)}, "", "  ")
	if err != nil {
		return agent.Preview{}, err
	}
	return agent.Preview{
		Summary: fmt.Sprintf("Search the sessions of %d clients; %d are skipped because they opted out. Each searched client's admins are told.",
			len(p.searched), len(p.skipped)),
		Artifacts: []agent.Artifact{{Kind: agent.ArtifactJSON, Title: "What would be searched", MIME: "application/json", Text: string(shown)}},
	}, nil
}
