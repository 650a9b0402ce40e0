package sqlite

import (
	"database/sql"
	"regexp"
	"slices"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

var orgTable = regexp.MustCompile(`(FROM|JOIN|UPDATE|INTO) (reminders|reminder_versions|agent_memory_cache|note_limits)\b`)

func TestEveryQueryOnWhatAnOrgRemembersNamesTheOrg(t *testing.T) {
	seen := 0
	for name, query := range queries(t) {
		if !orgTable.MatchString(query) || name == "forgetNotes" { // a job's, for every org
			continue
		}
		seen++
		where := query
		if i := strings.Index(where, "WHERE"); i >= 0 && !strings.HasPrefix(query, "INSERT") {
			where = where[i:]
		}
		if !strings.Contains(where, "org_id") {
			t.Errorf("%s does not narrow to an org: %s", name, query)
		}
	}
	if seen < 15 {
		t.Errorf("only %d queries were looked at", seen)
	}
}

func TestDeletingAThreadLeavesNoByteOfItsNotes(t *testing.T) {
	s := openAt(t, Config{})
	turn := begin(t, s, "t1")
	const canary = "CANARY-of-the-thread"
	e := agent.LedgerEntry{TurnID: "t1", CallID: "c", Phase: agent.PhaseHandler, Run: turn.Run}
	must(t, s.Commit(asUser, agent.Milestone{Turn: "t1", Run: turn.Run, Claims: []agent.LedgerEntry{e}}))
	must(t, s.SettleWith(asUser, e, func(tx *sql.Tx) error {
		_, err := s.PutNoteIn(asUser, tx, agent.Note{ID: "n", Text: canary, Topic: canary, Thread: turn.ThreadID, Turn: "t1", At: 5})
		return err
	}))
	const notes = `SELECT count(*) FROM agent_memory_cache`
	if number(t, s.app, notes) != 1 {
		t.Fatal("there is no note")
	}
	must(t, s.DeleteThreadRows(asUser, turn.ThreadID))
	if number(t, s.app, notes) != 0 {
		t.Error("the note is left")
	}
	for table, columns := range textColumns(t, s) {
		for _, c := range columns {
			if number(t, s.app, `SELECT count(*) FROM `+table+` WHERE instr(CAST(`+c+` AS TEXT), '`+canary+`')`) != 0 {
				t.Errorf("%s.%s still holds it", table, c)
			}
		}
	}
}

// textColumns gives the columns of every table of the app database.
func textColumns(tb testing.TB, s *Store) map[string][]string {
	tb.Helper()
	var tables []string
	must(tb, s.app.read(tb.Context(), func(t *tx) (err error) {
		tables, err = all(t, plain[string], `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
		return err
	}))
	found := map[string][]string{}
	for _, table := range slices.Compact(tables) {
		found[table] = columns(tb, s.app, table)
	}
	return found
}
