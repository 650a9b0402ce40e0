package sqlite_test

import (
	"context"
	"slices"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/store/storetest"
)

// Each store here is broken in one way; see brokenStores for who catches it.
type (
	losesAudit      struct{ storetest.Store }
	changesAudit    struct{ storetest.Store }
	reordersAudit   struct{ storetest.Store }
	recordsTwice    struct{ storetest.Store }
	leaksAudit      struct{ storetest.Store }
	anchorless      struct{ storetest.Store }
	deletesSilently struct{ storetest.Store }
	recordsFirst    struct{ storetest.Store }
	putsAnyPolicy   struct{ storetest.Store }
	clientsForAll   struct{ storetest.Store }
	searchesAnybody struct{ storetest.Store }
	tellsAgain      struct{ storetest.Store }
)

func (s losesAudit) AuditAfter(ctx context.Context, seq int64, limit int) ([]agent.AuditEntry, error) {
	list, err := s.Store.AuditAfter(ctx, seq, limit)
	if len(list) > 2 {
		list = slices.Delete(list, 1, 2)
	}
	return list, err
}

func (s changesAudit) AuditAfter(ctx context.Context, seq int64, limit int) ([]agent.AuditEntry, error) {
	list, err := s.Store.AuditAfter(ctx, seq, limit)
	if len(list) > 0 {
		list[0].At++
	}
	return list, err
}

func (s reordersAudit) AuditAfter(ctx context.Context, seq int64, limit int) ([]agent.AuditEntry, error) {
	list, err := s.Store.AuditAfter(ctx, seq, limit)
	slices.Reverse(list)
	return list, err
}

func (s recordsTwice) AppendAudit(ctx context.Context, e agent.AuditEntry) (agent.AuditEntry, error) {
	id := e.ID
	e.ID = ""
	row, err := s.Store.AppendAudit(ctx, e)
	if id != "" {
		row.ID = id
	}
	return row, err
}

// leaksAudit reads the log of the suite's first org for everybody.
func (s leaksAudit) AuditList(ctx context.Context, q agent.AuditQuery) (agent.Page[agent.AuditEntry], error) {
	p, err := agent.PrincipalFrom(ctx)
	if err != nil {
		return agent.Page[agent.AuditEntry]{}, err
	}
	p.OrgID = "o_acme"
	return s.Store.AuditList(agent.WithPrincipal(ctx, p), q)
}

func (s anchorless) VerifyAudit(ctx context.Context, _ agent.AuditHead) (agent.AuditReport, error) {
	return s.Store.VerifyAudit(ctx, agent.AuditHead{})
}

func (s deletesSilently) AuditAfter(ctx context.Context, seq int64, limit int) ([]agent.AuditEntry, error) {
	list, err := s.Store.AuditAfter(ctx, seq, limit)
	return slices.DeleteFunc(list, func(e agent.AuditEntry) bool { return e.Action == agent.AuditThreadDeleted }), err
}

func (s recordsFirst) RevokeKey(ctx context.Context, id string, at int64) error {
	if _, err := s.AppendAudit(ctx, agent.AuditEntry{ID: agent.AuditKeyRevoked + "/" + id, At: at, Action: agent.AuditKeyRevoked, Object: id,
		Detail: []byte(`{"owner":"user"}`)}); err != nil {
		return err
	}
	return s.Store.RevokeKey(ctx, id, at)
}

func (s putsAnyPolicy) PutPolicy(ctx context.Context, p agent.OrgPolicy) (agent.OrgPolicy, error) {
	if now, err := s.Policy(ctx); err == nil && !strings.HasSuffix(now.OrgID, "none") {
		p.Version = now.Version
	}
	return s.Store.PutPolicy(ctx, p)
}

func (s clientsForAll) Clients(ctx context.Context) ([]agent.Client, error) {
	p, err := agent.PrincipalFrom(ctx)
	if err != nil {
		return nil, err
	}
	p.Staff = true
	return s.Store.Clients(agent.WithPrincipal(ctx, p))
}

// searchesAnybody records of a search those orgs that allow it, and leaves the others out.
func (s searchesAnybody) RecordSearch(ctx context.Context, search agent.ClientSearch) error {
	clients, err := s.Clients(ctx)
	if err != nil {
		return err
	}
	search.Searched = slices.DeleteFunc(slices.Clone(search.Searched), func(r agent.ClientResults) bool {
		return !slices.ContainsFunc(clients, func(c agent.Client) bool { return c.OrgID == r.OrgID && !c.OptedOut })
	})
	return s.Store.RecordSearch(ctx, search)
}

func (s tellsAgain) NoteAuditNotice(ctx context.Context, org string, seq, at, next int64, sent bool) error {
	if next == 0 {
		next = at
	}
	return s.Store.NoteAuditNotice(ctx, org, seq, at, next, sent)
}
