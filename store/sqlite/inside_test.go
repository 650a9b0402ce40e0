package sqlite

import (
	"context"
	"encoding/json"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// The tests in this package look behind the ports; what the ports promise is
// tested by the suite.

func openAt(tb testing.TB, c Config) *Store {
	tb.Helper()
	if c.App == "" {
		c.App = filepath.Join(tb.TempDir(), "app.db")
	}
	s, err := Open(context.Background(), c)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = s.Close() })
	return s
}

var (
	aUser  = agent.Principal{UserID: "u", OrgID: "o"}
	asUser = agent.WithPrincipal(context.Background(), aUser)
)

// seed makes the user and org behind asUser.
func seed(tb testing.TB, s *Store) {
	tb.Helper()
	ctx := context.Background()
	must(tb, s.PutUser(ctx, agent.User{ID: "u", Name: "U"}))
	must(tb, s.PutOrg(ctx, agent.Org{ID: "o", Slug: "o"}))
	must(tb, s.PutMembership(ctx, agent.Membership{UserID: "u", OrgID: "o", Role: agent.RoleEditor}))
	must(tb, s.RefreshPolicies(ctx))
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

func wantCode(tb testing.TB, err error, code agent.Code) {
	tb.Helper()
	if err == nil || agent.ErrorCode(err) != code {
		tb.Errorf("error %v, want %s", err, code)
	}
}

func started(id string, thread agent.Thread) agent.TurnStart {
	return agent.TurnStart{
		Turn: agent.Turn{ID: agent.TurnID(id), By: "user", Message: agent.Message{Text: "Hello"}, Model: "m", Provider: "p",
			KeySource: agent.KeySourceOrg, Owner: "me", Run: 1, CreatedAt: 1000},
		Thread: thread, ContentDigest: id,
		Events:     []agent.Event{{Seq: 1, At: 1000, Kind: agent.EventTurnStarted, Data: json.RawMessage(`{}`)}},
		Transcript: agent.TranscriptRow{ID: "script-" + id, UserMessage: "Hello", Model: "m", KeySource: agent.KeySourceOrg, CreatedAt: 1000},
	}
}

// begin starts a turn in a thread of its own.
func begin(tb testing.TB, s *Store, id string) agent.Turn {
	tb.Helper()
	turn, _, err := s.StartTurn(asUser, started(id, agent.Thread{ID: agent.ThreadID("thread-" + id), ProjectID: "deck", ProjectKind: "slides", Title: "T", CreatedAt: 1000}))
	must(tb, err)
	return turn
}

func deltaEvent(seq agent.Seq, text string) agent.Event {
	data, _ := json.Marshal(agent.TextDelta{Text: text})
	return agent.Event{Seq: seq, Run: 1, At: 1000 + int64(seq), Kind: agent.EventTextDelta, Data: data}
}

// milestone is one with a part of each kind, for the turn's next seq.
func milestone(turn agent.Turn, seq agent.Seq) agent.Milestone {
	call := agent.CallID("call-" + string(turn.ID))
	receipt := agent.Receipt{ID: agent.ReceiptID("receipt-" + string(turn.ID)), CallID: call, Capability: "a.b", ExpiresAt: 1 << 50, CreatedAt: 1,
		Preview: agent.Preview{Summary: "s"}}
	return agent.Milestone{Turn: turn.ID, Run: turn.Run, Events: []agent.Event{deltaEvent(seq, "Hi")},
		Step:     &agent.Step{Index: int(seq), Provider: "p", Model: "m", Blocks: []agent.Block{{Kind: agent.BlockText, Text: "Hi"}}, Raw: json.RawMessage(`[{}]`), At: 1},
		Calls:    []agent.CallRecord{{ID: call, Capability: "a.b", Input: json.RawMessage(`{}`), State: agent.CallOpen}},
		Receipts: []agent.Receipt{receipt}, Blobs: []agent.Blob{{Digest: "d", MIME: "text/plain", Data: []byte("x")}},
		Claims:     []agent.LedgerEntry{{CallID: call, Phase: agent.PhaseHandler, ClaimedAt: 1}},
		Settles:    []agent.LedgerEntry{{CallID: call, Phase: agent.PhaseHandler, State: agent.LedgerSettled, Result: &agent.Result{OK: true}, SettledAt: 2}},
		Compaction: &agent.Compaction{ID: "compaction-" + string(turn.ID), Through: turn.ID, ThroughIndex: turn.Index, Text: "d"},
		Transcript: &agent.TranscriptRow{UserMessage: "Hello", ModelMessage: "Hi", Model: "m", KeySource: agent.KeySourceOrg}}
}

// number asks a database for one number, past the ports.
func number(tb testing.TB, d *database, query string) (n int64) {
	tb.Helper()
	must(tb, d.read(context.Background(), func(t *tx) (err error) {
		n, _, err = one(t, plain[int64], query)
		return err
	}))
	return n
}

// behind writes to a database past the ports.
func behind(tb testing.TB, d *database, query string, args ...any) {
	tb.Helper()
	must(tb, d.write(context.Background(), true, func(t *tx) error {
		_, err := t.exec(query, args...)
		return err
	}))
}

// within fails when f takes longer; it is for waits that must not add up.
func within(tb testing.TB, limit time.Duration, f func()) {
	tb.Helper()
	began := time.Now()
	f()
	if took := time.Since(began); took > limit {
		tb.Errorf("it took %v, want at most %v", took, limit)
	}
}

func same(tb testing.TB, got, want any) {
	tb.Helper()
	if !reflect.DeepEqual(got, want) {
		tb.Errorf("\n got %+v\nwant %+v", got, want)
	}
}
