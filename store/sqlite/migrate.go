package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/pressly/goose/v3"

	agent "github.com/lossless-group/in-app-agent"
)

//go:embed migration
var migrationFiles embed.FS

// series is one line of migrations: the two databases may be two files or one, so
// each series keeps its version in a table of its own.
type series struct {
	folder    string
	table     string
	tableSeen string // asks whether the table is there
	version   string // asks for the newest version applied
}

var (
	authSeries = series{
		folder:    "migration/auth",
		table:     "schema_auth",
		tableSeen: `SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'schema_auth'`,
		version:   `SELECT coalesce(max(version_id), 0) FROM schema_auth WHERE is_applied`,
	}
	appSeries = series{
		folder:    "migration/app",
		table:     "schema_app",
		tableSeen: `SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'schema_app'`,
		version:   `SELECT coalesce(max(version_id), 0) FROM schema_app WHERE is_applied`,
	}
)

// target gives the newest version that this program knows.
func (sr series) target() (int64, error) {
	names, err := fs.Glob(migrationFiles, sr.folder+"/*.sql")
	if err != nil || len(names) == 0 {
		return 0, fmt.Errorf("no migrations in %s: %w", sr.folder, err)
	}
	last := strings.TrimPrefix(names[len(names)-1], sr.folder+"/")
	number, _, _ := strings.Cut(last, "_")
	return strconv.ParseInt(number, 10, 64)
}

// current gives the newest version that the file has, 0 for an empty one.
func (sr series) current(ctx context.Context, db *sql.DB) (version int64, err error) {
	var seen int
	if err := db.QueryRowContext(ctx, sr.tableSeen).Scan(&seen); err != nil || seen == 0 {
		return 0, err
	}
	err = db.QueryRowContext(ctx, sr.version).Scan(&version)
	return version, err
}

// migrate brings a file to the newest version of a series, each migration in a
// transaction of its own, and refuses a file that a newer program wrote.
func (s *Store) migrate(ctx context.Context, path string, sr series, busy time.Duration) error {
	target, err := sr.target()
	if err != nil {
		return err
	}
	db, err := sql.Open("sqlite", dsn(path, busy, "immediate", "journal_mode(WAL)", "foreign_keys(1)", "synchronous(FULL)"))
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	version, err := sr.current(ctx, db)
	switch {
	case err != nil:
		return err
	case version > target:
		return tooNew(path, version, target)
	case version == target:
		return nil
	case s.beside:
		return &agent.Error{Code: agent.CodeUnavailable, Message: "The database " + path + " is of an older version of this program.",
			Hint: "Start the server of this version once: it brings the database up to date."}
	}
	return s.up(ctx, db, path, sr, busy)
}

// up runs goose under a lock of its own: an auth database may serve several apps,
// and two that migrate one file at once fail.
func (s *Store) up(ctx context.Context, db *sql.DB, path string, sr series, busy time.Duration) error {
	wait, cancel := context.WithTimeout(ctx, max(busy, time.Second))
	defer cancel()
	lock, err := waitForLock(wait, path+".migrate.lock")
	if err != nil {
		return err
	}
	defer func() { _ = lock.unlock() }()
	files, err := fs.Sub(migrationFiles, sr.folder)
	if err != nil {
		return err
	}
	p, err := goose.NewProvider(goose.DialectSQLite3, db, files,
		goose.WithTableName(sr.table), goose.WithDisableGlobalRegistry(true), goose.WithSlog(s.log))
	if err != nil {
		return err
	}
	done, err := p.Up(ctx)
	if err != nil {
		return err
	}
	for _, m := range done {
		s.log.Info("migrated", "series", sr.table, "version", m.Source.Version, "took", m.Duration)
	}
	return nil
}

func tooNew(path string, version, target int64) error {
	return &agent.Error{
		Code: agent.CodeUnavailable,
		Message: fmt.Sprintf("The database %s was written by a newer version of this program (it is at %d, this program knows %d).",
			path, version, target),
		Hint: "Start the newer version again, or restore the backup that was made before the upgrade.",
	}
}
