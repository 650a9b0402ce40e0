package storetest

import (
	"context"
	"errors"
	"slices"

	agent "github.com/lossless-group/in-app-agent"
)

func keyRow(id, provider, label string, at int64) agent.KeyRow {
	return agent.KeyRow{ID: id, Provider: provider, Ciphertext: []byte("sealed \x00\xff " + id), IV: []byte("nonce " + id), KeyVersion: 1,
		Label: label, LastFour: "AB12", Prefix: "sk-ant-", CreatedAt: at}
}

func (w *world) keys(p agent.Principal, provider string) []string {
	w.Helper()
	rows, err := w.s.Keys(as(p), provider)
	w.ok(err)
	var ids []string
	for _, r := range rows {
		ids = append(ids, r.ID)
	}
	return ids
}

var keyCases = []Case{
	{Name: "a key comes back as it was sealed", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		row := keyRow("k1", "anthropic", "work", start)
		w.ok(s.PutKey(as(alice), row))
		row.UserID = alice.UserID
		got, err := s.Key(as(alice), "k1")
		w.ok(err)
		w.same(got, row, "key")
		list, err := s.Keys(as(alice), "")
		w.ok(err)
		w.same(list, []agent.KeyRow{row}, "keys")
	}},
	{Name: "keys are listed newest first, by provider", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		for i, k := range []agent.KeyRow{keyRow("k1", "anthropic", "a", start+1), keyRow("k2", "openai", "a", start+2), keyRow("k3", "anthropic", "b", start+3)} {
			_ = i
			w.ok(s.PutKey(as(alice), k))
		}
		w.same(w.keys(alice, ""), []string{"k3", "k2", "k1"}, "all keys")
		w.same(w.keys(alice, "anthropic"), []string{"k3", "k1"}, "keys of a provider")
		w.same(w.keys(alice, "groq"), []string(nil), "keys of another")
	}},
	{Name: "a key with the same provider and label replaces the one before", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		for _, k := range []agent.KeyRow{keyRow("k1", "anthropic", "", start), keyRow("k2", "anthropic", "work", start+1),
			keyRow("k3", "anthropic", "", start+2), keyRow("k4", "openai", "", start+3)} {
			w.ok(s.PutKey(as(alice), k))
		}
		w.same(w.keys(alice, ""), []string{"k4", "k3", "k2"}, "live keys")
		_, err := s.Key(as(alice), "k1")
		w.code(err, agent.CodeNotFound, "the replaced key")
	}},
	{Name: "a key that cannot be stored leaves the one before alive", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		w.ok(s.PutKey(as(bob), keyRow("taken", "anthropic", "", start)))
		w.ok(s.PutKey(as(alice), keyRow("k1", "anthropic", "", start)))
		w.code(s.PutKey(as(alice), keyRow("taken", "anthropic", "", start)), agent.CodeConflict, "a taken id")
		w.same(w.keys(alice, ""), []string{"k1"}, "live keys")
		stranger := as(agent.Principal{UserID: "u_nobody", OrgID: "o_acme"})
		w.code(s.PutKey(stranger, keyRow("k2", "anthropic", "", start)), agent.CodeNotFound, "a key of nobody")
	}},
	{Name: "a revoked key is gone at once and for good", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		w.ok(s.PutKey(as(alice), keyRow("k1", "anthropic", "", start)))
		w.ok(s.RevokeKey(as(alice), "k1", start+1))
		_, err := s.Key(as(alice), "k1")
		w.code(err, agent.CodeNotFound, "reading it")
		w.code(s.RevokeKey(as(alice), "k1", start+2), agent.CodeNotFound, "revoking it again")
		w.same(w.keys(alice, ""), []string(nil), "live keys")
		w.ok(s.PutKey(as(alice), keyRow("k2", "anthropic", "", start+3)))
	}},
	{Name: "the last use is noted on the caller's own key", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		w.ok(s.PutKey(as(alice), keyRow("k1", "anthropic", "", start)))
		w.ok(s.TouchKey(as(alice), "k1", start+5))
		w.ok(s.TouchKey(as(bob), "k1", start+9))
		w.ok(s.TouchKey(as(alice), "k_none", start+9))
		got, err := s.Key(as(alice), "k1")
		w.ok(err)
		w.same(got.LastUsedAt, start+5, "last use")
	}},
	{Name: "a user's keys follow the person into another org, and nobody else", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		w.ok(s.PutKey(as(alice), keyRow("k1", "anthropic", "", start)))
		w.same(w.keys(aliceOther, ""), []string{"k1"}, "keys in another org")
		w.same(w.keys(bob, ""), []string(nil), "keys of another user")
		w.same(w.keys(carol, ""), []string(nil), "keys of another user in another org")
	}},
}

var orgKeyCases = []Case{
	{Name: "an org has one live key for each provider, for its members", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		w.ok(s.PutOrgKey(as(alice), keyRow("ok1", "anthropic", "", start)))
		w.ok(s.PutOrgKey(as(alice), keyRow("ok2", "openai", "", start)))
		second := keyRow("ok3", "anthropic", "", start+1)
		w.ok(s.PutOrgKey(as(alice), second))
		second.OrgID = alice.OrgID
		got, err := s.OrgKey(as(bob), "anthropic")
		w.ok(err)
		w.same(got, second, "org key")
		_, err = s.OrgKey(as(bob), "groq")
		w.code(err, agent.CodeNotFound, "another provider's key")
		_, err = s.OrgKey(as(aliceOther), "anthropic")
		w.code(err, agent.CodeNotFound, "another org's key")
		w.same(len(w.keys(alice, "")), 0, "user keys")
		w.code(s.PutOrgKey(as(alice), second), agent.CodeConflict, "a taken id")
		w.code(s.PutOrgKey(as(agent.Principal{UserID: "u", OrgID: "o_none"}), keyRow("ok4", "anthropic", "", start)), agent.CodeNotFound, "a key of no org")
	}},
	{Name: "an org's live keys are listed newest first, and end at once, for that org alone", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		for i, id := range []string{"ok1", "ok2", "ok3"} {
			w.ok(s.PutOrgKey(as(alice), keyRow(id, []string{"anthropic", "openai", "anthropic"}[i], "", start+int64(i))))
		}
		listed := func(p agent.Principal) (ids []string) {
			rows, err := s.OrgKeys(as(p))
			w.ok(err)
			for _, r := range rows {
				ids = append(ids, r.ID)
			}
			return ids
		}
		w.same(listed(bob), []string{"ok3", "ok2"}, "live keys")
		w.same(listed(aliceOther), []string(nil), "keys in another org")
		w.code(s.RevokeOrgKey(as(aliceOther), "ok2", start+9), agent.CodeNotFound, "ending another org's key")
		w.ok(s.RevokeOrgKey(as(alice), "ok2", start+9))
		w.code(s.RevokeOrgKey(as(alice), "ok2", start+9), agent.CodeNotFound, "ending it again")
		w.code(s.RevokeOrgKey(as(alice), "none", start+9), agent.CodeNotFound, "ending an unknown key")
		w.same(listed(alice), []string{"ok3"}, "live keys after it")
		_, err := s.OrgKey(as(alice), "openai")
		w.code(err, agent.CodeNotFound, "the ended key")
	}},
	{Name: "the sample of keys has the newest live ones of each version and table", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		sample := func(n int) (ids []string) {
			rows, err := s.SampleKeys(context.Background(), n)
			w.ok(err)
			for _, r := range rows {
				ids = append(ids, r.ID+" of "+r.UserID+r.OrgID)
			}
			slices.Sort(ids)
			return ids
		}
		w.same(sample(9), []string(nil), "sample of nothing")
		for i, id := range []string{"k1", "k2", "k3", "k4"} {
			row := keyRow(id, "p-"+id, "", start+int64(i))
			row.KeyVersion = 1 + i/3 // the last one is of another version
			w.ok(s.PutKey(as(alice), row))
		}
		w.ok(s.PutKey(as(carol), keyRow("k5", "anthropic", "", start+5)))
		w.ok(s.PutOrgKey(as(bob), keyRow("ok1", "anthropic", "", start)))
		w.ok(s.PutOrgKey(as(bob), keyRow("ok2", "openai", "", start+1)))
		w.ok(s.RevokeKey(as(alice), "k3", start+9))
		w.ok(s.RevokeOrgKey(as(bob), "ok1", start+9))
		w.same(sample(9), []string{"k1 of u_alice", "k2 of u_alice", "k4 of u_alice", "k5 of u_carol", "ok2 of o_acme"}, "all live keys")
		w.same(sample(2), []string{"k2 of u_alice", "k4 of u_alice", "k5 of u_carol", "ok2 of o_acme"}, "two of each version and table")
		w.same(sample(1), []string{"k4 of u_alice", "k5 of u_carol", "ok2 of o_acme"}, "one of each version and table")
	}},
	{Name: "resealing visits every key, live or not, and changes the seal only", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		w.ok(s.PutKey(as(alice), keyRow("k1", "anthropic", "", start)))
		w.ok(s.PutKey(as(alice), keyRow("k2", "anthropic", "", start)))
		w.ok(s.PutKey(as(carol), keyRow("k3", "anthropic", "", start)))
		w.ok(s.PutOrgKey(as(bob), keyRow("ok1", "anthropic", "", start)))
		before, err := s.Key(as(alice), "k2")
		w.ok(err)
		var seen []string
		n, err := s.EachKey(context.Background(), func(k agent.KeyRow) (agent.KeyRow, error) {
			seen = append(seen, k.ID+" of "+k.UserID+k.OrgID)
			k.Ciphertext, k.IV, k.KeyVersion = []byte("new "+k.ID), []byte("iv"), 2
			k.UserID, k.LastFour, k.Provider = "u_carol", "XXXX", "other"
			return k, nil
		})
		w.ok(err)
		slices.Sort(seen)
		w.same(seen, []string{"k1 of u_alice", "k2 of u_alice", "k3 of u_carol", "ok1 of o_acme"}, "keys visited")
		w.same(n, 4, "number of keys")
		before.Ciphertext, before.IV, before.KeyVersion = []byte("new k2"), []byte("iv"), 2
		after, err := s.Key(as(alice), "k2")
		w.ok(err)
		w.same(after, before, "resealed key")
		org, err := s.OrgKey(as(alice), "anthropic")
		w.ok(err)
		w.same(org.KeyVersion, 2, "version of the org's key")
		_, err = s.Key(as(alice), "k1")
		w.code(err, agent.CodeNotFound, "a revoked key that was resealed")
	}},
	{Name: "resealing stops at an error and keeps what it did", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		for _, id := range []string{"k1", "k2", "k3"} {
			w.ok(s.PutKey(as(alice), keyRow(id, "p-"+id, "", start)))
		}
		broken := errors.New("this key does not open")
		calls := 0
		n, err := s.EachKey(context.Background(), func(k agent.KeyRow) (agent.KeyRow, error) {
			if calls++; calls == 2 {
				return k, broken
			}
			k.KeyVersion = 2
			return k, nil
		})
		if err == nil || !errors.Is(err, broken) || n != 1 || calls != 2 {
			w.Errorf("visited %d in %d calls, error %v", n, calls, err)
		}
		versions := map[int]int{}
		rows, err := s.Keys(as(alice), "")
		w.ok(err)
		for _, r := range rows {
			versions[r.KeyVersion]++
		}
		w.same(versions, map[int]int{1: 2, 2: 1}, "versions")
	}},
}
