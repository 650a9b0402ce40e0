package sqlite

import (
	"context"
	"encoding/json"

	agent "github.com/lossless-group/in-app-agent"
)

const selectClients = `SELECT id, slug, name, billing_status, cross_client_search FROM orgs ORDER BY slug`

func scanClient(s scanner) (c agent.Client, err error) {
	var p agent.OrgPolicy
	err = s.Scan(&c.OrgID, &c.Slug, &c.Name, &p.Billing, &p.CrossClientSearch)
	c.OptedOut = !p.CrossClient()
	return c, err
}

// staff gives the tenant of a caller who is staff. Errors: forbidden.
func staff(ctx context.Context) (tenant, error) {
	p, err := agent.PrincipalFrom(ctx)
	if err == nil && !p.Staff {
		err = agent.Errorf(agent.CodeForbidden, "Only staff may look across clients.")
	}
	return tenant{org: p.OrgID, user: p.UserID}, err
}

// Clients gives every org, by slug, with its word as it is in the auth database now.
// Errors: forbidden.
func (s *Store) Clients(ctx context.Context) (list []agent.Client, err error) {
	if _, err := staff(ctx); err != nil {
		return nil, err
	}
	err = s.auth.read(ctx, func(t *tx) (err error) {
		list, err = all(t, scanClient, selectClients)
		return err
	})
	return list, err
}

// searchedWhole is what the searcher's own org records, searchedPart what one that was
// searched does: clients are not told of each other.
type (
	searchedWhole struct {
		Query    string         `json:"query"`
		Searched map[string]int `json:"searched"` // results by slug
		OptedOut []string       `json:"optedOut"`
		Results  int            `json:"results"`
	}
	searchedPart struct {
		Query    string `json:"query"`
		Tenant   string `json:"tenant"`
		Results  int    `json:"results"`
		Searched int    `json:"tenantsSearched"`
		OptedOut int    `json:"tenantsOptedOut"`
	}
	searchedCounts struct {
		Query    string `json:"query"`
		Searched int    `json:"tenantsSearched"`
		OptedOut int    `json:"tenantsOptedOut"`
		Results  int    `json:"results"`
	}
)

// RecordSearch records a search across clients in all of their logs at once. Errors:
// forbidden, conflict (an org that was searched has opted out).
func (s *Store) RecordSearch(ctx context.Context, search agent.ClientSearch) error {
	who, err := staff(ctx)
	if err != nil {
		return err
	}
	now, err := s.Clients(ctx)
	if err != nil {
		return err
	}
	allowed := map[string]bool{}
	for _, c := range now {
		allowed[c.OrgID] = !c.OptedOut
	}
	for _, c := range search.Searched {
		if !allowed[c.OrgID] {
			return &agent.Error{Code: agent.CodeConflict, Message: "A client opted out in this moment.", Hint: "Ask again."}
		}
	}
	return s.app.write(ctx, true, func(t *tx) error {
		if err := s.recordWhole(t, who, search); err != nil {
			return err
		}
		for _, c := range search.Searched {
			part := searchedPart{c.Query, agent.ClientTenant(c.Slug), c.Results, len(search.Searched), len(search.Skipped)}
			if err := s.recordPart(t, who, search, c.OrgID, part); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *Store) recordWhole(t *tx, who tenant, search agent.ClientSearch) error {
	whole := searchedWhole{Query: search.Query, Searched: map[string]int{}, OptedOut: []string{}}
	for _, c := range search.Searched {
		whole.Searched[c.Slug] = c.Results
		whole.Results += c.Results
	}
	for _, c := range search.Skipped {
		whole.OptedOut = append(whole.OptedOut, c.Slug)
	}
	detail, err := json.Marshal(whole)
	if err == nil && len(detail) > agent.MaxAuditDetail { // the searched orgs' own rows tell which
		detail, err = json.Marshal(searchedCounts{search.Query, len(search.Searched), len(search.Skipped), whole.Results})
	}
	if err != nil {
		return err
	}
	_, err = s.record(t, who.org, searchedEntry("search/", who, search, detail))
	return err
}

func (s *Store) recordPart(t *tx, who tenant, search agent.ClientSearch, org string, part searchedPart) error {
	detail, err := json.Marshal(part)
	if err != nil {
		return err
	}
	row, err := s.record(t, org, searchedEntry("searched/", who, search, detail))
	if err != nil {
		return err
	}
	_, err = t.exec(insertAuditNotice, org, row.Seq, search.At)
	return err
}

func searchedEntry(prefix string, who tenant, search agent.ClientSearch, detail json.RawMessage) agent.AuditEntry {
	return agent.AuditEntry{ID: prefix + search.ID, At: search.At, Actor: who.user, Action: agent.AuditSessionsSearched,
		Object: agent.CollectionSessions, Detail: detail, ReceiptID: search.ReceiptID}
}
