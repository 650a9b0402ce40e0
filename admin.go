package agent

import (
	"context"
	"encoding/json"
	"iter"
)

// PolicyChange is what an admin wants changed, based on a version.
type PolicyChange struct {
	// Version is that of the policy that was read; another one now is a conflict.
	Version int64 `json:"version"`
	// Set holds members of OrgPolicy with their new values; the others stay.
	Set json.RawMessage `json:"set"`
}

// Admin serves the administration of the caller's org, to its admins alone. Caller:
// presenters.
type Admin interface {
	// OrgPolicy gives the policy as it is in force. Errors: forbidden.
	OrgPolicy(ctx context.Context) (OrgPolicy, error)
	// PutOrgPolicy changes it and gives it as it is now; it is in force at once, also for
	// previews that wait. Errors: forbidden, invalid_request (an unknown member, a
	// wrong type), invalid_input, conflict (the version moved).
	PutOrgPolicy(ctx context.Context, c PolicyChange) (OrgPolicy, error)
	// AuditLog lists what was recorded, newest first. Errors: forbidden, invalid_input
	// (cursor, limit).
	AuditLog(ctx context.Context, q AuditQuery) (Page[AuditEntry], error)
	// ExportAudit gives the whole log, oldest first. Errors: forbidden.
	ExportAudit(ctx context.Context) iter.Seq2[AuditEntry, error]
}

// PolicyRows is the store's side of changing a policy. Tenant as in Journal.
type PolicyRows interface {
	// PutPolicy writes every member that an admin may change, where the version is
	// still p.Version, and gives the policy with its new one; it is recorded in the
	// audit log and in force when it returns. Caller: account. Errors: not_found,
	// conflict.
	PutPolicy(ctx context.Context, p OrgPolicy) (OrgPolicy, error)
}
