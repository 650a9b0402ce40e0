package sqlite

import (
	"context"
	"regexp"

	agent "github.com/lossless-group/in-app-agent"
)

const (
	putUser = `INSERT INTO users (id, name, email) VALUES (?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET name = excluded.name, email = excluded.email`

	putOrg = `INSERT INTO orgs (id, slug, name, billing_status, default_model) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET slug = excluded.slug, name = excluded.name, billing_status = excluded.billing_status,
		default_model = excluded.default_model`

	putMembership = `INSERT INTO memberships (user_id, org_id, role) VALUES (?, ?, ?)
		ON CONFLICT (user_id, org_id) DO UPDATE SET role = excluded.role`

	selectOrgBySlug = `SELECT id, slug, name, billing_status, default_model FROM orgs WHERE slug = ?`

	selectOrgs = `SELECT id, slug, name, billing_status, default_model FROM orgs ORDER BY slug`

	selectUser = `SELECT id, name, email FROM users WHERE id = ?`

	selectMembers = `SELECT u.id, u.name, u.email, m.role FROM memberships m JOIN users u ON u.id = m.user_id
		WHERE m.org_id = ? ORDER BY u.id`
)

// PutUser writes a user, replacing one with the same id.
func (s *Store) PutUser(ctx context.Context, u agent.User) error {
	return s.auth.write(ctx, true, func(t *tx) error {
		_, err := t.exec(putUser, u.ID, u.Name, u.Email)
		return err
	})
}

// maxSlug is the longest slug, in characters.
const maxSlug = 32

var slugForm = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

// PutOrg writes an org, replacing one with the same id; no billing state means
// lingering. The slug names the org's tenant elsewhere, so its form is checked.
// Errors: invalid_input (slug, billing), conflict (another org has the slug).
func (s *Store) PutOrg(ctx context.Context, o agent.Org) error {
	if len(o.Slug) > maxSlug || !slugForm.MatchString(o.Slug) {
		return &agent.Error{Code: agent.CodeInvalidInput, Message: "This slug cannot name an organization.", Pointer: "/slug",
			Hint: "Use lower-case letters, digits and single dashes, beginning with a letter, at most 32 characters."}
	}
	if o.Billing == "" {
		o.Billing = agent.BillingLingering
	}
	if o.Billing != agent.BillingPaying && o.Billing != agent.BillingLingering {
		return &agent.Error{Code: agent.CodeInvalidInput, Message: "Billing is paying or lingering.", Pointer: "/billing"}
	}
	return s.auth.write(ctx, true, func(t *tx) error {
		_, err := t.exec(putOrg, o.ID, o.Slug, o.Name, o.Billing, o.DefaultModel)
		if isUnique(err) {
			err = agent.Wrap(agent.CodeConflict, err, "Another organization has this slug.")
		}
		return err
	})
}

// PutMembership writes a user's role in an org, replacing an older one. Errors:
// not_found (user or org).
func (s *Store) PutMembership(ctx context.Context, m agent.Membership) error {
	return s.auth.write(ctx, true, func(t *tx) error {
		_, err := t.exec(putMembership, m.UserID, m.OrgID, m.Role)
		if isOrphan(err) {
			err = agent.NotFound("user or organization")
		}
		return err
	})
}

func scanOrg(s scanner) (o agent.Org, err error) {
	return o, s.Scan(&o.ID, &o.Slug, &o.Name, &o.Billing, &o.DefaultModel)
}

// OrgBySlug finds an org. Errors: not_found.
func (s *Store) OrgBySlug(ctx context.Context, slug string) (org agent.Org, err error) {
	err = s.auth.read(ctx, func(t *tx) error {
		found, ok, err := one(t, scanOrg, selectOrgBySlug, slug)
		if err == nil && !ok {
			err = agent.NotFound("organization")
		}
		org = found
		return err
	})
	return org, err
}

// Orgs gives every org, by slug.
func (s *Store) Orgs(ctx context.Context) (orgs []agent.Org, err error) {
	err = s.auth.read(ctx, func(t *tx) (err error) {
		orgs, err = all(t, scanOrg, selectOrgs)
		return err
	})
	return orgs, err
}

// User finds a user by id. Errors: not_found.
func (s *Store) User(ctx context.Context, id string) (user agent.User, err error) {
	err = s.auth.read(ctx, func(t *tx) error {
		found, ok, err := one(t, func(s scanner) (u agent.User, err error) {
			return u, s.Scan(&u.ID, &u.Name, &u.Email)
		}, selectUser, id)
		if err == nil && !ok {
			err = agent.NotFound("user")
		}
		user = found
		return err
	})
	return user, err
}

// Members gives who is in an org, by user id.
func (s *Store) Members(ctx context.Context, orgID string) (members []agent.OrgMember, err error) {
	err = s.auth.read(ctx, func(t *tx) (err error) {
		members, err = all(t, func(s scanner) (m agent.OrgMember, err error) {
			return m, s.Scan(&m.ID, &m.Name, &m.Email, &m.Role)
		}, selectMembers, orgID)
		return err
	})
	return members, err
}
