package embedded

import (
	"context"
	"database/sql"
	_ "embed"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
)

//go:embed schema.sql
var schema string

// vectorSchema is what version 2 added.
//
//go:embed schema_vector.sql
var vectorSchema string

const schemaVersion = 2

const tenantStart = "tenant-" // no name of a device, no hidden file

// tenantFile gives the file name of a tenant, whose scope was checked.
func tenantFile(name string) string { return tenantStart + name + ".db" }

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
	steps := []string{schema, vectorSchema}
	if version > schemaVersion {
		return fmt.Errorf("the file has schema version %d, and this program knows %d", version, schemaVersion)
	}
	if version == schemaVersion {
		return nil
	}
	for _, step := range steps[version:] {
		if _, err := tx.ExecContext(ctx, step); err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf(`PRAGMA user_version = %d`, schemaVersion)); err != nil {
		return err
	}
	return tx.Commit()
}
