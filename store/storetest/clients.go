package storetest

import (
	"encoding/json"
	"fmt"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

// staff is the operator's own, in an org of their own.
var staff = agent.Principal{UserID: "u_staff", OrgID: "o_house", OrgSlug: "house", Role: agent.RoleSuperuser, Tier: agent.TierAdmin, Staff: true}

func (w *world) house() {
	w.Helper()
	ctx := as(staff)
	w.ok(w.s.PutOrg(ctx, agent.Org{ID: "o_house", Slug: "house", Name: "House", Billing: agent.BillingLingering}))
	w.ok(w.s.PutUser(ctx, agent.User{ID: "u_staff", Name: "Staff", Email: "staff@house.example"}))
	w.ok(w.s.PutMembership(ctx, agent.Membership{UserID: "u_staff", OrgID: "o_house", Role: agent.RoleSuperuser}))
	w.ok(w.s.PutMembership(ctx, agent.Membership{UserID: "u_carol", OrgID: "o_other", Role: agent.RoleOrgOwner}))
	w.ok(w.s.PutMembership(ctx, agent.Membership{UserID: "u_staff", OrgID: "o_acme", Role: agent.RoleSuperuser}))
	w.ok(w.s.RefreshPolicies(ctx))
}

func (w *world) choose(p agent.Principal, choice agent.CrossClientChoice) {
	w.Helper()
	pol := w.policy(p)
	pol.CrossClientSearch = choice
	_, err := w.s.PutPolicy(as(p), pol)
	w.ok(err)
}

var (
	acme  = agent.Client{OrgID: "o_acme", Slug: "acme", Name: "Acme"}
	other = agent.Client{OrgID: "o_other", Slug: "other", Name: "Other"}
)

func searchOf(id string, clients ...agent.Client) agent.ClientSearch {
	s := agent.ClientSearch{ID: id, At: start, ReceiptID: "receipt_1", Query: "ferries", Skipped: []agent.Client{{OrgID: "o_house", Slug: "house", Name: "House", OptedOut: true}}}
	for i, c := range clients {
		s.Searched = append(s.Searched, agent.ClientResults{Client: c, Results: i + 1, Query: "ferries of " + c.Slug})
	}
	return s
}

func (w *world) tell(now int64) []agent.AuditNotice {
	w.Helper()
	list, err := w.s.DueAuditNotices(as(staff), now, 10)
	w.ok(err)
	return list
}

var clientsCases = []Case{
	{Name: "staff alone see the clients, each with its word", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		w.house()
		for _, p := range []agent.Principal{alice, bob, {UserID: "u_bob", OrgID: "o_acme", Role: agent.RoleSuperuser, Tier: agent.TierAdmin}} {
			_, err := s.Clients(as(p))
			w.code(err, agent.CodeForbidden, "the clients for "+string(p.Role))
			w.code(s.RecordSearch(as(p), searchOf("s", acme)), agent.CodeForbidden, "a search of "+string(p.Role))
		}
		clients := func() string {
			list, err := s.Clients(as(staff))
			w.ok(err)
			text := ""
			for _, c := range list {
				text += fmt.Sprintf("%s %s %s %v; ", c.OrgID, c.Slug, c.Name, c.OptedOut)
			}
			return text
		}
		w.same(clients(), "o_acme acme Acme false; o_house house House true; o_other other Other true; ", "the clients by billing")
		w.choose(bob, agent.CrossClientRefused)
		w.choose(carol, agent.CrossClientAllowed)
		w.same(clients(), "o_acme acme Acme true; o_house house House true; o_other other Other false; ", "the clients by their own word")
	}},
	{Name: "a search is recorded whole where it was made, and in each searched org its own part", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		w.house()
		w.choose(carol, agent.CrossClientAllowed)
		for range 2 { // the second is the same one, after a crash
			w.ok(s.RecordSearch(as(staff), searchOf("key", acme, other)))
		}
		const told = "u_staff sessions.searched client-app-sessions"
		w.same(w.recorded(staff), []string{told}, "the log of the house")
		w.same(w.recorded(bob), []string{told}, "the log of a searched org")
		w.same(w.recorded(carol), []string{"u_carol policy.changed policy", told}, "the log of another searched org")
		w.same(at(w, w.log(staff), 0).Detail, json.RawMessage(`{"query":"ferries","searched":{"acme":1,"other":2},"optedOut":["house"],"results":3}`), "the whole")
		row := at(w, w.log(bob), 0)
		w.same(row.Detail, json.RawMessage(`{"query":"ferries of acme","tenant":"client__acme","results":1,"tenantsSearched":2,"tenantsOptedOut":1}`), "the part")
		w.same(row.ReceiptID, agent.ReceiptID("receipt_1"), "the receipt")
		if text := show(w.log(bob)); strings.Contains(text, "other") || strings.Contains(text, "house") {
			w.Errorf("one client is told of another: %s", text)
		}
	}},
	{Name: "a search of an org that has opted out is not recorded in any", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		w.house()
		w.code(s.RecordSearch(as(staff), searchOf("key", acme, other)), agent.CodeConflict, "a search of a lingering org")
		w.code(s.RecordSearch(as(staff), searchOf("key", acme, agent.Client{OrgID: "o_none", Slug: "none"})), agent.CodeConflict, "a search of no org")
		for _, p := range []agent.Principal{staff, bob, carol} {
			w.same(w.recorded(p), []string{}, "the log of "+p.OrgID)
		}
		w.same(len(w.tell(start+day)), 0, "notices")
	}},
	{Name: "a search of very many is recorded by its numbers", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		w.house()
		search := searchOf("key", acme)
		for i := range 400 {
			search.Skipped = append(search.Skipped, agent.Client{Slug: fmt.Sprintf("client-with-a-long-slug-%d", i), OptedOut: true})
		}
		w.ok(s.RecordSearch(as(staff), search))
		w.same(at(w, w.log(staff), 0).Detail, json.RawMessage(`{"query":"ferries","tenantsSearched":1,"tenantsOptedOut":401,"results":1}`), "the detail")
	}},
	{Name: "the admins of a searched org are told once, and tried again for a week", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		w.house()
		w.choose(carol, agent.CrossClientAllowed)
		w.same(len(w.tell(start)), 0, "notices before a search")
		w.ok(s.RecordSearch(as(staff), searchOf("key", acme, other)))
		w.same(len(w.tell(start-1)), 0, "notices before their time")
		due := w.tell(start)
		w.same(len(due), 2, "notices")
		n := at(w, due, 0)
		w.same(n.Org.ID+" "+n.Org.Slug+" "+n.Org.Name, "o_acme acme Acme", "the org")
		w.same(n.Admins, []agent.User{{ID: "u_bob", Name: "Name of u_bob", Email: "u_bob@example.org"}}, "who is told: no member and no staff")
		w.same(n.Entry, at(w, w.log(bob), 0), "the row")
		w.ok(s.NoteAuditNotice(as(staff), "o_acme", n.Entry.Seq, start, 0, true))
		o := at(w, w.tell(start), 0)
		w.same(o.Org.ID, "o_other", "what is left")
		w.ok(s.NoteAuditNotice(as(staff), "o_other", o.Entry.Seq, start, start+100, false))
		w.same(len(w.tell(start+99)), 0, "notices before the next try")
		w.same(at(w, w.tell(start+100), 0).Tries, 1, "tries")
		w.same(len(w.tell(start+100+7*day-1)), 1, "notices at the end of the week")
		w.same(len(w.tell(start+100+7*day)), 0, "notices after a week")
		w.ok(s.RecordSearch(as(staff), searchOf("key", acme, other)))
		w.same(len(w.tell(start+200)), 1, "notices after the same search again")
	}},
}
