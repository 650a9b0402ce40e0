package sqlite

import (
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

// level gives how the last transaction's commit reached the disk: 1 is NORMAL, 2 is
// FULL.
func level(tb testing.TB, d *database) (n int) {
	tb.Helper()
	must(tb, d.writer.link.conn.QueryRowContext(tb.Context(), `PRAGMA synchronous`).Scan(&n))
	return n
}

func TestWhatMustLastWaitsForTheDiskAndTextDoesNot(t *testing.T) {
	s := openAt(t, Config{})
	seed(t, s)
	turn := begin(t, s, "t1")
	full := milestone(turn, 3)
	policy, err := s.Policy(asUser)
	must(t, err)
	const normal, durable = 1, 2
	for _, c := range []struct {
		what string
		want int
		do   func() error
	}{
		{"live text", normal, func() error {
			_, err := s.AppendLive(t.Context(), []agent.LiveBatch{{Turn: turn.ID, Run: 1, Events: []agent.Event{deltaEvent(2, "x")}}})
			return err
		}},
		{"a message accepted", durable, func() error { begin(t, s, "t2"); return nil }},
		{"an owner's sign of life", normal, func() error { return s.RegisterOwner(t.Context(), "me", 1) }},
		{"a claim", durable, func() error { return s.Commit(asUser, agent.Milestone{Turn: turn.ID, Run: 1, Claims: full.Claims}) }},
		{"a step", normal, func() error { return s.Commit(asUser, agent.Milestone{Turn: turn.ID, Run: 1, Step: full.Step}) }},
		{"a settle", durable, func() error { return s.Commit(asUser, agent.Milestone{Turn: turn.ID, Run: 1, Settles: full.Settles}) }},
		{"settings", normal, func() error { return s.PutUserSettings(asUser, agent.UserSettings{}, 1) }},
		{"a receipt", durable, func() error {
			return s.Commit(asUser, agent.Milestone{Turn: turn.ID, Run: 1, Receipts: full.Receipts, Calls: full.Calls})
		}},
		{"feedback", normal, func() error { return s.PutFeedback(asUser, agent.FeedbackNote{TurnID: "t1", Thumb: "up"}, 1) }},
		{"a turn that parks", durable, func() error {
			return s.Commit(asUser, agent.Milestone{Turn: turn.ID, Run: 1, State: agent.TurnAwaiting})
		}},
		{"a rename", normal, func() error {
			_, err := s.UpdateThread(asUser, turn.ThreadID, agent.ThreadPatch{}, 1)
			return err
		}},
		{"a decision", durable, func() error {
			_, err := s.Take(asUser, agent.Take{Turn: turn.ID, Owner: "me", PolicyVersion: policy.Version, Decisions: []agent.TakeDecision{{
				CallID: full.Receipts[0].CallID, ReceiptID: full.Receipts[0].ID, Verdict: agent.VerdictAccepted, At: 5,
				Event: agent.Event{Seq: 3, Kind: agent.EventDecision}}}})
			return err
		}},
		{"an adoption", normal, func() error { _, err := s.Adopt(asUser, "t2", "other", 1); return err }},
		{"the end of a turn", durable, func() error {
			return s.Commit(asUser, agent.Milestone{Turn: turn.ID, Run: 2, State: agent.TurnComplete})
		}},
		{"the use of a key", normal, func() error { return s.TouchKey(asUser, "k", 1) }},
		{"a key", durable, func() error {
			return s.PutKey(asUser, agent.KeyRow{ID: "k", Provider: "p", Ciphertext: []byte("c"), IV: []byte("i"), LastFour: "abcd"})
		}},
		{"an end for a key", durable, func() error { return s.RevokeKey(asUser, "k", 2) }},
	} {
		must(t, c.do())
		if got := level(t, s.app); got != c.want {
			t.Errorf("%s was written with synchronous = %d, want %d", c.what, got, c.want)
		}
	}
}

func TestAFreshConnectionWaitsForTheDisk(t *testing.T) {
	s := openAt(t, Config{})
	must(t, s.RegisterOwner(t.Context(), "me", 1))
	s.app.writer.link.drop()
	begin(t, s, "t1")
	if got := level(t, s.app); got != 2 {
		t.Errorf("after a reconnect synchronous is %d", got)
	}
	if number(t, s.app, `SELECT count(*) FROM turns`) != 1 {
		t.Error("the write after a reconnect is not there")
	}
}
