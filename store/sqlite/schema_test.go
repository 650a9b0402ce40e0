package sqlite

import (
	"context"
	"slices"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

func columns(tb testing.TB, d *database, table string) (names []string) {
	tb.Helper()
	must(tb, d.read(context.Background(), func(t *tx) (err error) {
		names, err = all(t, plain[string], `SELECT name FROM pragma_table_info(?)`, table)
		return err
	}))
	return names
}

func TestTheGivenTablesHaveTheGivenColumns(t *testing.T) {
	s := openAt(t, Config{})
	same(t, columns(t, s.auth, "user_api_keys"), []string{"id", "user_id", "provider", "ciphertext", "iv", "label", "last_four",
		"created_at", "last_used_at", "revoked_at", "key_version", "prefix"})
	same(t, columns(t, s.app, "agent_transcripts"), []string{"id", "org_id", "user_id", "project_id", "project_kind", "thread_id", "turn_index",
		"user_message", "model_message", "tool_calls", "tool_results", "model", "key_source", "tokens_in", "tokens_out",
		"cache_read_tokens", "cache_creation_tokens", "latency_ms", "created_at", "cost_nano_usd"})
	for _, index := range []string{"idx_user_api_keys_user", "idx_transcripts_project"} {
		if number(t, s.app, `SELECT count(*) FROM sqlite_schema WHERE type = 'index' AND name = '`+index+`'`) != 1 {
			t.Errorf("the index %s is missing", index)
		}
	}
}

func TestEveryTableOfTenantDataCarriesOrgAndUser(t *testing.T) {
	s := openAt(t, Config{Auth: t.TempDir() + "/auth.db"})
	var tables []string
	must(t, s.app.read(t.Context(), func(t *tx) (err error) {
		tables, err = all(t, plain[string], `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
		return err
	}))
	if len(tables) < 14 {
		t.Fatalf("only these tables: %v", tables)
	}
	for _, table := range tables {
		names := columns(t, s.app, table)
		switch table {
		case "schema_app", "owners", "jobs":
		case "org_state", "transcript_opt_outs", "audit_heads", "audit_notices", "org_caps", "budgets", "budget_totals":
			if !slices.Contains(names, "org_id") {
				t.Errorf("%s has no org", table)
			}
		default:
			if !slices.Contains(names, "org_id") || !slices.Contains(names, "user_id") {
				t.Errorf("%s has the columns %v", table, names)
			}
		}
	}
}

func TestDeletingAUserTakesKeysSessionsAndMemberships(t *testing.T) {
	s := openAt(t, Config{})
	seed(t, s)
	must(t, s.PutKey(asUser, agent.KeyRow{ID: "k", Provider: "p", Ciphertext: []byte("c"), IV: []byte("i"), LastFour: "abcd", CreatedAt: 1}))
	must(t, s.CreateSession(t.Context(), agent.Session{ID: "s", UserID: "u", OrgID: "o", ExpiresAt: 9}))
	behind(t, s.auth, `DELETE FROM users WHERE id = 'u'`)
	if n := number(t, s.auth, `SELECT (SELECT count(*) FROM user_api_keys) + (SELECT count(*) FROM sessions) + (SELECT count(*) FROM memberships)`); n != 0 {
		t.Errorf("%d rows of a deleted user are left", n)
	}
}

func TestASessionEndsWithItsMembership(t *testing.T) {
	s := openAt(t, Config{})
	seed(t, s)
	must(t, s.CreateSession(t.Context(), agent.Session{ID: "s", UserID: "u", OrgID: "o", ExpiresAt: 9}))
	behind(t, s.auth, `DELETE FROM memberships`)
	_, _, err := s.Session(t.Context(), "s")
	wantCode(t, err, agent.CodeNotFound)
}

func TestDeletingAThreadLeavesNoRow(t *testing.T) {
	s := openAt(t, Config{})
	turn := begin(t, s, "t1")
	must(t, s.Commit(asUser, milestone(turn, 2)))
	must(t, s.PutFeedback(asUser, agent.FeedbackNote{TurnID: "t1", Thumb: agent.ThumbUp, Note: "fine"}, 5))
	const rows = `SELECT (SELECT count(*) FROM threads) + (SELECT count(*) FROM turns) + (SELECT count(*) FROM steps) + (SELECT count(*) FROM calls)
		+ (SELECT count(*) FROM events) + (SELECT count(*) FROM receipts) + (SELECT count(*) FROM ledger) + (SELECT count(*) FROM blobs)
		+ (SELECT count(*) FROM agent_transcripts) + (SELECT count(*) FROM feedback) + (SELECT count(*) FROM compactions)`
	if n := number(t, s.app, rows); n != 12 {
		t.Errorf("%d rows before, want one of each and a second event", n)
	}
	must(t, s.DeleteThreadRows(asUser, turn.ThreadID))
	if n := number(t, s.app, rows); n != 0 {
		t.Errorf("%d rows are left", n)
	}
}

func TestFeedbackIsKeptOnceForATurn(t *testing.T) {
	s := openAt(t, Config{})
	begin(t, s, "t1")
	must(t, s.PutFeedback(asUser, agent.FeedbackNote{TurnID: "t1", Thumb: agent.ThumbUp, Note: "good"}, 5))
	must(t, s.PutFeedback(asUser, agent.FeedbackNote{TurnID: "t1", Thumb: agent.ThumbDown, Note: "bad"}, 6))
	const as = `SELECT count(*) FROM feedback WHERE thumb = 'down' AND note = 'bad' AND updated_at_ms = 6 AND org_id = 'o' AND user_id = 'u'`
	if number(t, s.app, as) != 1 || number(t, s.app, `SELECT count(*) FROM feedback`) != 1 {
		t.Error("the later note did not replace the first")
	}
	must(t, s.PutFeedback(asUser, agent.FeedbackNote{TurnID: "t1"}, 7))
	if number(t, s.app, `SELECT count(*) FROM feedback`) != 0 {
		t.Error("the note was not taken back")
	}
}

func TestAPolicyMovesItsVersionWhoeverWritesIt(t *testing.T) {
	s := openAt(t, Config{})
	seed(t, s)
	before, err := s.Policy(asUser)
	must(t, err)
	for i, write := range []string{
		`UPDATE orgs SET disabled_capabilities = '["deck.export"]' WHERE id = 'o'`,
		`UPDATE orgs SET allow_model_choice = 0 WHERE id = 'o'`,
		`UPDATE orgs SET default_model = 'm-2' WHERE id = 'o'`,
		`UPDATE orgs SET billing_status = 'paying' WHERE id = 'o'`,
		`UPDATE orgs SET remember = 'mutate' WHERE id = 'o'`,
		`UPDATE orgs SET remember_days = 7 WHERE id = 'o'`,
		`UPDATE orgs SET redaction = '{"kinds":["email"]}' WHERE id = 'o'`,
		`UPDATE orgs SET billing_status = 'paying', name = 'same' WHERE id = 'o'`,
	} {
		behind(t, s.auth, write)
		must(t, s.RefreshPolicies(t.Context()))
		after, err := s.Policy(asUser)
		must(t, err)
		if want := before.Version + int64(min(i+1, 7)); after.Version != want {
			t.Errorf("after %q the version is %d, want %d", write, after.Version, want)
		}
	}
	after, err := s.Policy(asUser)
	must(t, err)
	same(t, after, agent.OrgPolicy{OrgID: "o", Version: before.Version + 7, DisabledCapabilities: []string{"deck.export"}, DefaultModel: "m-2",
		Billing: agent.BillingPaying, Remember: agent.RememberMutate, RememberDays: 7, Redaction: agent.RedactionPolicy{Kinds: []agent.RedactionKind{agent.RedactEmail}}})
	behind(t, s.auth, `DELETE FROM orgs`)
	must(t, s.RefreshPolicies(t.Context()))
	_, err = s.Policy(asUser)
	wantCode(t, err, agent.CodeNotFound)
}
