package storetest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"

	agent "github.com/lossless-group/in-app-agent"
)

// within runs f in the transaction of a change in a turn of somebody's.
func (w *world) within(p agent.Principal, turn agent.Turn, f func(context.Context, *sql.Tx) error) error {
	w.Helper()
	call := agent.CallID(w.id("call"))
	w.ok(w.s.Commit(as(p), claimOf(turn, call, agent.PhaseApply)))
	e := agent.LedgerEntry{TurnID: turn.ID, CallID: call, Phase: agent.PhaseApply, Run: turn.Run}
	return w.s.SettleWith(as(p), e, func(tx *sql.Tx) error {
		return f(agent.WithCommitGuard(as(p), func() bool { return true }), tx)
	})
}

// writing is a new version on its way into the store.
func writing(file agent.ReminderFile, from int64, text string) agent.ReminderWrite {
	return agent.ReminderWrite{File: file, Text: text, From: from, Via: agent.ReminderByHand, At: start + from}
}

func (w *world) reminder(p agent.Principal, file agent.ReminderFile, version int64) agent.Reminder {
	w.Helper()
	r, err := w.s.ReminderRow(as(p), file, version)
	w.ok(err)
	return r
}

func (w *world) write(p agent.Principal, file agent.ReminderFile, from int64, text string) agent.Reminder {
	w.Helper()
	r, err := w.s.PutReminder(as(p), writing(file, from, text))
	w.ok(err)
	return r
}

var reminderCases = []Case{
	{Name: "a file that nobody wrote is there, empty, at version 0", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		list, err := s.ReminderList(as(alice))
		w.ok(err)
		w.same(list, []agent.Reminder{{File: agent.ReminderProfile}, {File: agent.ReminderDecisions}, {File: agent.ReminderGotchas}}, "files")
		w.same(w.reminder(alice, agent.ReminderGotchas, 0), agent.Reminder{File: agent.ReminderGotchas}, "one of them")
		versions, err := s.ReminderVersions(as(alice), agent.ReminderGotchas, 0, 10)
		w.ok(err)
		w.same(len(versions), 0, "versions")
		w.code(second(s.ReminderRow(as(alice), agent.ReminderGotchas, 1)), agent.CodeNotFound, "a version that is not there")
	}},
	{Name: "every version is kept with who wrote it, and the newest is the file", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		named := alice
		named.UserName = "Alice A."
		first := w.write(named, agent.ReminderDecisions, 0, "one\n")
		w.same(first, agent.Reminder{File: agent.ReminderDecisions, Version: 1, Text: "one\n",
			ReminderOrigin: agent.ReminderOrigin{By: "u_alice", ByName: "Alice A.", Via: agent.ReminderByHand, At: start}}, "what was stored")
		next := w.write(bob, agent.ReminderDecisions, 1, "twö\n")
		w.write(bob, agent.ReminderGotchas, 0, "other file\n")
		w.same(w.reminder(alice, agent.ReminderDecisions, 0), next, "the file")
		w.same(w.reminder(alice, agent.ReminderDecisions, 1), first, "its first version")
		list, err := s.ReminderList(as(alice))
		w.ok(err)
		w.same(at(w, list, 1), next, "the file among all")
		versions, err := s.ReminderVersions(as(alice), agent.ReminderDecisions, 0, 10)
		w.ok(err)
		w.same(versions, []agent.ReminderVersion{{Version: 2, Bytes: 5, ReminderOrigin: next.ReminderOrigin},
			{Version: 1, Bytes: 4, ReminderOrigin: first.ReminderOrigin}}, "history")
		versions, err = s.ReminderVersions(as(alice), agent.ReminderDecisions, 2, 1)
		w.ok(err)
		w.same(at(w, versions, 0).Version, int64(1), "version before the second")
	}},
	{Name: "a version replaces the one that it was made from, and no other", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		w.write(alice, agent.ReminderProfile, 0, "one\n")
		w.write(alice, agent.ReminderProfile, 1, "two\n")
		for _, from := range []int64{-1, 0, 1, 3} {
			w.code(second(s.PutReminder(as(bob), writing(agent.ReminderProfile, from, "lost\n"))), agent.CodeConflict, fmt.Sprint("made from ", from))
		}
		w.same(w.reminder(alice, agent.ReminderProfile, 0).Text, "two\n", "the file after it")
		var wg sync.WaitGroup
		var mu sync.Mutex
		won := 0
		for i := range 8 {
			wg.Go(func() {
				_, err := s.PutReminder(as(alice), writing(agent.ReminderProfile, 2, fmt.Sprint("writer ", i, "\n")))
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					won++
				} else {
					w.code(err, agent.CodeConflict, "one of many writers")
				}
			})
		}
		wg.Wait()
		w.same(won, 1, "writers that won")
		w.same(w.reminder(alice, agent.ReminderProfile, 0).Version, int64(3), "version after them")
	}},
	{Name: "a version that a change writes is kept with its ledger row, or not at all", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		w.write(alice, agent.ReminderDecisions, 0, "one\n")
		turn := w.begin(alice)
		suggested := writing(agent.ReminderDecisions, 1, "two\n")
		suggested.Via, suggested.Receipt = agent.ReminderSuggested, "receipt_1"
		failed := errors.New("the host failed")
		err := w.within(alice, turn, func(ctx context.Context, tx *sql.Tx) error {
			_, err := s.PutReminderIn(ctx, tx, suggested)
			return errors.Join(err, failed)
		})
		if !errors.Is(err, failed) {
			w.Errorf("the host's failure came as %v", err)
		}
		w.same(w.reminder(alice, agent.ReminderDecisions, 0).Text, "one\n", "the file after a change that failed")
		w.ok(w.within(alice, turn, func(ctx context.Context, tx *sql.Tx) error { return second(s.PutReminderIn(ctx, tx, suggested)) }))
		got := w.reminder(bob, agent.ReminderDecisions, 0)
		w.same([]any{got.Text, got.Version, got.Via, got.By}, []any{"two\n", int64(2), agent.ReminderSuggested, "u_alice"}, "the file after it")
		w.code(w.within(alice, turn, func(ctx context.Context, tx *sql.Tx) error { return second(s.PutReminderIn(ctx, tx, suggested)) }),
			agent.CodeConflict, "the same change to a file that moved")
	}},
	{Name: "a file is of 16 KiB at most, one of the three, and came by a known way", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		w.write(alice, agent.ReminderGotchas, 0, strings.Repeat("x", agent.MaxReminderBytes))
		w.code(second(s.PutReminder(as(alice), writing(agent.ReminderGotchas, 1, strings.Repeat("x", agent.MaxReminderBytes+1)))), agent.CodeTooLarge, "a byte more")
		for _, file := range []agent.ReminderFile{"", "secrets", "gotchas.md", "../gotchas", "Gotchas"} {
			w.code(second(s.PutReminder(as(alice), writing(file, 0, "x\n"))), agent.CodeNotFound, "writing "+string(file))
			w.code(second(s.ReminderRow(as(alice), file, 0)), agent.CodeNotFound, "reading "+string(file))
			w.code(second(s.ReminderVersions(as(alice), file, 0, 1)), agent.CodeNotFound, "versions of "+string(file))
		}
		nowhere := writing(agent.ReminderProfile, 0, "x\n")
		nowhere.Via = ""
		w.code(second(s.PutReminder(as(alice), nowhere)), agent.CodeInternal, "no way")
	}},
	{Name: "of a file the newest 500 versions are kept", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		for v := range int64(agent.MaxReminderVersions + 1) {
			w.write(alice, agent.ReminderGotchas, v, fmt.Sprint("version ", v+1, "\n"))
		}
		w.code(second(s.ReminderRow(as(alice), agent.ReminderGotchas, 1)), agent.CodeNotFound, "the first of 501")
		w.same(w.reminder(alice, agent.ReminderGotchas, 2).Text, "version 2\n", "the second")
		w.same(w.reminder(alice, agent.ReminderGotchas, 0).Text, "version 501\n", "the newest")
	}},
	{Name: "the files are an org's: every member's, and nobody else's", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		w.write(alice, agent.ReminderDecisions, 0, "of acme\n")
		w.write(carol, agent.ReminderDecisions, 0, "of other\n")
		w.write(carol, agent.ReminderDecisions, 1, "of other, again\n")
		w.same(w.reminder(bob, agent.ReminderDecisions, 0).Text, "of acme\n", "what a colleague reads")
		for who, p := range map[string]agent.Principal{"the same user in another org": aliceOther, "another user of another org": carol} {
			w.same(w.reminder(p, agent.ReminderDecisions, 0).Text, "of other, again\n", "what is read by "+who)
		}
		w.code(second(s.ReminderRow(as(alice), agent.ReminderDecisions, 2)), agent.CodeNotFound, "a version that only the other org has")
		versions, err := s.ReminderVersions(as(alice), agent.ReminderDecisions, 0, 10)
		w.ok(err)
		w.same(len(versions), 1, "versions of acme")
		for what, err := range map[string]error{
			"ReminderList":     second(s.ReminderList(context.Background())),
			"ReminderRow":      second(s.ReminderRow(context.Background(), agent.ReminderGotchas, 0)),
			"ReminderVersions": second(s.ReminderVersions(context.Background(), agent.ReminderGotchas, 0, 1)),
			"PutReminder":      second(s.PutReminder(context.Background(), writing(agent.ReminderGotchas, 0, "x\n"))),
			"PutReminderIn":    second(s.PutReminderIn(context.Background(), nil, writing(agent.ReminderGotchas, 0, "x\n"))),
		} {
			w.code(err, agent.CodeUnauthenticated, what+" without a principal")
		}
	}},
	{Name: "a deleted thread takes no reminder with it", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		said := writing(agent.ReminderDecisions, 0, "said\n")
		said.Receipt = "receipt_1"
		w.ok(w.within(alice, turn, func(ctx context.Context, tx *sql.Tx) error { return second(s.PutReminderIn(ctx, tx, said)) }))
		w.ok(s.DeleteThreadRows(as(alice), turn.ThreadID))
		w.same(w.reminder(alice, agent.ReminderDecisions, 0).Text, "said\n", "the file")
	}},
}
