package storetest

import (
	"context"

	agent "github.com/lossless-group/in-app-agent"
)

// finished ends a turn as the engine does, with its transcript.
func (w *world) finished(p agent.Principal, turn agent.Turn) agent.Turn {
	w.Helper()
	m := w.ending(p, turn)
	m.Transcript = &agent.TranscriptRow{UserMessage: "Q of " + string(turn.ID), ModelMessage: "A", Model: "m-1", KeySource: agent.KeySourceOrg, LatencyMS: ptr(int64(5))}
	w.ok(w.s.Commit(as(p), m))
	return w.turn(p, turn.ID)
}

// take takes what is due of an org and gives the messages.
func (w *world) takeDue(org string, limit int) (said []string) {
	w.Helper()
	list, err := w.s.TakeTranscripts(context.Background(), org, "client__"+org, limit)
	w.ok(err)
	for _, d := range list {
		if d.OrgID != org || d.UserID == "" || d.ThreadID == "" || d.ID == "" {
			w.Errorf("taken for %s: %s", org, show(d))
		}
		said = append(said, d.UserMessage+" ("+d.Title+")")
	}
	return said
}

func (w *world) settle(id string) bool {
	w.Helper()
	held, err := w.s.SettleTranscript(context.Background(), id, 2, start)
	w.ok(err)
	return held
}

func (w *world) doomed(thread agent.ThreadID) []agent.HeldTranscript {
	w.Helper()
	list, err := w.s.DoomedTranscripts(context.Background(), thread, 10)
	w.ok(err)
	return list
}

func script(turn agent.Turn) string { return "script-" + string(turn.ID) }

var feedCases = []Case{
	{Name: "a row is due once its turn ended, in its own org, and is taken once", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		w.begin(alice) // goes on
		one, two, other := w.finished(alice, w.begin(alice)), w.finished(bob, w.begin(bob)), w.finished(carol, w.begin(carol))
		w.same(len(w.takeDue("o_acme", 0)), 0, "taken at a limit of none")
		w.same(w.takeDue("o_acme", 1), []string{"Q of " + string(one.ID) + " (Title of " + string(one.ID) + ")"}, "the first")
		w.same(w.takeDue("o_acme", 9), []string{"Q of " + string(two.ID) + " (Title of " + string(two.ID) + ")"}, "the rest")
		w.same(len(w.takeDue("o_acme", 9)), 0, "taken again")
		w.same(len(w.takeDue("o_other", 9)), 1, "of the other org")
		for _, turn := range []agent.Turn{one, two, other} {
			w.same(w.settle(script(turn)), true, "held")
		}
		w.ok(s.ReleaseTranscripts(context.Background()))
		w.same(len(w.takeDue("o_acme", 9)), 0, "due after all were written")
	}},
	{Name: "what a run left half done is due again", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		one, two := w.finished(alice, w.begin(alice)), w.finished(alice, w.begin(alice))
		w.takeDue("o_acme", 9)
		w.settle(script(one))
		w.same(len(w.takeDue("o_acme", 9)), 0, "due while it is written")
		w.ok(s.ReleaseTranscripts(context.Background()))
		w.same(w.takeDue("o_acme", 9), []string{"Q of " + string(two.ID) + " (Title of " + string(two.ID) + ")"}, "due again")
	}},
	{Name: "a row that changes after it was taken is due again", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		row := agent.TranscriptRow{UserMessage: "Q", Model: "m-1", KeySource: agent.KeySourceOrg, LatencyMS: ptr(int64(5))}
		w.ok(s.Commit(as(alice), agent.Milestone{Turn: turn.ID, Run: 1, Transcript: &row}))
		w.same(len(w.takeDue("o_acme", 9)), 1, "due")
		row.UserMessage = "Q, changed"
		w.ok(s.Commit(as(alice), agent.Milestone{Turn: turn.ID, Run: 1, Transcript: &row}))
		w.same(w.settle(script(turn)), true, "held")
		w.same(w.takeDue("o_acme", 9), []string{"Q, changed (Title of " + string(turn.ID) + ")"}, "due again")
	}},
	{Name: "a deleted thread dooms what was written of it, and takes the rest back", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		ctx := context.Background()
		never, held, writing, stays := w.finished(alice, w.begin(alice)), w.finished(bob, w.begin(bob)), w.finished(bob, w.begin(bob)), w.finished(bob, w.begin(bob))
		w.ok(s.DeleteThreadRows(as(alice), never.ThreadID))
		w.same(len(w.doomed("")), 0, "doomed of what was never written")
		w.same(len(w.takeDue("o_acme", 9)), 3, "due")
		w.settle(script(held))
		w.settle(script(stays))
		w.ok(s.DeleteThreadRows(as(bob), held.ThreadID))
		w.ok(s.DeleteThreadRows(as(bob), writing.ThreadID))
		w.same(w.doomed(held.ThreadID), []agent.HeldTranscript{{ID: script(held), ThreadID: held.ThreadID, Tenant: "client__o_acme"}}, "doomed of a thread")
		w.same(len(w.doomed("")), 2, "doomed")
		w.ok(s.ForgetTranscript(ctx, script(held)))
		w.ok(s.ForgetTranscript(ctx, script(writing)))
		w.ok(s.ForgetTranscript(ctx, script(stays)))
		w.same(w.doomed(""), []agent.HeldTranscript{{ID: script(writing), ThreadID: writing.ThreadID, Tenant: "client__o_acme"}}, "doomed while it is written")
		w.same(w.settle(script(writing)), false, "a deleted row is held")
		w.ok(s.ForgetTranscript(ctx, script(writing)))
		w.same(len(w.doomed("")), 0, "doomed in the end")
		w.ok(s.ReleaseTranscripts(ctx))
		w.same(len(w.takeDue("o_acme", 9)), 0, "due in the end")
	}},
	{Name: "what an org says while it is out is never due", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		ctx := context.Background()
		w.finished(alice, w.begin(alice))
		theirs := w.finished(carol, w.begin(carol))
		w.ok(s.OptOut(ctx, "o_acme", true, start))
		w.ok(s.OptOut(ctx, "o_acme", true, start+1))
		out, err := s.OptedOut(ctx)
		w.ok(err)
		w.same(out, []string{"o_acme"}, "orgs that are out")
		w.finished(alice, w.begin(alice))
		w.same(len(w.takeDue("o_acme", 9)), 0, "due of an org that is out")
		w.ok(s.OptOut(ctx, "o_acme", false, start))
		w.same(len(w.takeDue("o_acme", 9)), 0, "due of what was said while it was out")
		back := w.finished(alice, w.begin(alice))
		w.same(w.takeDue("o_acme", 9), []string{"Q of " + string(back.ID) + " (Title of " + string(back.ID) + ")"}, "due after it came back")
		w.same(w.takeDue("o_other", 9), []string{"Q of " + string(theirs.ID) + " (Title of " + string(theirs.ID) + ")"}, "due of another org")
	}},
}
