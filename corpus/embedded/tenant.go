package embedded

import (
	"context"
	"database/sql"
	_ "embed"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

//go:embed schema.sql
var schema string

const schemaVersion = 1

const (
	clientPrefix = "client__"
	maxSlug      = 32
)

var (
	slugName    = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)
	placeName   = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,63}$`)
	tenantStart = "tenant-" // no name of a device, no hidden file
)

// tenantFile gives the file name of a tenant. A name that is not a plain word,
// or a client's with a bad slug, has none: invalid_input.
func tenantFile(name string) (string, error) {
	slug, client := strings.CutPrefix(name, clientPrefix)
	good := placeName.MatchString(name)
	if client {
		good = len(slug) <= maxSlug && slugName.MatchString(slug)
	}
	if !good {
		return "", agent.Errorf(agent.CodeInvalidInput, "That is no name of a tenant.")
	}
	return tenantStart + name + ".db", nil
}

// checkPlace refuses names of databases and collections that are no plain words.
func checkPlace(s agent.Scope) error {
	if !placeName.MatchString(s.Collection) || s.Database != "" && !placeName.MatchString(s.Database) {
		return agent.Errorf(agent.CodeInvalidInput, "That is no name of a collection.")
	}
	return nil
}

// openFile opens a tenant's file and makes its tables when it is new.
func openFile(ctx context.Context, path string) (*sql.DB, error) {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive letter
	}
	dsn := url.URL{Scheme: "file", Path: path, RawQuery: url.Values{
		"_txlock": {"immediate"},
		"_pragma": {"busy_timeout(5000)", "journal_mode(WAL)", "synchronous(NORMAL)"},
	}.Encode()}
	db, err := sql.Open("sqlite", dsn.String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(4)
	if err := makeTables(ctx, db); err != nil {
		_ = db.Close() // the first error tells more
		return nil, err
	}
	return db, nil
}

func makeTables(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // does nothing after Commit
	var version int
	if err := tx.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&version); err != nil {
		return err
	}
	switch version {
	case schemaVersion:
		return nil
	case 0:
	default:
		return fmt.Errorf("the file has schema version %d, and this program knows %d", version, schemaVersion)
	}
	if _, err := tx.ExecContext(ctx, schema); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `PRAGMA user_version = 1`); err != nil {
		return err
	}
	return tx.Commit()
}
