package storetest

import (
	"context"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

var sessionCases = []Case{
	{Name: "a session gives the person behind it as they are now", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		ctx := context.Background()
		session := agent.Session{ID: "s1", UserID: "u_alice", OrgID: "o_acme", CreatedAt: start, ExpiresAt: start + day}
		w.ok(s.CreateSession(ctx, session))
		want := agent.Principal{UserID: "u_alice", UserName: "Name of u_alice", OrgID: "o_acme", OrgSlug: "acme", Role: agent.RoleEditor,
			Tier: agent.TierUser, Billing: agent.BillingPaying, SessionID: "s1"}
		got, p, err := s.Session(ctx, "s1")
		w.ok(err)
		w.same(got, session, "session")
		w.same(p, want, "principal")

		w.ok(s.PutMembership(ctx, agent.Membership{UserID: "u_alice", OrgID: "o_acme", Role: agent.RoleSuperuser}))
		w.ok(s.PutOrg(ctx, agent.Org{ID: "o_acme", Slug: "acme-new", Billing: agent.BillingLingering}))
		want.Role, want.Tier, want.Staff, want.OrgSlug, want.Billing = agent.RoleSuperuser, agent.TierAdmin, true, "acme-new", agent.BillingLingering
		_, p, err = s.Session(ctx, "s1")
		w.ok(err)
		w.same(p, want, "principal after a promotion")
	}},
	{Name: "a revoked session is not found", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		ctx := context.Background()
		w.ok(s.CreateSession(ctx, agent.Session{ID: "s1", UserID: "u_alice", OrgID: "o_acme", CreatedAt: start, ExpiresAt: start + day}))
		w.ok(s.CreateSession(ctx, agent.Session{ID: "s2", UserID: "u_alice", OrgID: "o_acme", CreatedAt: start, ExpiresAt: start + day}))
		w.ok(s.RevokeSession(ctx, "s1", start+1))
		w.ok(s.RevokeSession(ctx, "s1", start+2))
		w.ok(s.RevokeSession(ctx, "s_none", start+2))
		_, _, err := s.Session(ctx, "s1")
		w.code(err, agent.CodeNotFound, "the revoked session")
		_, _, err = s.Session(ctx, "s_none")
		w.code(err, agent.CodeNotFound, "an unknown session")
		_, _, err = s.Session(ctx, "s2")
		w.ok(err)
	}},
	{Name: "a session needs a membership, and an id of its own", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		ctx := context.Background()
		for _, c := range [][2]string{{"u_bob", "o_other"}, {"u_none", "o_acme"}, {"u_bob", "o_none"}} {
			w.code(s.CreateSession(ctx, agent.Session{ID: "s1", UserID: c[0], OrgID: c[1], ExpiresAt: start}), agent.CodeNotFound, c[0]+" in "+c[1])
			_, err := s.Member(ctx, c[0], c[1])
			w.code(err, agent.CodeNotFound, c[0]+" as a member of "+c[1])
		}
		w.ok(s.CreateSession(ctx, agent.Session{ID: "s1", UserID: "u_bob", OrgID: "o_acme"}))
		w.code(s.CreateSession(ctx, agent.Session{ID: "s1", UserID: "u_alice", OrgID: "o_acme"}), agent.CodeConflict, "a taken session id")
	}},
	{Name: "each role has its tier, and an unknown role the lowest", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		for role, tier := range map[agent.Role]agent.Tier{agent.RoleSuperuser: agent.TierAdmin, agent.RoleOrgOwner: agent.TierAdmin,
			agent.RoleOrgAdmin: agent.TierAdmin, agent.RoleEditor: agent.TierUser, agent.RoleViewer: agent.TierViewer, "janitor": agent.TierViewer} {
			w.ok(s.PutMembership(context.Background(), agent.Membership{UserID: "u_bob", OrgID: "o_acme", Role: role}))
			p, err := s.Member(context.Background(), "u_bob", "o_acme")
			w.ok(err)
			if p.Tier != tier || p.Staff != (role == agent.RoleSuperuser) || p.SessionID != "" || len(p.Scopes) != 0 {
				w.Errorf("role %s gives %s", role, show(p))
			}
		}
	}},
	{Name: "users and orgs are replaced by id and found by slug", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		ctx := context.Background()
		org := agent.Org{ID: "o_new", Slug: "new-co", Name: "New Co", DefaultModel: "m-9"}
		w.ok(s.PutOrg(ctx, org))
		org.Billing = agent.BillingLingering
		got, err := s.OrgBySlug(ctx, "new-co")
		w.ok(err)
		w.same(got, org, "org, lingering unless it says otherwise")
		_, err = s.OrgBySlug(ctx, "no-co")
		w.code(err, agent.CodeNotFound, "an unknown slug")
		w.code(s.PutOrg(ctx, agent.Org{ID: "o_x", Slug: "acme"}), agent.CodeConflict, "a taken slug")
		w.code(s.PutOrg(ctx, agent.Org{ID: "o_x", Slug: "x", Billing: "free"}), agent.CodeInvalidInput, "another billing")
		w.code(s.PutMembership(ctx, agent.Membership{UserID: "u_none", OrgID: "o_new", Role: agent.RoleViewer}), agent.CodeNotFound, "a member who is nobody")
		w.ok(s.PutUser(ctx, agent.User{ID: "u_bob", Name: "Robert"}))
		p, err := s.Member(ctx, "u_bob", "o_acme")
		w.ok(err)
		w.same(p.UserName, "Robert", "name")
	}},
	{Name: "orgs, a user and the members of an org can be listed", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		ctx := context.Background()
		w.ok(s.PutOrg(ctx, agent.Org{ID: "a_last", Slug: "zz"}))
		orgs, err := s.Orgs(ctx)
		w.ok(err)
		var slugs []string
		for _, o := range orgs {
			slugs = append(slugs, o.Slug)
		}
		w.same(slugs, []string{"acme", "other", "zz"}, "orgs")
		user := agent.User{ID: "u_new", Name: "New", Email: "new@example.test"}
		w.ok(s.PutUser(ctx, user))
		w.ok(s.PutMembership(ctx, agent.Membership{UserID: "u_new", OrgID: "a_last", Role: agent.RoleEditor}))
		found, err := s.User(ctx, "u_new")
		w.ok(err)
		w.same(found, user, "user")
		_, err = s.User(ctx, "u_none")
		w.code(err, agent.CodeNotFound, "an unknown user")
		members, err := s.Members(ctx, "a_last")
		w.ok(err)
		w.same(members, []agent.OrgMember{{User: user, Role: agent.RoleEditor}}, "members")
		members, err = s.Members(ctx, "o_none")
		w.ok(err)
		w.same(len(members), 0, "members of no org")
	}},
	{Name: "a slug has the form that tenants elsewhere are named by", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		for slug, fine := range map[string]bool{
			"a": true, "a1-b2": true, strings.Repeat("a", 31): true, strings.Repeat("a", 32): true, strings.Repeat("a", 33): false,
			"": false, "1a": false, "A": false, "a_b": false, "a--b": false, "-a": false, "a-": false, "..": false, "a/b": false, "%2f": false, "a\x00": false, "ä": false, "a\n": false,
		} {
			err := s.PutOrg(context.Background(), agent.Org{ID: "o_slug", Slug: slug})
			if fine {
				w.ok(err)
			} else {
				w.code(err, agent.CodeInvalidInput, "slug "+slug)
			}
		}
	}},
}

var policyCases = []Case{
	{Name: "a policy is read from its copy, which moves when it is refreshed", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		ctx := context.Background()
		before := w.policy(alice)
		want := agent.OrgPolicy{OrgID: "o_acme", Version: before.Version, DisabledCapabilities: []string{}, DefaultModel: "m-1", AllowModelChoice: true, Billing: agent.BillingPaying,
			Remember: agent.RememberPreview, RememberDays: 30, Redaction: agent.DefaultRedaction()}
		w.same(before, want, "policy")
		w.ok(s.PutOrg(ctx, agent.Org{ID: "o_acme", Slug: "acme", Billing: agent.BillingLingering, DefaultModel: "m-2"}))
		w.same(w.policy(alice), before, "policy until it is refreshed")
		w.ok(s.RefreshPolicies(ctx))
		want.DefaultModel, want.Billing = "m-2", agent.BillingLingering
		after := w.policy(alice)
		if after.Version <= before.Version {
			w.Errorf("the version went from %d to %d", before.Version, after.Version)
		}
		want.Version = after.Version
		w.same(after, want, "policy after a refresh")
	}},
	{Name: "a version moves with the policy and not with a name", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		ctx := context.Background()
		before, other := w.policy(alice), w.policy(carol)
		w.ok(s.PutOrg(ctx, agent.Org{ID: "o_acme", Slug: "acme-2", Name: "Acme Two", Billing: agent.BillingPaying, DefaultModel: "m-1"}))
		w.ok(s.RefreshPolicies(ctx))
		w.same(w.policy(alice), before, "policy after a rename")
		w.ok(s.PutOrg(ctx, agent.Org{ID: "o_acme", Slug: "acme-2", Billing: agent.BillingPaying, DefaultModel: "m-3"}))
		w.ok(s.RefreshPolicies(ctx))
		if got := w.policy(alice).Version; got == before.Version {
			w.Errorf("the version stayed %d", got)
		}
		w.same(w.policy(carol), other, "another org's policy")
	}},
	{Name: "a new org's policy is found without waiting for a refresh", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		w.ok(s.PutOrg(context.Background(), agent.Org{ID: "o_new", Slug: "new-co"}))
		w.same(w.policy(agent.Principal{UserID: "u", OrgID: "o_new"}).OrgID, "o_new", "org")
		_, err := s.Policy(as(agent.Principal{UserID: "u", OrgID: "o_none"}))
		w.code(err, agent.CodeNotFound, "the policy of no org")
	}},
}
