package sqlite

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	agent "github.com/lossless-group/in-app-agent"
)

func TestAnAppDatabaseIsOpenedByOneStoreAtATime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	s := openAt(t, Config{App: path})
	_, err := Open(t.Context(), Config{App: path})
	wantCode(t, err, agent.CodeUnavailable)
	var e *agent.Error
	if !errors.As(err, &e) || !strings.Contains(e.Message, "in use by another process") || e.Hint == "" {
		t.Errorf("the refusal says %v", err)
	}
	must(t, s.Close())
	must(t, s.Close())
	must(t, openAt(t, Config{App: path}).Close())
}

func TestADatabaseThatIsLetGoAMomentLaterIsOpened(t *testing.T) {
	path := filepath.Join(t.TempDir(), "agent.db")
	synctest.Test(t, func(t *testing.T) {
		held, err := lockFile(path + ".lock")
		must(t, err)
		opened := make(chan error, 1)
		go func() {
			s, err := Open(context.Background(), Config{App: path})
			if err == nil {
				err = s.Close()
			}
			opened <- err
		}()
		synctest.Wait() // it found the lock held, and waits
		select {
		case err := <-opened:
			t.Fatalf("it did not wait: %v", err)
		default:
		}
		must(t, held.unlock())
		must(t, <-opened)
	})
}

func TestTwoAppsShareAnAuthDatabase(t *testing.T) {
	dir := t.TempDir()
	auth := filepath.Join(dir, "auth.db")
	one := openAt(t, Config{App: filepath.Join(dir, "one.db"), Auth: auth})
	two := openAt(t, Config{App: filepath.Join(dir, "two.db"), Auth: auth})
	seed(t, one)
	if _, err := two.Member(t.Context(), "u", "o"); err != nil {
		t.Error(err)
	}
	if n := number(t, one.auth, `SELECT count(*) FROM sqlite_schema WHERE name = 'turns'`); n != 0 {
		t.Error("the auth database has the app's tables")
	}
	if n := number(t, one.app, `SELECT count(*) FROM sqlite_schema WHERE name = 'users'`); n != 0 {
		t.Error("the app database has the auth tables")
	}
}

func TestOneFileByTwoSpellingsIsOneDatabase(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, Config{App: filepath.Join(dir, "app.db"), Auth: "file:" + filepath.Join(dir, ".", "app.db")})
	if s.app != s.auth {
		t.Error("one file was opened as two databases")
	}
}

func TestWhatWasWrittenIsThereAfterReopening(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	s := openAt(t, Config{App: path})
	turn := begin(t, s, "t1")
	must(t, s.Commit(asUser, milestone(turn, 2)))
	before, err := s.Record(asUser, "t1")
	must(t, err)
	must(t, s.Close())
	s = openAt(t, Config{App: path})
	after, err := s.Record(asUser, "t1")
	must(t, err)
	same(t, after, before)
	must(t, s.Check(t.Context()))
}

func TestAVerbOpensBesideARunningServer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	_, err := Open(t.Context(), Config{App: path, Beside: true})
	wantCode(t, err, agent.CodeUnavailable)
	if _, err := os.Stat(path); err == nil {
		t.Error("a verb made a database where there was none")
	}
	server := openAt(t, Config{App: path})
	seed(t, server)
	verb := openAt(t, Config{App: path, Beside: true})
	must(t, verb.PutOrgKey(asUser, agent.KeyRow{ID: "k", Provider: "p", Ciphertext: []byte("c"), IV: []byte("i"), LastFour: "abcd", CreatedAt: 1}))
	if _, err := server.OrgKey(asUser, "p"); err != nil {
		t.Error(err)
	}
	wantCode(t, verb.RegisterOwner(t.Context(), "verb", 1), agent.CodeUnavailable)
	must(t, server.RegisterOwner(t.Context(), "server", 1))
}

func TestAClosedStoreSaysSo(t *testing.T) {
	s := openAt(t, Config{})
	must(t, s.Close())
	_, err := s.Turn(asUser, "t1")
	wantCode(t, err, agent.CodeUnavailable)
	_, _, err = s.StartTurn(asUser, started("t1", agent.Thread{ID: "h"}))
	wantCode(t, err, agent.CodeUnavailable)
}

func TestPingNoticesARemovedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	s := openAt(t, Config{App: path})
	must(t, s.Ping(t.Context()))
	must(t, os.Rename(path, path+".away"))
	wantCode(t, s.Ping(t.Context()), agent.CodeUnavailable)
	must(t, os.WriteFile(path, nil, 0o600))
	wantCode(t, s.Ping(t.Context()), agent.CodeUnavailable)
	must(t, os.Rename(path+".away", path))
	must(t, s.Ping(t.Context()))
}

func TestCheckFindsWhatIsDamaged(t *testing.T) {
	s := openAt(t, Config{})
	begin(t, s, "t1")
	must(t, s.Check(t.Context()))
	must(t, s.app.writer.link.connect(context.Background()))
	_, err := s.app.writer.link.conn.ExecContext(t.Context(), `PRAGMA foreign_keys = OFF`)
	must(t, err)
	behind(t, s.app, `DELETE FROM threads`)
	wantCode(t, s.Check(t.Context()), agent.CodeUnavailable)
}
