package agent

import (
	"context"
	"slices"
)

// Tier is the right that a capability asks for; tiers are ordered.
type Tier string

// The tiers, lowest first.
const (
	TierViewer Tier = "viewer" // published surfaces
	TierUser   Tier = "user"   // logged in
	TierAdmin  Tier = "admin"  // org admin
)

var tierOrder = []Tier{TierViewer, TierUser, TierAdmin}

// Covers reports whether a holder of t may do what needs the other tier. An
// unknown tier covers nothing and is covered by nothing.
func (t Tier) Covers(needed Tier) bool {
	have, need := slices.Index(tierOrder, t), slices.Index(tierOrder, needed)
	return have >= 0 && need >= 0 && have >= need
}

// Valid reports whether t is one of the three tiers.
func (t Tier) Valid() bool { return slices.Contains(tierOrder, t) }

// Role is what a membership row says.
type Role string

// The roles of memberships, as the shared auth database names them.
const (
	RoleSuperuser Role = "superuser"
	RoleOrgOwner  Role = "org_owner"
	RoleOrgAdmin  Role = "org_admin"
	RoleEditor    Role = "editor"
	RoleViewer    Role = "viewer"
)

// Tier maps a role to the tier it grants. An unknown role is a viewer.
func (r Role) Tier() Tier {
	switch r {
	case RoleSuperuser, RoleOrgOwner, RoleOrgAdmin:
		return TierAdmin
	case RoleEditor:
		return TierUser
	default:
		return TierViewer
	}
}

// Billing says who pays for an org's model calls.
type Billing string

// The billing states of an org.
const (
	BillingPaying    Billing = "paying"    // the org's key
	BillingLingering Billing = "lingering" // the user's own key
)

// CredentialScope is a right of a credential, apart from the person's tier.
type CredentialScope string

// The scopes. A login session holds chat and approve; ScopeAdmin comes with the admin tier.
const (
	ScopeChat    CredentialScope = "chat"
	ScopeApprove CredentialScope = "approve"
	ScopeAdmin   CredentialScope = "admin"
)

// Principal is who is asking: the checked result of a credential. The tenant of
// everything that follows comes from here and from nowhere else.
type Principal struct {
	UserID   string
	UserName string
	OrgID    string
	OrgSlug  string
	Role     Role
	Tier     Tier
	Staff    bool // the role superuser
	Billing  Billing
	Scopes   []CredentialScope
	// SessionID is the login session behind the credential, "" where there is none.
	SessionID string
}

// Has reports whether the credential carries a scope.
func (p Principal) Has(s CredentialScope) bool { return slices.Contains(p.Scopes, s) }

type principalKey struct{}

// WithPrincipal puts the principal into the context. Only
// presenters call it, with what package auth gave them for a request, and the
// engine, for runs that go on without their request.
func WithPrincipal(ctx context.Context, p Principal) context.Context {
	return context.WithValue(ctx, principalKey{}, p)
}

// PrincipalFrom gives the principal of the context, or unauthenticated.
func PrincipalFrom(ctx context.Context) (Principal, error) {
	p, ok := ctx.Value(principalKey{}).(Principal)
	if !ok || p.UserID == "" || p.OrgID == "" {
		return Principal{}, &Error{Code: CodeUnauthenticated, Message: "Please sign in."}
	}
	return p, nil
}
