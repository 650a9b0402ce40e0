package sqlite

import (
	"context"
	"fmt"

	agent "github.com/lossless-group/in-app-agent"
)

const permissionColumns = `id, org_id, user_id, receipt_id, capability, project_id, project_kind, summary, resources, limits,
	created_at_ms, until_ms, uses, used_at_ms`

const (
	insertPermission = `INSERT INTO permissions (id, org_id, user_id, receipt_id, capability, project_id, project_kind, summary,
		resources, limits, created_at_ms, until_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

	countPermissions = `SELECT count(*) FROM permissions WHERE org_id = ? AND user_id = ? AND revoked_at_ms IS NULL AND until_ms > ?`

	selectPermissions = `SELECT ` + permissionColumns + ` FROM permissions
		WHERE org_id = ?1 AND user_id = ?2 AND revoked_at_ms IS NULL AND until_ms > ?3 AND (created_at_ms, id) < (?4, ?5)
		ORDER BY created_at_ms DESC, id DESC LIMIT ?6`

	selectPermissionsFor = `SELECT ` + permissionColumns + ` FROM permissions
		WHERE org_id = ? AND user_id = ? AND revoked_at_ms IS NULL AND until_ms > ?
		AND capability = ? AND project_kind = ? AND project_id = ? ORDER BY created_at_ms, id`

	usePermission = `UPDATE permissions SET uses = uses + 1, used_at_ms = ?1
		WHERE id = ?2 AND org_id = ?3 AND user_id = ?4 AND revoked_at_ms IS NULL AND until_ms > ?1`

	revokePermission = `UPDATE permissions SET revoked_at_ms = ? WHERE id = ? AND org_id = ? AND user_id = ? AND revoked_at_ms IS NULL`
)

func scanPermission(s scanner) (p agent.Permission, err error) {
	var resources, limits string
	var used *int64
	if err = s.Scan(&p.ID, &p.OrgID, &p.UserID, &p.ReceiptID, &p.Capability, &p.ProjectID, &p.ProjectKind, &p.Summary, &resources, &limits,
		&p.CreatedAt, &p.Until, &p.Uses, &used); err != nil {
		return p, err
	}
	p.UsedAt = value(used)
	if p.Resources, err = decode[[]string](resources); err != nil {
		return p, err
	}
	p.Limits, err = decode[[]agent.ArgumentLimit](limits)
	return p, err
}

// permit uses the rule that a decision rests on and makes the one that it is to be
// remembered as; remembered is that one's id.
func permit(t *tx, who tenant, d agent.TakeDecision) (remembered string, err error) {
	if d.PermissionID != "" {
		n, err := t.exec(usePermission, d.At, d.PermissionID, who.org, who.user)
		if err != nil {
			return "", err
		}
		if n != 1 {
			return "", agent.Errorf(agent.CodeConflict, "The remembered permission is not in force any more.")
		}
	}
	if d.Remember == nil {
		return "", nil
	}
	if d.Verdict != agent.VerdictAccepted || d.PermissionID != "" {
		return "", internal(fmt.Errorf("receipt %s: only an accept by a person is remembered", d.ReceiptID))
	}
	return d.Remember.ID, remember(t, who, d.ReceiptID, *d.Remember)
}

func remember(t *tx, who tenant, receipt agent.ReceiptID, p agent.Permission) error {
	have, _, err := one(t, plain[int64], countPermissions, who.org, who.user, p.CreatedAt)
	if err != nil {
		return err
	}
	if have >= agent.MaxPermissions {
		return &agent.Error{Code: agent.CodeTooLarge, Message: fmt.Sprintf("%d permissions are remembered already.", have),
			Hint: "Revoke some in the settings, or accept this one without remembering it."}
	}
	resources, err := encode(p.Resources)
	if err != nil {
		return err
	}
	limits, err := encode(p.Limits)
	if err != nil {
		return err
	}
	_, err = t.exec(insertPermission, p.ID, who.org, who.user, receipt, p.Capability, p.ProjectID, p.ProjectKind, p.Summary,
		resources, limits, p.CreatedAt, p.Until)
	return err
}

// PermissionList lists the caller's live permissions, newest first. Errors:
// invalid_input (a cursor that is none of ours).
func (s *Store) PermissionList(ctx context.Context, q agent.PermissionQuery, now int64) (page agent.Page[agent.Permission], err error) {
	from, err := parseListCursor(q.Cursor)
	if err != nil {
		return page, err
	}
	limit := pageSize(q.Limit)
	err = s.readAs(ctx, func(t *tx, who tenant) error {
		list, err := all(t, scanPermission, selectPermissions, who.org, who.user, now, from.at, from.id, limit+1)
		if err != nil {
			return err
		}
		if len(list) > limit {
			list = list[:limit]
			page.Next = listCursor{list[limit-1].CreatedAt, list[limit-1].ID}.String()
		}
		page.Items = append([]agent.Permission{}, list...) // an empty page is a list, too
		return nil
	})
	return page, err
}

// PermissionsFor gives the caller's live permissions for a capability in a project,
// oldest first.
func (s *Store) PermissionsFor(ctx context.Context, capability string, p agent.Project, now int64) (list []agent.Permission, err error) {
	err = s.readAs(ctx, func(t *tx, who tenant) (err error) {
		list, err = all(t, scanPermission, selectPermissionsFor, who.org, who.user, now, capability, p.Kind, p.ID)
		return err
	})
	return list, err
}

// RevokePermission ends a permission of the caller; its row stays. Errors: not_found.
func (s *Store) RevokePermission(ctx context.Context, id string, at int64) error {
	return s.writeAs(ctx, true, func(t *tx, who tenant) error {
		n, err := t.exec(revokePermission, at, id, who.org, who.user)
		if err == nil && n == 0 {
			err = agent.NotFound("permission")
		}
		if err != nil {
			return err
		}
		return s.note(t, who, agent.AuditEntry{At: at, Action: agent.AuditPermissionRevoked, Object: id}, nil)
	})
}
