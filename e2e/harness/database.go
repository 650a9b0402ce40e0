package harness

import (
	"database/sql"
	"errors"
	"path/filepath"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	_ "modernc.org/sqlite" // the driver that the server uses, here for looking only
)

// Row is a row of agent_transcripts.
type Row struct {
	Project, Kind, UserMessage, ModelMessage, ToolCalls, ToolResults, Model string
	Thread                                                                  agent.ThreadID
	TurnIndex                                                               int
	KeySource                                                               agent.KeySource
	TokensIn, TokensOut, CacheRead, CacheCreation, LatencyMS                *int64
}

func (s *Server) database(mode string) *sql.DB {
	s.tb.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(s.Data, "agent.db")+"?mode="+mode+"&_pragma=busy_timeout(5000)")
	if err != nil {
		s.tb.Fatal(err)
	}
	return db
}

// Transcript reads the transcript row of a turn.
func (s *Server) Transcript(turn agent.TurnID) (r Row) {
	s.tb.Helper()
	db := s.database("ro")
	defer func() { _ = db.Close() }()
	err := db.QueryRowContext(s.tb.Context(), `SELECT project_id, project_kind, thread_id, turn_index, coalesce(user_message, ''), coalesce(model_message, ''),
		coalesce(tool_calls, '[]'), coalesce(tool_results, '[]'), model, key_source, tokens_in, tokens_out, cache_read_tokens, cache_creation_tokens, latency_ms
		FROM agent_transcripts WHERE id = (SELECT transcript_id FROM turns WHERE id = ?)`, turn).Scan(&r.Project, &r.Kind, &r.Thread, &r.TurnIndex,
		&r.UserMessage, &r.ModelMessage, &r.ToolCalls, &r.ToolResults, &r.Model, &r.KeySource, &r.TokensIn, &r.TokensOut, &r.CacheRead, &r.CacheCreation, &r.LatencyMS)
	if err != nil {
		s.tb.Fatalf("the transcript of %s: %v", turn, err)
	}
	return r
}

// Count gives the one number that a query finds.
func Count(tb testing.TB, s *Server, query string, args ...any) (n int) {
	tb.Helper()
	db := s.database("ro")
	defer func() { _ = db.Close() }()
	if err := db.QueryRowContext(tb.Context(), query, args...).Scan(&n); err != nil {
		tb.Fatal(err)
	}
	return n
}

// Rows gives what a query finds, every value as text and a missing one as "".
func Rows(tb testing.TB, s *Server, query string, args ...any) (all [][]string) {
	tb.Helper()
	db := s.database("ro")
	defer func() { _ = db.Close() }()
	rows, err := db.QueryContext(tb.Context(), query, args...)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	for err == nil && rows.Next() {
		values, into := make([]sql.NullString, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		err = rows.Scan(into...)
		row := make([]string, len(columns))
		for i, v := range values {
			row[i] = v.String
		}
		all = append(all, row)
	}
	if err = errors.Join(err, rows.Err()); err != nil {
		tb.Fatal(err)
	}
	return all
}

// Edit changes the database, as time does while the server is stopped, or as the
// program that keeps the people of a shared auth database does beside it.
func (s *Server) Edit(query string, args ...any) {
	s.tb.Helper()
	db := s.database("rw")
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(s.tb.Context(), query, args...); err != nil {
		s.tb.Fatal(err)
	}
}
