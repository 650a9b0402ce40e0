package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

// pragma sets something on the connection that writes.
func pragma(tb testing.TB, s *Store, query string) {
	tb.Helper()
	_, err := s.app.writer.link.conn.ExecContext(context.Background(), query)
	must(tb, err)
}

func TestAFullDiskIsSaidAndRecoversByItself(t *testing.T) {
	s := openAt(t, Config{})
	turn := begin(t, s, "t1")
	pages := number(t, s.app, `SELECT page_count FROM pragma_page_count`)
	m := milestone(turn, 2)
	m.Blobs[0].Data = make([]byte, 1<<20)
	before, err := s.Record(asUser, turn.ID)
	must(t, err)
	for range 3 { // each on a fresh connection, where SQLite undid the write itself
		must(t, s.app.writer.link.connect(t.Context()))
		pragma(t, s, fmt.Sprintf(`PRAGMA max_page_count = %d`, pages+2))
		wantCode(t, s.Commit(asUser, m), agent.CodeStorageFull)
	}
	after, err := s.Record(asUser, turn.ID)
	must(t, err)
	same(t, after, before)
	must(t, s.app.writer.link.connect(t.Context()))
	pragma(t, s, `PRAGMA max_page_count = 1000000`)
	must(t, s.Commit(asUser, m))
	must(t, s.Check(t.Context()))
}

func TestADatabaseThatCannotBeWrittenSaysWhatToDo(t *testing.T) {
	s := openAt(t, Config{})
	turn := begin(t, s, "t1")
	pragma(t, s, `PRAGMA query_only = 1`)
	err := s.Commit(asUser, agent.Milestone{Turn: turn.ID, Run: 1, State: agent.TurnComplete})
	wantCode(t, err, agent.CodeUnavailable)
	wantHint(t, err)
	if _, err := s.Turn(asUser, turn.ID); err != nil {
		t.Errorf("reading: %v", err)
	}
}

func TestAReadOnlyFolderIsRefusedAtOpening(t *testing.T) {
	dir := t.TempDir()
	must(t, os.Chmod(dir, 0o500))
	if f, err := os.Create(filepath.Join(dir, "probe")); err == nil {
		_ = f.Close()
		t.Skip("this user may write to any folder")
	}
	_, err := Open(t.Context(), Config{App: filepath.Join(dir, "app.db")})
	wantCode(t, err, agent.CodeUnavailable)
	wantHint(t, err)
}

func TestAFolderThatIsAFileIsRefusedAtOpening(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(path, []byte("x"), 0o600))
	for _, app := range []string{filepath.Join(path, "app.db"), t.TempDir()} {
		_, err := Open(t.Context(), Config{App: app})
		wantCode(t, err, agent.CodeUnavailable)
		wantHint(t, err)
	}
}

func TestAFileThatIsNoDatabaseIsRefusedAndKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	text := []byte(strings.Repeat("this is a letter, not a database\n", 300))
	must(t, os.WriteFile(path, text, 0o600))
	_, err := Open(t.Context(), Config{App: path})
	wantCode(t, err, agent.CodeUnavailable)
	wantHint(t, err)
	kept, err := os.ReadFile(path)
	must(t, err)
	same(t, kept, text)
}

func TestADamagedPageIsSaid(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	s := openAt(t, Config{App: path})
	for i := range 200 {
		begin(t, s, fmt.Sprint("t", i))
	}
	must(t, s.Close())
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	must(t, err)
	info, err := f.Stat()
	must(t, err)
	for at := int64(8192); at < info.Size(); at += 4096 { // all but what Open reads
		_, err = f.WriteAt([]byte(strings.Repeat("\xde\xad", 1000)), at)
		must(t, err)
	}
	must(t, f.Close())
	s, err = Open(t.Context(), Config{App: path})
	if err == nil {
		defer s.Close()
		err = s.Check(t.Context())
	}
	wantCode(t, err, agent.CodeUnavailable)
	wantHint(t, err)
}

func TestNoMessageForPeopleShowsWhatTheDatabaseSaid(t *testing.T) {
	s := openAt(t, Config{})
	err := s.app.write(t.Context(), false, func(t *tx) error {
		_, err := t.exec(`INSERT INTO nowhere VALUES (1)`)
		return err
	})
	wantCode(t, err, agent.CodeInternal)
	var e *agent.Error
	if !errors.As(err, &e) || strings.Contains(e.Message+e.Hint, "nowhere") || !strings.Contains(e.Cause.Error(), "nowhere") {
		t.Errorf("message %q, hint %q, cause %v", e.Message, e.Hint, e.Cause)
	}
}

func TestOtherErrorsPassAsTheyAre(t *testing.T) {
	ctx := context.Background()
	for _, err := range []error{context.Canceled, fmt.Errorf("x: %w", context.DeadlineExceeded), agent.NotFound("turn")} {
		if got := fault(ctx, err); !errors.Is(got, err) {
			t.Errorf("%v became %v", err, got)
		}
	}
	wantCode(t, fault(ctx, fmt.Errorf("write: %w", syscall.ENOSPC)), agent.CodeStorageFull)
	wantCode(t, fault(ctx, errors.New("odd")), agent.CodeInternal)
	if fault(ctx, nil) != nil {
		t.Error("no error became one")
	}
}

func TestAPanicInsideATransactionWritesNothingAndFreesTheWriter(t *testing.T) {
	s := openAt(t, Config{})
	func() {
		defer func() { _ = recover() }()
		_ = s.app.write(t.Context(), false, func(t *tx) error {
			if _, err := t.exec(insertOwner, "x", 1); err != nil {
				return err
			}
			panic("a bug")
		})
	}()
	must(t, s.RegisterOwner(t.Context(), "y", 1))
	if n := number(t, s.app, `SELECT count(*) FROM owners WHERE id = 'x'`); n != 0 {
		t.Error("the write before the panic is there")
	}
}

func wantHint(tb testing.TB, err error) {
	tb.Helper()
	var e *agent.Error
	if !errors.As(err, &e) || e.Hint == "" || e.Message == "" {
		tb.Errorf("%v does not say what to do", err)
	}
}
