package sqlite

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"

	agent "github.com/lossless-group/in-app-agent"
)

const (
	selectPolicyAuthors = `SELECT id, policy_changed_by, policy_changed_version FROM orgs`

	updatePolicy = `UPDATE orgs SET disabled_capabilities = ?, default_model = ?, allow_model_choice = ?, remember = ?, remember_days = ?,
		response_mode = ?, cross_client_search = ?, redaction = ?,
		policy_changed_by = ?, policy_changed_version = policy_version + 1, policy_version = policy_version + 1
		WHERE id = ? AND policy_version = ?`

	selectOrgExists = `SELECT 1 FROM orgs WHERE id = ?`
)

// PutPolicy writes the policy of the caller's org where its version is still
// p.Version. The copy in the app database moves before it returns, and with it what
// the audit log says. Errors: not_found, conflict (the version moved).
func (s *Store) PutPolicy(ctx context.Context, p agent.OrgPolicy) (agent.OrgPolicy, error) {
	who, err := tenantOf(ctx)
	if err != nil {
		return agent.OrgPolicy{}, err
	}
	// What was changed before is recorded first, as the change of whoever made it.
	if err := s.RefreshPolicies(ctx); err != nil {
		return agent.OrgPolicy{}, err
	}
	disabled, err := encode(p.DisabledCapabilities)
	if err != nil {
		return agent.OrgPolicy{}, err
	}
	redaction, err := encodeRedaction(p.Redaction)
	if err != nil {
		return agent.OrgPolicy{}, err
	}
	err = s.auth.write(ctx, true, func(t *tx) error {
		n, err := t.exec(updatePolicy, disabled, p.DefaultModel, p.AllowModelChoice, p.Remember, p.RememberDays, p.ResponseMode,
			p.CrossClientSearch, redaction, who.user, who.org, p.Version)
		if err != nil || n == 1 {
			return err
		}
		if _, ok, err := one(t, plain[int64], selectOrgExists, who.org); err != nil || !ok {
			return orElse(err, agent.NotFound("organization"))
		}
		return &agent.Error{Code: agent.CodeConflict, Message: "The policy was changed meanwhile.", Hint: "Read it again, then change it."}
	})
	if err != nil {
		return agent.OrgPolicy{}, err
	}
	if err := s.RefreshPolicies(context.WithoutCancel(ctx)); err != nil {
		return agent.OrgPolicy{}, err
	}
	return s.Policy(ctx)
}

func orElse(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// policyAuthor is who made a version of an org's policy.
type policyAuthor struct {
	org, by string
	version int64
}

func scanPolicyAuthor(s scanner) (a policyAuthor, err error) {
	return a, s.Scan(&a.org, &a.by, &a.version)
}

func (s *Store) policyAuthors(ctx context.Context) (map[string]policyAuthor, error) {
	byOrg := map[string]policyAuthor{}
	err := s.auth.read(ctx, func(t *tx) error {
		list, err := all(t, scanPolicyAuthor, selectPolicyAuthors)
		for _, a := range list {
			byOrg[a.org] = a
		}
		return err
	})
	return byOrg, err
}

// recordPolicies tells the audit log which policies change with this copy, in its
// transaction: a change is in force and recorded, or neither. A version that PutPolicy
// did not make was made by a writer from outside.
func (s *Store) recordPolicies(t *tx, copies, changed []agent.OrgPolicy, authors map[string]policyAuthor) error {
	before := map[string]agent.OrgPolicy{}
	for _, p := range copies {
		before[p.OrgID] = p
	}
	for _, p := range changed {
		old, ok := before[p.OrgID]
		if !ok {
			continue // the first copy of an org changes nothing
		}
		actor := agent.ActorOutside
		if a := authors[p.OrgID]; a.version == p.Version && a.by != "" {
			actor = a.by
		}
		detail, err := policyDetail(old, p)
		if err != nil {
			return err
		}
		if _, err := s.record(t, p.OrgID, agent.AuditEntry{At: s.now(), Actor: actor,
			Action: agent.AuditPolicyChanged, Object: "policy", Detail: detail}); err != nil {
			return err
		}
	}
	return nil
}

// policyDetail tells which members changed, from what to what. It asks the policy's
// JSON, so that a new member is told of as well.
func policyDetail(old, now agent.OrgPolicy) (json.RawMessage, error) {
	was, err := membersOf(old)
	if err != nil {
		return nil, err
	}
	is, err := membersOf(now)
	if err != nil {
		return nil, err
	}
	delete(is, "version")
	changed := map[string]any{}
	for name, v := range is {
		if !bytes.Equal(v, was[name]) {
			changed[name] = difference(was[name], v)
		}
	}
	detail, err := json.Marshal(map[string]any{"version": now.Version, "changed": changed})
	if err != nil || len(detail) <= agent.MaxAuditDetail {
		return detail, err
	}
	return json.Marshal(map[string]any{"version": now.Version, "changed": slices.Sorted(maps.Keys(changed)), "omittedBytes": len(detail)})
}

func membersOf(p agent.OrgPolicy) (m map[string]json.RawMessage, err error) {
	text, err := json.Marshal(p)
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	return m, err
}

// difference tells of a list what was added and removed, of all else both values.
func difference(was, is json.RawMessage) any {
	var old, now []string
	if json.Unmarshal(was, &old) != nil || json.Unmarshal(is, &now) != nil {
		return map[string]json.RawMessage{"from": was, "to": is}
	}
	missing := func(list, in []string) []string {
		return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(in, s) })
	}
	return map[string][]string{"added": missing(now, old), "removed": missing(old, now)}
}
