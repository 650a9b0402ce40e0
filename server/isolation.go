package server

import (
	"context"
	"fmt"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

// The two tenants that canaries are planted in. No org can have their slugs by
// accident, and they hold nothing else.
var isolationSlugs = [2]string{"isolation-check-one", "isolation-check-two"}

// IsolationReport is what CheckIsolation saw.
type IsolationReport struct {
	Searches int
	Leaks    []string // a sentence each
	// ByID tells that the corpus's server hands rows of one tenant to whoever knows the
	// id of a collection under the name of another: isolation is then our checks alone,
	// and nobody else may reach that server.
	ByID bool
}

// idReader is a corpus whose server can be asked past our checks.
type idReader interface {
	ReadsByID(ctx context.Context, owner, other agent.Scope) (bool, error)
}

// CheckIsolation plants a canary in each of two tenants of its own, looks for it from
// the other and from every org named by slug, and takes both away again. nonce makes
// the canaries of a run its own. Errors: what the corpus gives.
func CheckIsolation(ctx context.Context, c agent.Corpus, slugs []string, nonce string) (report IsolationReport, err error) {
	var planted [2]agent.Scope
	const path = "isolation-check.md"
	for i, slug := range isolationSlugs {
		planted[i] = agent.Scope{Tenant: agent.ClientTenant(slug), Collection: agent.CollectionSessions}
		p := agent.Passage{Text: "Canary " + canary(nonce, i), Title: "Isolation check", SourcePath: path}
		if _, err := c.Put(ctx, planted[i], path, []agent.Section{{Passage: p, Hash: p.Hash()}}); err != nil {
			return report, err
		}
	}
	defer func() {
		for _, s := range planted {
			if _, gone := c.Put(context.WithoutCancel(ctx), s, path, nil); gone != nil && err == nil {
				err = gone
			}
		}
	}()
	for i, slug := range isolationSlugs {
		if err := report.own(ctx, c, planted[i], canary(nonce, i)); err != nil {
			return report, err
		}
		for _, from := range append([]string{isolationSlugs[1-i]}, slugs...) {
			if err := report.look(ctx, c, from, slug, canary(nonce, i)); err != nil {
				return report, err
			}
		}
	}
	if far, ok := c.(idReader); ok {
		report.ByID, err = far.ReadsByID(ctx, planted[0], planted[1])
	}
	return report, err
}

func canary(nonce string, i int) string { return fmt.Sprintf("canary%s%d", nonce, i) }

// own fails where a tenant does not find its own canary: then nothing is proven.
func (r *IsolationReport) own(ctx context.Context, c agent.Corpus, s agent.Scope, canary string) error {
	r.Searches++
	found, err := c.Search(ctx, []agent.Scope{s}, agent.CorpusQuery{Query: canary, Results: 10})
	if err != nil {
		return err
	}
	for _, p := range found {
		if strings.Contains(p.Text, canary) {
			return nil
		}
	}
	return &agent.Error{Code: agent.CodeUnavailable, Message: "The corpus does not find what was just put into it, so isolation could not be checked."}
}

// look searches as one org for the canary of another.
func (r *IsolationReport) look(ctx context.Context, c agent.Corpus, from, owner, canary string) error {
	scopes := []agent.Scope{{Tenant: agent.GlobalTenant, Collection: agent.CollectionContextVigilance},
		{Tenant: agent.GlobalTenant, Collection: agent.CollectionChangelog}, {Tenant: agent.ClientTenant(from), Collection: agent.CollectionSessions}}
	for _, query := range []string{canary, "isolation check", agent.ClientTenant(owner) + " " + canary} {
		r.Searches++
		found, err := c.Search(ctx, scopes, agent.CorpusQuery{Query: query, Results: 10})
		if err != nil {
			return err
		}
		for _, p := range found {
			if strings.Contains(p.Text, canary) {
				r.Leaks = append(r.Leaks, fmt.Sprintf("%s reads what belongs to %s.", from, owner))
			}
		}
	}
	return nil
}
