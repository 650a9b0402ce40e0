package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"

	agent "github.com/lossless-group/in-app-agent"
)

func sealedMap(thread agent.ThreadID, version int64) agent.RedactionRow {
	return agent.RedactionRow{ThreadID: thread, Version: version, Ciphertext: fmt.Appendf(nil, "sealed \x00\xff %s %d", thread, version),
		IV: []byte("nonce"), KeyVersion: 1, UpdatedAt: start + version}
}

// mapOf gives the stored map of a thread.
func (w *world) mapOf(p agent.Principal, thread agent.ThreadID) agent.RedactionRow {
	w.Helper()
	row, err := w.s.RedactionRow(as(p), thread)
	w.ok(err)
	return row
}

var redactionCases = []Case{
	{Name: "a map comes back as it was sealed, and each write follows the one before", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		thread := w.begin(alice).ThreadID
		w.code(second(s.RedactionRow(as(alice), thread)), agent.CodeNotFound, "a map that was never stored")
		w.code(s.PutRedactionRow(as(alice), sealedMap(thread, 2)), agent.CodeConflict, "a second write without a first")
		for version := int64(1); version <= 3; version++ {
			row := sealedMap(thread, version)
			w.ok(s.PutRedactionRow(as(alice), row))
			row.OrgID, row.UserID = alice.OrgID, alice.UserID
			w.same(w.mapOf(alice, thread), row, "map")
			w.code(s.PutRedactionRow(as(alice), sealedMap(thread, version)), agent.CodeConflict, "the same write again")
			w.code(s.PutRedactionRow(as(alice), sealedMap(thread, version+2)), agent.CodeConflict, "a write that leaves one out")
			w.same(w.mapOf(alice, thread), row, "map after writes that were refused")
		}
		w.code(s.PutRedactionRow(as(alice), sealedMap("thread_none", 1)), agent.CodeNotFound, "a map of no thread")
	}},
	{Name: "of many writes at once one is kept", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		thread := w.begin(alice).ThreadID
		var group sync.WaitGroup
		results := make([]error, 8)
		for i := range results {
			group.Go(func() { results[i] = s.PutRedactionRow(as(alice), sealedMap(thread, 1)) })
		}
		group.Wait()
		won := 0
		for _, err := range results {
			if err == nil {
				won++
				continue
			}
			w.code(err, agent.CodeConflict, "a write that came late")
		}
		w.same(won, 1, "writes that were kept")
	}},
	{Name: "a map is its user's in one org, to read and to write", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		thread := w.begin(alice).ThreadID
		w.ok(s.PutRedactionRow(as(alice), sealedMap(thread, 1)))
		mine := w.mapOf(alice, thread)
		for who, p := range foreigners {
			w.code(second(s.RedactionRow(as(p), thread)), agent.CodeNotFound, "read by "+who)
			for version := int64(1); version <= 2; version++ {
				w.code(s.PutRedactionRow(as(p), sealedMap(thread, version)), agent.CodeNotFound, "written by "+who)
			}
		}
		w.same(w.mapOf(alice, thread), mine, "map after all of it")
	}},
	{Name: "a map goes with its thread and leaves the others alone", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		gone, stays := w.begin(alice).ThreadID, w.begin(alice).ThreadID
		w.ok(s.PutRedactionRow(as(alice), sealedMap(gone, 1)))
		w.ok(s.PutRedactionRow(as(alice), sealedMap(stays, 1)))
		w.ok(s.DeleteThreadRows(as(alice), gone))
		w.code(second(s.RedactionRow(as(alice), gone)), agent.CodeNotFound, "the map of a deleted thread")
		w.code(s.PutRedactionRow(as(alice), sealedMap(gone, 2)), agent.CodeNotFound, "a write to it")
		w.same(w.mapOf(alice, stays).Version, int64(1), "the version of the other map")
		n, err := s.EachRedactionRow(context.Background(), func(r agent.RedactionRow) (agent.RedactionRow, error) { return r, nil })
		w.ok(err)
		w.same(n, 1, "maps that are left")
	}},
	{Name: "every map of every tenant is sealed anew, and keeps what it says", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		a, b := w.begin(alice).ThreadID, w.begin(bob).ThreadID
		w.ok(s.PutRedactionRow(as(alice), sealedMap(a, 1)))
		w.ok(s.PutRedactionRow(as(bob), sealedMap(b, 1)))
		before := w.mapOf(alice, a)
		n, err := s.EachRedactionRow(context.Background(), func(r agent.RedactionRow) (agent.RedactionRow, error) {
			r.Ciphertext, r.IV, r.KeyVersion, r.Version, r.UserID = []byte("anew"), []byte("once"), 2, 9, "nobody"
			return r, nil
		})
		w.ok(err)
		w.same(n, 2, "maps that were visited")
		before.Ciphertext, before.IV, before.KeyVersion = []byte("anew"), []byte("once"), 2
		w.same(w.mapOf(alice, a), before, "map")
		stop := errors.New("stop")
		n, err = s.EachRedactionRow(context.Background(), func(r agent.RedactionRow) (agent.RedactionRow, error) { return r, stop })
		if !errors.Is(err, stop) || n != 0 {
			w.Errorf("a reseal that fails gives %d, %v", n, err)
		}
	}},
	{Name: "an org's rules of redaction move the version of its policy and no other's", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		before, other := w.policy(alice), w.policy(carol)
		w.same(before.Redaction, agent.DefaultRedaction(), "the rules of an org that decided nothing")
		rules := agent.RedactionPolicy{Kinds: []agent.RedactionKind{agent.RedactEmail, agent.RedactSecret},
			Patterns: []agent.RedactionPattern{{Name: "project_code", Pattern: `\bPRJ-"\d+`}}}
		for _, p := range []agent.RedactionPolicy{rules, {Kinds: []agent.RedactionKind{}}} {
			w.ok(s.PutRedactionPolicy(as(alice), p))
			w.same(w.policy(alice), before, "policy until it is refreshed")
			w.ok(s.RefreshPolicies(context.Background()))
			after := w.policy(alice)
			if after.Version <= before.Version {
				w.Errorf("the version went from %d to %d", before.Version, after.Version)
			}
			before.Version, before.Redaction = after.Version, p
			w.same(after, before, "policy after a refresh")
		}
		w.same(w.policy(carol), other, "another org's policy")
		w.code(s.PutRedactionPolicy(as(agent.Principal{UserID: "u", OrgID: "o_none"}), rules), agent.CodeNotFound, "the rules of no org")
	}},
}
