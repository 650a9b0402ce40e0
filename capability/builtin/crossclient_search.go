//go:build !selfhosted

package builtin

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

// ranked is a passage with its client and its place among that client's.
type ranked struct {
	client int
	place  int
	agent.Passage
}

// search makes the search, records it, and only then gives what it found.
func (a Across) search(ctx context.Context, call *agent.Call, p across, r agent.Receipt) (acrossOutput, error) {
	var found []ranked
	for i, c := range p.searched {
		scope := agent.Scope{Tenant: agent.ClientTenant(c.Slug), Collection: agent.CollectionSessions}
		list, err := a.Corpus.Search(ctx, []agent.Scope{scope}, p.query)
		if err != nil {
			return acrossOutput{}, err
		}
		done := float64(i+1) / float64(len(p.searched))
		call.Progress(agent.CapabilityProgress{Fraction: &done})
		for place, passage := range list {
			if passage.Collection == agent.CollectionSessions { // another is a fault of the adapter, and never shown
				found = append(found, ranked{i, place, passage})
			}
		}
	}
	// Scores of separate searches do not compare: the best of each client come first.
	slices.SortStableFunc(found, func(x, y ranked) int {
		return cmp.Or(cmp.Compare(x.place, y.place), cmp.Compare(y.Score, x.Score), cmp.Compare(x.client, y.client))
	})
	found = found[:min(len(found), p.query.Results)]
	out := acrossOutput{Passages: []clientPassage{}, Searched: slugs(p.searched), Skipped: slugs(p.skipped)}
	results := make([]int, len(p.searched))
	for _, f := range found {
		results[f.client]++
		out.Passages = append(out.Passages, clientPassage{p.searched[f.client].Slug, shortened(f.Passage)})
	}
	if len(found) == 0 {
		out.Note = "Nothing was found. Try other words once, or say that the sessions do not tell."
	}
	if err := a.record(ctx, call, p, r, results); err != nil {
		return acrossOutput{}, err
	}
	return out, nil
}

// record writes the search down. A client that opted out in this very moment makes
// the preview stale, and nothing is shown.
func (a Across) record(ctx context.Context, call *agent.Call, p across, r agent.Receipt, results []int) error {
	query := masked(p.query.Query)
	if a.Redact != nil {
		redacted, err := a.Redact(ctx, query)
		if err != nil {
			return err
		}
		query = redacted
	}
	query = clipped(query)
	s := agent.ClientSearch{ID: call.Key, At: call.Now().UnixMilli(), ReceiptID: r.ID, Query: query, Skipped: p.skipped}
	for i, c := range p.searched {
		others := slices.Concat(p.searched[:i], p.searched[i+1:], p.skipped)
		s.Searched = append(s.Searched, agent.ClientResults{Client: c, Results: results[i], Query: withoutClients(query, c, others)})
	}
	err := a.Clients.RecordSearch(ctx, s)
	if agent.ErrorCode(err) == agent.CodeConflict {
		return agent.ErrStale
	}
	return err
}

// mask stands for what is not recorded.
const mask = "[redacted]"

// maxRecordedQuery bounds what of a query is recorded, in bytes.
const maxRecordedQuery = 512

// personal finds e-mail addresses, words that look like keys, and numbers as long as
// an account's, a card's or a telephone's.
var personal = regexp.MustCompile(`[^\s@<>"',;]+@[^\s@<>"',;]+` +
	`|\b(?:sk|pk|ghp|xox[a-z])[-_][A-Za-z0-9_\-]{6,}|\b[A-Za-z_\-]*\d[A-Za-z0-9_\-]{19,}` +
	`|\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,}\b|\+?\d(?:[\s().\-/]{0,2}\d){5,}`)

// masked takes out of a query what may be a person's or a secret, whatever the org's
// own redaction does.
func masked(query string) string { return personal.ReplaceAllString(query, mask) }

// withoutClients takes the names of other clients out of what one client may read.
func withoutClients(query string, own agent.Client, others []agent.Client) string {
	var words []string
	for _, c := range others {
		for _, w := range []string{c.Slug, c.Name} {
			if w != "" && !strings.EqualFold(w, own.Slug) && !strings.EqualFold(w, own.Name) {
				words = append(words, regexp.QuoteMeta(w))
			}
		}
	}
	if len(words) == 0 {
		return query
	}
	// The longest first, so that no name leaves a rest of another that it begins.
	slices.SortFunc(words, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	re, err := regexp.Compile(fmt.Sprintf(`(?i)(?:%s)`, strings.Join(words, "|")))
	if err != nil {
		return mask
	}
	return clipped(re.ReplaceAllString(query, mask))
}

func clipped(s string) string {
	if len(s) > maxRecordedQuery {
		return strings.ToValidUTF8(s[:maxRecordedQuery], "") + "…"
	}
	return s
}
