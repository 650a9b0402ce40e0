package account

import (
	"context"
	"encoding/json"
	"iter"
	"log/slog"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// AdminConfig names what the administration of an org stands on.
type AdminConfig struct {
	Policies agent.Policies
	Rows     agent.PolicyRows
	Audit    agent.Audit
	// Models say whether a default model is served; nil takes any name.
	Models agent.Models
	// Known says whether there is a capability of a name; nil takes any name.
	Known func(name string) bool
	Now   func() time.Time
	Log   *slog.Logger
}

// Admin serves an org's administration to its admins. It is safe for concurrent use.
type Admin struct{ AdminConfig }

var _ agent.Admin = (*Admin)(nil)

// NewAdmin makes an Admin. It panics when a needed port is missing: that is a mistake
// of the program, not of its configuration.
func NewAdmin(c AdminConfig) *Admin {
	if c.Policies == nil || c.Rows == nil || c.Audit == nil {
		panic("account: a port is missing in AdminConfig")
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return &Admin{c}
}

// allowed lets only an admin's own credential through. What a superuser looks at is
// recorded before it is shown.
func (a *Admin) allowed(ctx context.Context, looksAt string) error {
	p, err := agent.PrincipalFrom(ctx)
	if err != nil {
		return err
	}
	if !p.Tier.Covers(agent.TierAdmin) || !p.Has(agent.ScopeAdmin) {
		return &agent.Error{Code: agent.CodeForbidden, Message: "Only an admin of your organization may do this.", Hint: "Ask one of them."}
	}
	if !p.Staff || looksAt == "" {
		return nil
	}
	_, err = a.Audit.AppendAudit(ctx, agent.AuditEntry{At: a.Now().UnixMilli(), Action: agent.AuditAdminRead, Object: looksAt,
		Detail: json.RawMessage(`{"role":"superuser"}`)})
	return err
}

// OrgPolicy gives the policy that is in force.
func (a *Admin) OrgPolicy(ctx context.Context) (agent.OrgPolicy, error) {
	if err := a.allowed(ctx, "policy"); err != nil {
		return agent.OrgPolicy{}, err
	}
	return a.Policies.Policy(ctx)
}

// PutOrgPolicy changes the policy.
func (a *Admin) PutOrgPolicy(ctx context.Context, c agent.PolicyChange) (agent.OrgPolicy, error) {
	if err := a.allowed(ctx, ""); err != nil {
		return agent.OrgPolicy{}, err
	}
	now, err := a.Policies.Policy(ctx)
	if err != nil {
		return agent.OrgPolicy{}, err
	}
	next, err := changed(now, c.Set)
	if err != nil {
		return agent.OrgPolicy{}, err
	}
	if err := a.fits(now, next); err != nil {
		return agent.OrgPolicy{}, err
	}
	if c.Version != now.Version {
		return agent.OrgPolicy{}, &agent.Error{Code: agent.CodeConflict, Pointer: "/version", Message: "The policy was changed meanwhile.",
			Hint: "Read it again, then change it."}
	}
	if same(now, next) {
		return now, nil // nothing to put, and nothing to record
	}
	return a.Rows.PutPolicy(ctx, next)
}

const maxAuditPage = 200

// AuditLog lists what was recorded. The first page of a superuser is recorded itself.
func (a *Admin) AuditLog(ctx context.Context, q agent.AuditQuery) (agent.Page[agent.AuditEntry], error) {
	if q.Limit < 0 || q.Limit > maxAuditPage {
		return agent.Page[agent.AuditEntry]{}, invalid("/limit", "The limit must be from 1 to 200.")
	}
	looksAt := ""
	if q.Cursor == "" {
		looksAt = "audit"
	}
	if err := a.allowed(ctx, looksAt); err != nil {
		return agent.Page[agent.AuditEntry]{}, err
	}
	return a.Audit.AuditList(ctx, q)
}

// exportRows is how many rows of an export are read at once.
const exportRows = 500

// ExportAudit gives the whole log, as it is when the first row is read or later.
func (a *Admin) ExportAudit(ctx context.Context) iter.Seq2[agent.AuditEntry, error] {
	return func(yield func(agent.AuditEntry, error) bool) {
		if err := a.allowed(ctx, "audit"); err != nil {
			yield(agent.AuditEntry{}, err)
			return
		}
		after := int64(0)
		for {
			list, err := a.Audit.AuditAfter(ctx, after, exportRows)
			if err != nil {
				yield(agent.AuditEntry{}, err)
				return
			}
			for _, e := range list {
				if !yield(e, nil) {
					return
				}
				after = e.Seq
			}
			if len(list) < exportRows {
				return
			}
		}
	}
}
