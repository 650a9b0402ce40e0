package storetest

import (
	"encoding/json"

	agent "github.com/lossless-group/in-app-agent"
)

// rule is a permission on its way into the store, made by an accept of r.
func (w *world) rule(r agent.Receipt) agent.Permission {
	return agent.Permission{ID: w.id("perm"), Summary: r.Preview.Summary, Capability: r.Capability, ProjectID: r.Project.ID, ProjectKind: r.Project.Kind,
		Resources: []string{"slide/4"}, CreatedAt: start + 1, Until: expires,
		Limits: []agent.ArgumentLimit{{Argument: "slide", Max: ptr(int64(4))}, {Argument: "style", Equal: json.RawMessage(`"bold"`)}, {Argument: "text", Any: true}}}
}

// remember lets a user accept a preview and remember it.
func (w *world) remember(p agent.Principal, change ...func(*agent.Permission)) agent.Permission {
	w.Helper()
	parked, receipts := w.park(p, 1)
	rule := w.rule(receipts[0])
	for _, f := range change {
		f(&rule)
	}
	d := decide(parked, receipts[0], agent.VerdictAccepted)
	d.At, d.Remember = start+1, &rule
	_, err := w.s.Take(as(p), w.take(p, parked, d))
	w.ok(err)
	w.same(at(w, w.record(p, parked.ID).Receipts, 0).RememberedID, rule.ID, "what the receipt made")
	rule.OrgID, rule.UserID, rule.ReceiptID = p.OrgID, p.UserID, receipts[0].ID
	return rule
}

// by accepts a new preview by a rule.
func (w *world) by(p agent.Principal, id string, when int64) error {
	w.Helper()
	parked, receipts := w.park(p, 1)
	d := decide(parked, receipts[0], agent.VerdictAccepted)
	d.By, d.At, d.PermissionID = "rule", when, id
	_, err := w.s.Take(as(p), w.take(p, parked, d))
	if err != nil {
		w.same(at(w, w.record(p, parked.ID).Receipts, 0).State, agent.ReceiptOpen, "the receipt after a take that failed")
		return err
	}
	w.same(at(w, w.record(p, parked.ID).Receipts, 0).PermissionID, id, "what accepted the receipt")
	return nil
}

func (w *world) permissions(p agent.Principal, now int64) []agent.Permission {
	w.Helper()
	page, err := w.s.PermissionList(as(p), agent.PermissionQuery{}, now)
	w.ok(err)
	if page.Items == nil {
		w.Errorf("no permissions are no list")
	}
	return page.Items
}

var permissionCases = []Case{
	{Name: "an accept is remembered with its receipt, and found by capability and project", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		rule := w.remember(alice)
		w.same(w.permissions(alice, start), []agent.Permission{rule}, "permissions")
		deck := agent.Project{ID: "deck", Kind: "slides"}
		found, err := s.PermissionsFor(as(alice), "slide.edit", deck, start)
		w.ok(err)
		w.same(found, []agent.Permission{rule}, "permissions for the capability")
		for what, c := range map[string]struct {
			name string
			p    agent.Project
		}{
			"another capability": {"slide.edits", deck}, "another project": {"slide.edit", agent.Project{ID: "deck2", Kind: "slides"}},
			"another kind": {"slide.edit", agent.Project{ID: "deck", Kind: "memo"}},
		} {
			found, err := s.PermissionsFor(as(alice), c.name, c.p, start)
			w.ok(err)
			w.same(len(found), 0, "permissions for "+what)
		}
	}},
	{Name: "a permission is used as long as it is live, and counts its uses", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		rule := w.remember(alice)
		w.ok(w.by(alice, rule.ID, start+5))
		w.ok(w.by(alice, rule.ID, start+6))
		rule.Uses, rule.UsedAt = 2, start+6
		w.same(w.permissions(alice, start), []agent.Permission{rule}, "permissions after two uses")
		short := w.remember(alice, func(p *agent.Permission) { p.Until = start + 100 })
		w.ok(w.by(alice, short.ID, start+99))
		w.code(w.by(alice, short.ID, start+100), agent.CodeConflict, "one whose time is over")
		w.same(len(w.permissions(alice, start+99)), 2, "permissions a moment before")
		w.same(len(w.permissions(alice, start+100)), 1, "permissions at its end")
		w.ok(s.RevokePermission(as(alice), rule.ID, start+7))
		w.code(w.by(alice, rule.ID, start+8), agent.CodeConflict, "a revoked one")
		w.code(s.RevokePermission(as(alice), rule.ID, start+9), agent.CodeNotFound, "revoking it again")
		w.code(w.by(alice, "perm_none", start), agent.CodeConflict, "one that is not")
	}},
	{Name: "a permission is its user's in one org, to list, to use and to revoke", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		rule := w.remember(alice)
		for who, p := range foreigners {
			w.same(len(w.permissions(p, start)), 0, "permissions of "+who)
			found, err := s.PermissionsFor(as(p), "slide.edit", agent.Project{ID: "deck", Kind: "slides"}, start)
			w.ok(err)
			w.same(len(found), 0, "permissions found by "+who)
			w.code(s.RevokePermission(as(p), rule.ID, start), agent.CodeNotFound, "revoked by "+who)
			w.code(w.by(p, rule.ID, start+5), agent.CodeConflict, "used by "+who)
		}
		w.same(w.permissions(alice, start), []agent.Permission{rule}, "permissions after all of it")
	}},
	{Name: "a user has 200 live permissions at most", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		var last agent.Permission
		for range agent.MaxPermissions {
			last = w.remember(alice)
		}
		parked, receipts := w.park(alice, 1)
		rule := w.rule(receipts[0])
		d := decide(parked, receipts[0], agent.VerdictAccepted)
		d.At, d.Remember = start+1, &rule
		_, err := s.Take(as(alice), w.take(alice, parked, d))
		w.code(err, agent.CodeTooLarge, "one more")
		w.same(w.turn(alice, parked.ID).State, agent.TurnAwaiting, "the turn whose accept was refused")
		w.ok(s.RevokePermission(as(alice), last.ID, start+2))
		_, err = s.Take(as(alice), w.take(alice, parked, d))
		w.ok(err)
		var seen int
		q := agent.PermissionQuery{Limit: 70}
		for {
			page, err := s.PermissionList(as(alice), q, start)
			w.ok(err)
			seen += len(page.Items)
			if page.Next == "" {
				break
			}
			q.Cursor = page.Next
		}
		w.same(seen, agent.MaxPermissions, "permissions over all pages")
	}},
	{Name: "a deleted thread takes no permission with it", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		rule := w.remember(alice)
		turn := w.turns(alice, agent.TurnQuery{}).Items[0]
		w.ok(s.DeleteThreadRows(as(alice), turn.ThreadID))
		w.same(w.permissions(alice, start), []agent.Permission{rule}, "permissions")
	}},
}
