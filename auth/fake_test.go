package auth

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// fakeDB is sessions and directory in memory.
type fakeDB struct {
	sessions map[string]agent.Session
	users    map[string]agent.User
	orgs     map[string]agent.Org
	members  map[string]agent.Membership
	err      error // what every read of a session gives
	asked    []string
}

func newFakeDB() *fakeDB {
	return &fakeDB{sessions: make(map[string]agent.Session), users: make(map[string]agent.User),
		orgs: make(map[string]agent.Org), members: make(map[string]agent.Membership)}
}

func (f *fakeDB) CreateSession(_ context.Context, s agent.Session) error {
	if _, ok := f.members[s.UserID+"/"+s.OrgID]; !ok {
		return agent.NotFound("membership")
	}
	f.sessions[s.ID] = s
	return nil
}

func (f *fakeDB) Session(ctx context.Context, id string) (agent.Session, agent.Principal, error) {
	f.asked = append(f.asked, id)
	if f.err != nil {
		return agent.Session{}, agent.Principal{}, f.err
	}
	s, ok := f.sessions[id]
	if !ok || s.RevokedAt != 0 {
		return agent.Session{}, agent.Principal{}, agent.NotFound("session")
	}
	p, err := f.Member(ctx, s.UserID, s.OrgID)
	return s, p, err
}

func (f *fakeDB) RevokeSession(_ context.Context, id string, at int64) error {
	s := f.sessions[id]
	s.RevokedAt = at
	f.sessions[id] = s
	return nil
}

func (f *fakeDB) Member(_ context.Context, userID, orgID string) (agent.Principal, error) {
	m, ok := f.members[userID+"/"+orgID]
	if !ok {
		return agent.Principal{}, agent.NotFound("membership")
	}
	o := f.orgs[orgID]
	return agent.Principal{UserID: userID, UserName: f.users[userID].Name, OrgID: orgID, OrgSlug: o.Slug,
		Role: m.Role, Tier: m.Role.Tier(), Billing: o.Billing}, nil
}

func (f *fakeDB) PutUser(_ context.Context, u agent.User) error { f.users[u.ID] = u; return nil }
func (f *fakeDB) PutOrg(_ context.Context, o agent.Org) error   { f.orgs[o.ID] = o; return f.err }

func (f *fakeDB) PutMembership(_ context.Context, m agent.Membership) error {
	f.members[m.UserID+"/"+m.OrgID] = m
	return nil
}

func (f *fakeDB) OrgBySlug(_ context.Context, slug string) (agent.Org, error) {
	for _, o := range f.orgs {
		if o.Slug == slug {
			return o, nil
		}
	}
	return agent.Org{}, agent.NotFound("org")
}

func (f *fakeDB) Orgs(context.Context) ([]agent.Org, error) {
	return slices.Collect(maps.Values(f.orgs)), nil
}

func (f *fakeDB) User(_ context.Context, id string) (agent.User, error) {
	u, ok := f.users[id]
	if !ok {
		return agent.User{}, agent.NotFound("user")
	}
	return u, nil
}

func (f *fakeDB) Members(_ context.Context, orgID string) (list []agent.OrgMember, err error) {
	for _, m := range f.members {
		if m.OrgID == orgID {
			list = append(list, agent.OrgMember{User: f.users[m.UserID], Role: m.Role})
		}
	}
	return list, nil
}

var secret = []byte("0123456789abcdef0123456789abcdef")

// gate is an Auth over a seeded database and a clock that a test turns.
type gate struct {
	*Auth
	db  *fakeDB
	now time.Time
}

func newGate(tb testing.TB, change ...func(*Config)) *gate {
	tb.Helper()
	g := &gate{db: newFakeDB(), now: time.UnixMilli(1_800_000_000_000)}
	if err := SeedDev(context.Background(), g.db, SeedOptions{}); err != nil {
		tb.Fatal(err)
	}
	n := 0
	c := Config{Sessions: g.db, Secret: secret, Now: func() time.Time { return g.now },
		IDs: func(prefix string) string { n++; return fmt.Sprintf("%s_%d", prefix, n) }}
	for _, f := range change {
		f(&c)
	}
	var err error
	if g.Auth, err = New(c); err != nil {
		tb.Fatal(err)
	}
	return g
}

// login signs a development user in.
func (g *gate) login(tb testing.TB, name string) Login {
	tb.Helper()
	u, ok := devUser(name)
	if !ok {
		tb.Fatalf("no user %s", name)
	}
	l, err := g.Issue(context.Background(), u.ID, u.Org)
	if err != nil {
		tb.Fatal(err)
	}
	return l
}

// bearer is a request with tokens as bearers.
func bearer(tokens ...string) *http.Request {
	r := httptest.NewRequest("GET", "/", nil)
	for _, t := range tokens {
		r.Header.Add("Authorization", "Bearer "+t)
	}
	return r
}

// refused fails the test unless the request is unauthenticated.
func (g *gate) refused(tb testing.TB, why string, r *http.Request) {
	tb.Helper()
	p, err := g.Authenticate(r)
	var e *agent.Error
	if !errors.As(err, &e) || e.Code != agent.CodeUnauthenticated || p.UserID != "" {
		tb.Errorf("%s: %+v, %v", why, p, err)
	}
}
