package sqlite

import (
	"context"
	"slices"

	agent "github.com/lossless-group/in-app-agent"
)

const (
	selectOrgPolicies = `SELECT id, policy_version, disabled_capabilities, default_model, allow_model_choice, billing_status,
		remember, remember_days, response_mode, cross_client_search, redaction FROM orgs`

	selectCopies = `SELECT org_id, version, disabled_capabilities, default_model, allow_model_choice, billing_status,
		remember, remember_days, response_mode, cross_client_search, redaction FROM org_state`

	selectCopy = selectCopies + ` WHERE org_id = ?`

	putCopy = `INSERT INTO org_state (org_id, version, disabled_capabilities, default_model, allow_model_choice, billing_status, remember, remember_days,
		response_mode, cross_client_search, redaction, refreshed_at_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (org_id) DO UPDATE SET version = excluded.version, disabled_capabilities = excluded.disabled_capabilities,
		default_model = excluded.default_model, allow_model_choice = excluded.allow_model_choice,
		billing_status = excluded.billing_status, remember = excluded.remember, remember_days = excluded.remember_days,
		response_mode = excluded.response_mode, cross_client_search = excluded.cross_client_search,
		redaction = excluded.redaction, refreshed_at_ms = excluded.refreshed_at_ms`

	deleteCopy = `DELETE FROM org_state WHERE org_id = ?`
)

func scanPolicy(s scanner) (p agent.OrgPolicy, err error) {
	var disabled, redaction string
	if err = s.Scan(&p.OrgID, &p.Version, &disabled, &p.DefaultModel, &p.AllowModelChoice, &p.Billing, &p.Remember, &p.RememberDays,
		&p.ResponseMode, &p.CrossClientSearch, &redaction); err != nil {
		return p, err
	}
	if p.DisabledCapabilities, err = decode[[]string](disabled); err != nil {
		return p, err
	}
	p.Redaction, err = decode[agent.RedactionPolicy](redaction)
	return p, err
}

// Policy gives the policy of the caller's org from the copy in the app database. An
// org that has no copy yet is looked up once. Errors: not_found, storage_busy.
func (s *Store) Policy(ctx context.Context) (agent.OrgPolicy, error) {
	who, err := tenantOf(ctx)
	if err != nil {
		return agent.OrgPolicy{}, err
	}
	if p, ok, err := s.policyCopy(ctx, who.org); err != nil || ok {
		return p, err
	}
	if err := s.RefreshPolicies(ctx); err != nil {
		return agent.OrgPolicy{}, err
	}
	p, ok, err := s.policyCopy(ctx, who.org)
	if err == nil && !ok {
		err = agent.NotFound("organization")
	}
	return p, err
}

func (s *Store) policyCopy(ctx context.Context, org string) (p agent.OrgPolicy, ok bool, err error) {
	err = s.app.read(ctx, func(t *tx) (err error) {
		p, ok, err = one(t, scanPolicy, selectCopy, org)
		return err
	})
	return p, ok, err
}

// RefreshPolicies copies every org's policy from the auth database into the app
// database where it changed; when nothing did, nothing is written. The server calls
// it every 5 s and after an admin's write.
func (s *Store) RefreshPolicies(ctx context.Context) error {
	// One at a time: a slow one must not write an older policy over a newer copy.
	s.refreshing.Lock()
	defer s.refreshing.Unlock()
	if err := s.forwardAudit(ctx); err != nil { // a policy must not wait for the log of something else
		s.log.Warn("facts wait for the audit log", "error", err)
	}
	var now, copies []agent.OrgPolicy
	if err := s.auth.read(ctx, func(t *tx) (err error) {
		now, err = all(t, scanPolicy, selectOrgPolicies)
		return err
	}); err != nil {
		return err
	}
	if err := s.app.read(ctx, func(t *tx) (err error) {
		copies, err = all(t, scanPolicy, selectCopies)
		return err
	}); err != nil {
		return err
	}
	changed, gone := comparePolicies(now, copies)
	if err := s.refreshCaps(ctx); err != nil {
		return err
	}
	if len(changed)+len(gone) == 0 {
		return nil
	}
	authors, err := s.policyAuthors(ctx)
	if err != nil {
		return err
	}
	return s.app.write(ctx, true, func(t *tx) error {
		if err := s.recordPolicies(t, copies, changed, authors); err != nil {
			return err
		}
		return s.copyPolicies(t, changed, gone)
	})
}

func comparePolicies(now, copies []agent.OrgPolicy) (changed []agent.OrgPolicy, gone []string) {
	known := map[string]agent.OrgPolicy{}
	for _, p := range copies {
		known[p.OrgID] = p
	}
	for _, p := range now {
		c, ok := known[p.OrgID]
		same := ok && c.Version == p.Version && c.DefaultModel == p.DefaultModel && c.AllowModelChoice == p.AllowModelChoice &&
			c.Billing == p.Billing && c.Remember == p.Remember && c.RememberDays == p.RememberDays &&
			c.ResponseMode == p.ResponseMode && c.CrossClientSearch == p.CrossClientSearch && slices.Equal(c.DisabledCapabilities, p.DisabledCapabilities) &&
			slices.Equal(c.Redaction.Kinds, p.Redaction.Kinds) && slices.Equal(c.Redaction.Patterns, p.Redaction.Patterns)
		if !same {
			changed = append(changed, p)
		}
		delete(known, p.OrgID)
	}
	for org := range known {
		gone = append(gone, org)
	}
	return changed, gone
}

func (s *Store) copyPolicies(t *tx, changed []agent.OrgPolicy, gone []string) error {
	for _, p := range changed {
		disabled, err := encode(p.DisabledCapabilities)
		if err != nil {
			return err
		}
		redaction, err := encode(p.Redaction)
		if err != nil {
			return err
		}
		if _, err := t.exec(putCopy, p.OrgID, p.Version, disabled, p.DefaultModel, p.AllowModelChoice, p.Billing, p.Remember, p.RememberDays,
			p.ResponseMode, p.CrossClientSearch, redaction, s.now()); err != nil {
			return err
		}
	}
	for _, org := range gone {
		if _, err := t.exec(deleteCopy, org); err != nil {
			return err
		}
	}
	return nil
}
