package sqlite

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

func TestAReleasedMigrationIsNeverEdited(t *testing.T) {
	list, err := fs.ReadFile(migrationFiles, "migration/SHA256SUMS")
	must(t, err)
	known := map[string]string{}
	for line := range strings.Lines(string(list)) {
		sum, name, ok := strings.Cut(strings.TrimSpace(line), "  ")
		if !ok {
			t.Fatalf("cannot read the line %q", line)
		}
		known[name] = sum
	}
	must(t, fs.WalkDir(migrationFiles, "migration", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".sql") {
			return err
		}
		data, err := fs.ReadFile(migrationFiles, path)
		must(t, err)
		name := strings.TrimPrefix(path, "migration/")
		if sum := sha256.Sum256(data); known[name] != hex.EncodeToString(sum[:]) {
			t.Errorf("%s is not what SHA256SUMS says: add a new migration, and a line for it", name)
		}
		delete(known, name)
		return nil
	}))
	for name := range known {
		t.Errorf("%s is in SHA256SUMS but not there", name)
	}
}

func TestMigrationsAreNumberedWithoutAGap(t *testing.T) {
	for _, sr := range []series{authSeries, appSeries} {
		names, err := fs.Glob(migrationFiles, sr.folder+"/*.sql")
		must(t, err)
		for i, name := range names {
			if want := fmt.Sprintf("%s/%04d_", sr.folder, i+1); !strings.HasPrefix(name, want) {
				t.Errorf("%s does not begin with %s", name, want)
			}
		}
		target, err := sr.target()
		must(t, err)
		if target != int64(len(names)) {
			t.Errorf("%s: the newest version is %d, want %d", sr.folder, target, len(names))
		}
	}
}

func TestADatabaseOfANewerProgramIsRefused(t *testing.T) {
	for _, table := range []string{"schema_app", "schema_auth"} {
		path := filepath.Join(t.TempDir(), "app.db")
		s := openAt(t, Config{App: path})
		begin(t, s, "t1")
		switch table {
		case "schema_app":
			behind(t, s.app, `INSERT INTO schema_app (version_id, is_applied) VALUES (9999, 1)`)
		default:
			behind(t, s.app, `INSERT INTO schema_auth (version_id, is_applied) VALUES (9999, 1)`)
		}
		must(t, s.Close())
		_, err := Open(t.Context(), Config{App: path})
		wantCode(t, err, agent.CodeUnavailable)
		if err == nil || !strings.Contains(err.Error(), "newer version of this program (it is at 9999") {
			t.Errorf("the refusal says %v", err)
		}
	}
}

func TestAnOlderDatabaseIsNotMigratedBesideAServer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	must(t, makeFile(path))
	_, err := Open(t.Context(), Config{App: path, Beside: true})
	wantCode(t, err, agent.CodeUnavailable)
}

func TestManyAppsMigrateOneAuthDatabaseAtOnce(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			s, err := Open(context.Background(), Config{App: filepath.Join(dir, fmt.Sprint(i, ".db")), Auth: filepath.Join(dir, "auth.db")})
			if err != nil {
				t.Errorf("app %d: %v", i, err)
				return
			}
			if err := s.Close(); err != nil {
				t.Errorf("app %d: %v", i, err)
			}
		})
	}
	wg.Wait()
}

func TestAMigrationThatFailsLeavesNothingBehind(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	must(t, makeFile(path))
	db, err := sql.Open("sqlite", dsn(path, 0, "immediate"))
	must(t, err)
	_, err = db.ExecContext(t.Context(), `CREATE TABLE feedback (foreign_thing TEXT)`) // stands in the way of the app's own
	must(t, err)
	if _, err := Open(t.Context(), Config{App: path}); err == nil {
		t.Fatal("a migration that cannot run did")
	}
	var n int
	must(t, db.QueryRowContext(t.Context(), `SELECT count(*) FROM sqlite_schema WHERE name = 'turns'`).Scan(&n))
	if n != 0 {
		t.Error("half of the migration is there")
	}
	_, err = db.ExecContext(t.Context(), `DROP TABLE feedback`)
	must(t, err)
	must(t, db.Close())
	begin(t, openAt(t, Config{App: path}), "t1")
}
