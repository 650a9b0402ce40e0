package sqlite

import (
	"context"
	"fmt"
	"os"
)

// Ping reports whether the databases answer and their files are still there: a
// removed file would be written to without an error, and lost. Errors: unavailable.
func (s *Store) Ping(ctx context.Context) error {
	return s.each(func(d *database) error {
		now, err := os.Stat(d.path)
		if err != nil || !os.SameFile(now, d.opened) {
			return unavailable(err, "The database file "+d.path+" was removed or replaced while it was open.",
				"Stop the server, put the file back and start again.")
		}
		return d.read(ctx, func(t *tx) error {
			_, _, err := one(t, plain[int64], `SELECT count(*) FROM sqlite_schema`)
			return err
		})
	})
}

// Check reads every page of the databases and follows every reference; it can take
// minutes for a big file. Errors: unavailable (something is damaged).
func (s *Store) Check(ctx context.Context) error {
	return s.each(func(d *database) error {
		return d.read(ctx, func(t *tx) error {
			found, err := all(t, plain[string], `SELECT integrity_check FROM pragma_integrity_check`)
			if err != nil {
				return err
			}
			if len(found) != 1 || found[0] != "ok" {
				return damaged(d, fmt.Errorf("integrity_check: %q", found))
			}
			orphans, err := all(t, plain[string], `SELECT "table" FROM pragma_foreign_key_check`)
			if err == nil && len(orphans) > 0 {
				err = damaged(d, fmt.Errorf("foreign_key_check: %q", orphans))
			}
			return err
		})
	})
}

func damaged(d *database, cause error) error {
	return unavailable(cause, "The database "+d.path+" is damaged.", "Stop the server and restore the last backup; keep the damaged file.")
}
