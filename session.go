package agent

import "context"

// Session is a login session: a row of the auth database.
type Session struct {
	ID        string
	UserID    string
	OrgID     string
	CreatedAt int64
	ExpiresAt int64
	RevokedAt int64
}

// User, Org and Membership are rows of the auth database, where we keep it ourselves.
type (
	// User is a person.
	User struct{ ID, Name, Email string }
	// Org is a tenant. Slugs are kebab, lower case, at most 32 characters, no
	// leading digit.
	Org struct {
		ID, Slug, Name string
		Billing        Billing
		DefaultModel   string
	}
	// Membership is a user's role in an org.
	Membership struct {
		UserID, OrgID string
		Role          Role
	}
	// OrgMember is a user with the role in one org.
	OrgMember struct {
		User
		Role Role
	}
)

// Sessions reads and writes login sessions. It is what package auth checks a
// credential against; none of its methods needs a principal.
type Sessions interface {
	// CreateSession writes a session. Errors: not_found (no membership).
	CreateSession(ctx context.Context, s Session) error
	// Session gives a session with the principal that stands behind it: user, org,
	// role, tier, billing, but no scopes. Errors: not_found (unknown, revoked, or
	// the membership is gone). The caller checks ExpiresAt.
	Session(ctx context.Context, id string) (Session, Principal, error)
	// RevokeSession ends a session at once; an unknown one is no error.
	RevokeSession(ctx context.Context, id string, at int64) error
	// Member gives the principal of a user in an org as it is now. Callers: the
	// engine (a run goes on without its request), auth's development login.
	// Errors: not_found.
	Member(ctx context.Context, userID, orgID string) (Principal, error)
}

// Directory writes users, orgs and memberships where we keep the auth database
// ourselves. System; callers: the development login's seed and the orgs verb.
type Directory interface {
	PutUser(ctx context.Context, u User) error
	PutOrg(ctx context.Context, o Org) error
	PutMembership(ctx context.Context, m Membership) error
	// OrgBySlug finds an org. Errors: not_found.
	OrgBySlug(ctx context.Context, slug string) (Org, error)
	// Orgs gives every org, by slug.
	Orgs(ctx context.Context) ([]Org, error)
	// User finds a user by id. Errors: not_found.
	User(ctx context.Context, id string) (User, error)
	// Members gives who is in an org, by user id; an unknown org has none.
	Members(ctx context.Context, orgID string) ([]OrgMember, error)
}
