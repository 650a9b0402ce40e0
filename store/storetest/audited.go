package storetest

import (
	"encoding/json"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

// recorded gives actor, action and object of each row of a log.
func (w *world) recorded(p agent.Principal) []string {
	w.Helper()
	list := []string{}
	for _, e := range w.log(p) {
		list = append(list, e.Actor+" "+e.Action+" "+e.Object)
	}
	return list
}

var auditedCases = []Case{
	{Name: "permissions are recorded when they are remembered and revoked", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		rule := w.remember(alice)
		w.ok(w.by(alice, rule.ID, start+5))
		w.ok(s.RevokePermission(as(alice), rule.ID, start+7))
		w.code(s.RevokePermission(as(alice), rule.ID, start+8), agent.CodeNotFound, "revoking it again")
		w.same(w.recorded(bob), []string{"u_alice permission.remembered " + rule.ID, "u_alice permission.revoked " + rule.ID}, "the log")
		row := at(w, w.log(alice), 0)
		w.same(row.ReceiptID, rule.ReceiptID, "the receipt")
		w.same(row.At, start+1, "when")
		if !strings.Contains(string(row.Detail), `"capability":"slide.edit"`) {
			w.Errorf("the detail is %s", row.Detail)
		}
	}},
	{Name: "what is refused is not recorded", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		parked, receipts := w.park(alice, 1)
		rule := w.rule(receipts[0])
		d := decide(parked, receipts[0], agent.VerdictAccepted)
		d.At, d.Remember = start+1, &rule
		take := w.take(alice, parked, d)
		take.PolicyVersion = w.policy(alice).Version + 1
		_, err := s.Take(agent.WithApprovalLink(as(alice), "link-1"), take)
		w.code(err, agent.CodeConflict, "an accept under another policy")
		w.code(s.DeleteThreadRows(as(bob), parked.ThreadID), agent.CodeNotFound, "deleting another's thread")
		w.code(s.RevokeKey(as(alice), "key_none", start), agent.CodeNotFound, "revoking no key")
		stale := w.policy(bob)
		stale.Version--
		_, err = s.PutPolicy(as(bob), stale)
		w.code(err, agent.CodeConflict, "a policy of an older version")
		w.same(w.recorded(bob), []string{}, "the log")
	}},
	{Name: "a decision behind a link is recorded, and none else", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		first, one := w.park(alice, 1)
		d := decide(first, one[0], agent.VerdictAccepted)
		d.By = alice.UserID
		_, err := s.Take(as(alice), w.take(alice, first, d))
		w.ok(err)
		second, two := w.park(alice, 1)
		d = decide(second, two[0], agent.VerdictDiscarded)
		d.By = alice.UserID
		_, err = s.Take(agent.WithApprovalLink(as(alice), "link-1"), w.take(alice, second, d))
		w.ok(err)
		w.same(w.recorded(bob), []string{"u_alice link.decided " + string(two[0].CallID)}, "the log")
		row := at(w, w.log(bob), 0)
		w.same(row.ReceiptID, two[0].ID, "the receipt")
		if !strings.Contains(string(row.Detail), `"decision":"discarded"`) || !strings.Contains(string(row.Detail), "link-1") {
			w.Errorf("the detail is %s", row.Detail)
		}
	}},
	{Name: "a deleted thread leaves the fact and nothing of what was said", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		w.end(alice, turn)
		w.ok(s.DeleteThreadRows(as(alice), turn.ThreadID))
		w.same(w.recorded(bob), []string{"u_alice thread.deleted " + string(turn.ThreadID)}, "the log")
		w.same(at(w, w.log(bob), 0).Detail, json.RawMessage(`{}`), "the detail")
	}},
	{Name: "keys are recorded when they come and go, and nothing of what they are", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		row := func(id string) agent.KeyRow {
			return agent.KeyRow{ID: id, Provider: "anthropic", Ciphertext: []byte("CANARY"), IV: []byte("iv"), Label: "LABEL", LastFour: "4DAC", Prefix: "sk-ant-", CreatedAt: start}
		}
		w.ok(s.PutKey(as(alice), row("key_1")))
		w.ok(s.PutKey(as(alice), row("key_2")))
		w.ok(s.RevokeKey(as(alice), "key_2", start+1))
		w.ok(s.PutOrgKey(as(bob), row("key_3")))
		w.ok(s.RevokeOrgKey(as(bob), "key_3", start+2))
		w.same(w.recorded(bob), []string{"u_alice key.added key_1", "u_alice key.added key_2", "u_alice key.revoked key_2",
			"u_bob key.added key_3", "u_bob key.revoked key_3"}, "the log")
		w.same(w.recorded(carol), []string{}, "the log of alice's other org")
		rows := w.log(bob)
		w.same(at(w, rows, 1).Detail, json.RawMessage(`{"provider":"anthropic","owner":"user","replaced":true}`), "the detail of a key that replaced one")
		w.same(at(w, rows, 3).Detail, json.RawMessage(`{"provider":"anthropic","owner":"org"}`), "the detail of an org's key")
		for _, secret := range []string{"CANARY", "LABEL", "4DAC", "sk-ant-"} {
			if strings.Contains(show(rows), secret) {
				w.Errorf("the log tells of %s: %s", secret, show(rows))
			}
		}
	}},
	{Name: "what the operator does to a person's key is told in each of their orgs", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		w.ok(s.PutKey(as(alice), agent.KeyRow{ID: "key_1", Provider: "p", Ciphertext: []byte("c"), IV: []byte("i"), LastFour: "abcd", CreatedAt: start}))
		w.ok(s.RevokeKey(as(agent.Principal{UserID: "u_alice", OrgID: "operator"}), "key_1", start))
		w.same(w.recorded(bob), []string{"u_alice key.added key_1", "operator key.revoked key_1"}, "the log where it was added")
		w.same(w.recorded(carol), []string{"operator key.revoked key_1"}, "the log of the other org")
	}},
	{Name: "a policy is put where its version is the one that was read, and is in force and recorded then", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		p := w.policy(bob)
		before := p.Version
		p.DisabledCapabilities, p.ResponseMode, p.CrossClientSearch = []string{"deck.export", "slide.edit"}, agent.ResponseThorough, agent.CrossClientRefused
		p.DefaultModel, p.AllowModelChoice, p.Remember, p.RememberDays = "m-2", false, agent.RememberOff, 7
		got, err := s.PutPolicy(as(bob), p)
		w.ok(err)
		p.Version = before + 1
		w.same(got, p, "what was put")
		w.same(w.policy(alice), p, "what is in force")
		stale := p
		stale.Version = before
		_, err = s.PutPolicy(as(bob), stale)
		w.code(err, agent.CodeConflict, "a policy of an older version")
		p.DisabledCapabilities = []string{"slide.edit", "deck.og_image"}
		_, err = s.PutPolicy(as(alice), p)
		w.ok(err)
		_, err = s.PutPolicy(as(agent.Principal{UserID: "u", OrgID: "o_none"}), p)
		w.code(err, agent.CodeNotFound, "a policy of no org")
		w.same(w.recorded(bob), []string{"u_bob policy.changed policy", "u_alice policy.changed policy"}, "the log")
		w.same(w.recorded(carol), []string{}, "the log of the other org")
		var detail struct {
			Version int64
			Changed map[string]map[string]any
		}
		w.ok(json.Unmarshal(at(w, w.log(bob), 1).Detail, &detail))
		w.same(detail.Version, before+2, "the version that is told")
		w.same(detail.Changed, map[string]map[string]any{"disabledCapabilities": {"added": []any{"deck.og_image"}, "removed": []any{"deck.export"}}}, "the change that is told")
	}},
	{Name: "a policy that a writer from outside changed is recorded when it is taken up", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		w.ok(s.PutOrg(as(bob), agent.Org{ID: "o_acme", Slug: "acme", Name: "Acme", Billing: agent.BillingLingering, DefaultModel: "m-1"}))
		p, err := s.PutPolicy(as(bob), agent.OrgPolicy{Version: w.policy(bob).Version, Remember: agent.RememberOff, RememberDays: 1})
		w.code(err, agent.CodeConflict, "a policy that moved meanwhile")
		w.same(p, agent.OrgPolicy{}, "what a conflict gives")
		w.ok(s.RefreshPolicies(as(bob)))
		w.same(w.recorded(bob), []string{"outside policy.changed policy"}, "the log")
		w.same(w.policy(bob).CrossClient(), false, "whether a lingering org may be searched")
	}},
}
