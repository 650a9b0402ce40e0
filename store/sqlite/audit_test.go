package sqlite

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

// logged opens a store with a log of some rows in the org of asUser.
func logged(tb testing.TB, rows int) *Store {
	tb.Helper()
	s := openAt(tb, Config{AuditKey: []byte("a key that is not in the file"), IDs: counting()})
	seed(tb, s)
	fill(tb, s, rows)
	return s
}

func counting() agent.IDSource {
	n := 0
	return func(prefix string) string { n++; return fmt.Sprint(prefix, "_", n) }
}

func fill(tb testing.TB, s *Store, rows int) {
	tb.Helper()
	for i := range rows {
		_, err := s.AppendAudit(asUser, agent.AuditEntry{At: 1_700_000_000_000, Action: "thing.done", Object: fmt.Sprint("thing ", i), Detail: json.RawMessage(`{"n":1}`)})
		must(tb, err)
	}
}

// unlocked takes the triggers away, as somebody would who has the file.
func unlocked(tb testing.TB, s *Store) {
	tb.Helper()
	behind(tb, s.app, `DROP TRIGGER audit_log_is_not_changed`)
	behind(tb, s.app, `DROP TRIGGER audit_log_is_not_deleted`)
}

func brokenAt(tb testing.TB, s *Store, anchor agent.AuditHead) (int64, string) {
	tb.Helper()
	report, err := s.VerifyAudit(asUser, anchor)
	must(tb, err)
	if report.Broken == nil {
		return 0, ""
	}
	return report.Broken.Seq, report.Broken.Reason
}

// rehash writes the log again from a row on as if its hashes had always been so,
// without the key.
func rehash(tb testing.TB, s *Store, from int64) {
	tb.Helper()
	list, err := s.AuditAfter(asUser, 0, 1000)
	must(tb, err)
	previous := ""
	for _, e := range list {
		if e.Seq >= from {
			e.Hash = e.ChainHash("o", previous)
			behind(tb, s.app, `UPDATE audit_log SET hash = ? WHERE org_id = 'o' AND seq = ?`, e.Hash, e.Seq)
			behind(tb, s.app, `UPDATE audit_heads SET seq = ?, hash = ? WHERE org_id = 'o'`, e.Seq, e.Hash)
		}
		previous = e.Hash
	}
}

func TestTheFirstRowThatWasTamperedWithIsNamed(t *testing.T) {
	const rows = 9
	cases := []struct {
		name   string
		broken int64
		tamper func(*testing.T, *Store)
	}{
		{"nothing", 0, func(*testing.T, *Store) {}},
		{"a later time", 4, func(t *testing.T, s *Store) { behind(t, s.app, `UPDATE audit_log SET at_ms = at_ms + 1 WHERE seq = 4`) }},
		{"another actor", 1, func(t *testing.T, s *Store) { behind(t, s.app, `UPDATE audit_log SET user_id = 'x' WHERE seq = 1`) }},
		{"another action", 9, func(t *testing.T, s *Store) { behind(t, s.app, `UPDATE audit_log SET action = 'x' WHERE seq = 9`) }},
		{"another object", 4, func(t *testing.T, s *Store) { behind(t, s.app, `UPDATE audit_log SET object = 'x' WHERE seq = 4`) }},
		{"another id", 4, func(t *testing.T, s *Store) { behind(t, s.app, `UPDATE audit_log SET id = 'x' WHERE seq = 4`) }},
		{"another receipt", 4, func(t *testing.T, s *Store) { behind(t, s.app, `UPDATE audit_log SET receipt_id = 'x' WHERE seq = 4`) }},
		{"a detail with a blank", 4, func(t *testing.T, s *Store) {
			behind(t, s.app, `UPDATE audit_log SET detail = '{"n": 1}' WHERE seq = 4`)
		}},
		{"a word moved from one member to the next", 4, func(t *testing.T, s *Store) {
			behind(t, s.app, `UPDATE audit_log SET action = 'thing.donet', object = substr(object, 2) WHERE seq = 4`)
		}},
		{"a row and all hashes after it", 4, func(t *testing.T, s *Store) {
			behind(t, s.app, `UPDATE audit_log SET object = 'x' WHERE seq = 4`)
			rehash(t, s, 4)
		}},
		{"a row removed", 5, func(t *testing.T, s *Store) { behind(t, s.app, `DELETE FROM audit_log WHERE seq = 5`) }},
		{"the first row removed", 1, func(t *testing.T, s *Store) { behind(t, s.app, `DELETE FROM audit_log WHERE seq = 1`) }},
		{"a row removed and the rest moved up", 5, func(t *testing.T, s *Store) {
			behind(t, s.app, `DELETE FROM audit_log WHERE seq = 5`)
			behind(t, s.app, `UPDATE audit_log SET seq = seq - 1 WHERE seq > 5`)
		}},
		{"a row removed, the rest moved up and hashed again", 5, func(t *testing.T, s *Store) {
			behind(t, s.app, `DELETE FROM audit_log WHERE seq = 5`)
			behind(t, s.app, `UPDATE audit_log SET seq = seq - 1 WHERE seq > 5`)
			rehash(t, s, 5)
		}},
		{"two rows in each other's place", 3, func(t *testing.T, s *Store) {
			behind(t, s.app, `UPDATE audit_log SET seq = 100 WHERE seq = 3`)
			behind(t, s.app, `UPDATE audit_log SET seq = 3 WHERE seq = 6`)
			behind(t, s.app, `UPDATE audit_log SET seq = 6 WHERE seq = 100`)
		}},
		{"the end cut off", 8, func(t *testing.T, s *Store) { behind(t, s.app, `DELETE FROM audit_log WHERE seq > 7`) }},
		{"the end cut off, and the head put back without a seal", 7, func(t *testing.T, s *Store) {
			behind(t, s.app, `DELETE FROM audit_log WHERE seq > 7`)
			rehash(t, s, 7)
		}},
		{"the end cut off, and a row's seal used for the head", 7, func(t *testing.T, s *Store) {
			behind(t, s.app, `DELETE FROM audit_log WHERE seq > 7`)
			behind(t, s.app, `UPDATE audit_heads SET seq = 7, hash = (SELECT hash FROM audit_log WHERE seq = 7), seal = (SELECT seal FROM audit_log WHERE seq = 7)`)
		}},
		{"everything cut off", 1, func(t *testing.T, s *Store) { behind(t, s.app, `DELETE FROM audit_log`) }},
		{"the head removed", 10, func(t *testing.T, s *Store) { behind(t, s.app, `DELETE FROM audit_heads`) }},
		{"a row put in behind the end", 10, func(t *testing.T, s *Store) {
			behind(t, s.app, `INSERT INTO audit_log SELECT org_id, 10, 'new', at_ms, user_id, action, object, detail, receipt_id, hash, seal FROM audit_log WHERE seq = 9`)
		}},
		{"a log of another org", 1, func(t *testing.T, s *Store) {
			behind(t, s.app, `DELETE FROM audit_log`)
			behind(t, s.app, `DELETE FROM audit_heads`)
			_, err := s.AppendAudit(agent.WithPrincipal(t.Context(), agent.Principal{UserID: "u", OrgID: "p"}), agent.AuditEntry{Action: "a"})
			must(t, err)
			behind(t, s.app, `UPDATE audit_log SET org_id = 'o'`)
			behind(t, s.app, `UPDATE audit_heads SET org_id = 'o'`)
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := logged(t, rows)
			unlocked(t, s)
			c.tamper(t, s)
			if seq, why := brokenAt(t, s, agent.AuditHead{}); seq != c.broken {
				t.Errorf("the first broken row is %d (%s), want %d", seq, why, c.broken)
			}
		})
	}
}

func TestWhatWasTamperedWithIsNotMadeGoodByTheNextRow(t *testing.T) {
	for name, c := range map[string]struct {
		tamper string
		broken int64
	}{
		"the end cut off":              {`DELETE FROM audit_log WHERE seq > 3`, 4},
		"the head removed":             {`DELETE FROM audit_heads`, 6},
		"the end and the head removed": {`DELETE FROM audit_log WHERE seq > 3; DELETE FROM audit_heads`, 4},
		"a wrong seal":                 {`UPDATE audit_heads SET seal = 'x'`, 6},
	} {
		s := logged(t, 5)
		unlocked(t, s)
		for statement := range strings.SplitSeq(c.tamper, ";") {
			behind(t, s.app, statement)
		}
		fill(t, s, 2)
		seq, why := brokenAt(t, s, agent.AuditHead{})
		list, err := s.AuditAfter(asUser, seq-1, 1)
		must(t, err)
		if seq != c.broken || len(list) != 1 || list[0].Action != agent.AuditResealed || !strings.Contains(why, "did not end") {
			t.Errorf("%s: row %d is broken (%s), and is %+v", name, seq, why, list)
		}
	}
}

func TestTheLogCannotBeChangedThroughTheDatabase(t *testing.T) {
	s := logged(t, 3)
	for _, statement := range []string{`UPDATE audit_log SET action = 'x'`, `UPDATE audit_log SET hash = hash`, `DELETE FROM audit_log`} {
		err := s.app.write(t.Context(), false, func(t *tx) error {
			_, err := t.exec(statement)
			return err
		})
		if err == nil {
			t.Errorf("%s was done", statement)
		}
	}
	if seq, why := brokenAt(t, s, agent.AuditHead{}); seq != 0 {
		t.Errorf("row %d is broken: %s", seq, why)
	}
}

func TestALostAuditKeyIsToldAndAnAnchorAnswersForWhatWasBefore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	s := openAt(t, Config{App: path, AuditKey: []byte("first")})
	seed(t, s)
	fill(t, s, 4)
	list, err := s.AuditAfter(asUser, 3, 1)
	must(t, err)
	anchor := agent.AuditHead{Seq: 4, Hash: list[0].Hash}
	must(t, s.Close())
	s = openAt(t, Config{App: path, AuditKey: []byte("second")})
	if seq, _ := brokenAt(t, s, agent.AuditHead{}); seq != 1 {
		t.Errorf("under another key the first broken row is %d", seq)
	}
	if seq, why := brokenAt(t, s, anchor); seq != 0 {
		t.Errorf("with an anchor row %d is broken: %s", seq, why)
	}
	fill(t, s, 1)
	if seq, _ := brokenAt(t, s, anchor); seq != 5 {
		t.Errorf("the change of the key is told at row %d", seq)
	}
	list, err = s.AuditAfter(asUser, 5, 1)
	must(t, err)
	if seq, why := brokenAt(t, s, agent.AuditHead{Seq: 6, Hash: list[0].Hash}); seq != 0 {
		t.Errorf("with a newer anchor row %d is broken: %s", seq, why)
	}
}

func TestAFactThatWasMovedBeforeACrashIsMovedOnce(t *testing.T) {
	s := openAt(t, Config{Auth: filepath.Join(t.TempDir(), "auth.db")})
	seed(t, s)
	put := agent.KeyRow{ID: "k", Provider: "p", Ciphertext: []byte("c"), IV: []byte("i"), LastFour: "abcd", CreatedAt: 1}
	must(t, s.PutKey(asUser, put))
	behind(t, s.auth, `INSERT INTO audit_outbox (id, org_id, user_id, at_ms, action, object, detail) VALUES ('key.added/k', 'o', 'u', 1, 'key.added', 'k', '{}')`)
	must(t, s.RefreshPolicies(t.Context()))
	if n := number(t, s.app, `SELECT count(*) FROM audit_log`); n != 1 {
		t.Errorf("the log has %d rows", n)
	}
	if n := number(t, s.auth, `SELECT count(*) FROM audit_outbox`); n != 0 {
		t.Errorf("%d facts are left", n)
	}
}

func TestAFactThatCannotBeMovedNowIsMovedLater(t *testing.T) {
	s := openAt(t, Config{Auth: filepath.Join(t.TempDir(), "auth.db")})
	seed(t, s)
	behind(t, s.app, `CREATE TRIGGER no_row BEFORE INSERT ON audit_log BEGIN SELECT raise(ABORT, 'no'); END`)
	must(t, s.PutKey(asUser, agent.KeyRow{ID: "k", Provider: "p", Ciphertext: []byte("c"), IV: []byte("i"), LastFour: "abcd", CreatedAt: 1}))
	if n := number(t, s.app, `SELECT count(*) FROM audit_log`); n != 0 {
		t.Fatalf("the log has %d rows", n)
	}
	if _, err := s.Policy(asUser); err != nil {
		t.Errorf("the policy waits for the log: %v", err)
	}
	behind(t, s.app, `DROP TRIGGER no_row`)
	must(t, s.RefreshPolicies(context.Background()))
	if n := number(t, s.app, `SELECT count(*) FROM audit_log WHERE action = 'key.added' AND object = 'k'`); n != 1 {
		t.Errorf("the log has %d rows", n)
	}
}

func TestAChangeIsNotKeptWhereTheLogCannotTellOfIt(t *testing.T) {
	s := openAt(t, Config{})
	turn := begin(t, s, "t1")
	behind(t, s.app, `CREATE TRIGGER no_row BEFORE INSERT ON audit_log BEGIN SELECT raise(ABORT, 'no'); END`)
	if err := s.DeleteThreadRows(asUser, turn.ThreadID); err == nil {
		t.Error("a thread was deleted without a word")
	}
	if n := number(t, s.app, `SELECT count(*) FROM threads`); n != 1 {
		t.Errorf("%d threads are left", n)
	}
}

// FuzzSeqCursor checks that a place is read as what it was made of or refused.
func FuzzSeqCursor(f *testing.F) {
	for _, s := range []string{"", "1", "0", "-1", "007", "9223372036854775807", "x", "1 "} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, made string) {
		n, err := parseSeqCursor(made)
		if err != nil {
			wantCode(t, err, agent.CodeInvalidInput)
			return
		}
		if made != "" && fmt.Sprint(n) != made {
			t.Errorf("%q is read as %d", made, n)
		}
	})
}

func BenchmarkAppendAudit(b *testing.B) {
	s := logged(b, 1000)
	for b.Loop() {
		fill(b, s, 1)
	}
}

func BenchmarkVerifyAudit(b *testing.B) {
	s := logged(b, 10_000)
	for b.Loop() {
		if seq, why := brokenAt(b, s, agent.AuditHead{}); seq != 0 {
			b.Fatal(seq, why)
		}
	}
}
