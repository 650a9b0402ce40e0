package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io/fs"
	"syscall"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	agent "github.com/lossless-group/in-app-agent"
)

// fault gives any error the code that people and programs can act on. An error of
// ours and the end of a context pass as they are; SQL text stays in the cause.
func fault(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	var ours *agent.Error
	if errors.As(err, &ours) {
		return err
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	var e *sqlite.Error
	if errors.As(err, &e) {
		return sqliteFault(ctx, e)
	}
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return storageFull(err)
	case errors.Is(err, sql.ErrConnDone), errors.Is(err, driver.ErrBadConn), errors.Is(err, errClosed), errors.Is(err, fs.ErrClosed):
		return unavailable(err, "The database is closed.", "The server is stopping; try again once it runs.")
	default:
		return internal(err)
	}
}

func sqliteFault(ctx context.Context, e *sqlite.Error) error {
	switch code := e.Code(); code & 0xff {
	case sqlite3.SQLITE_INTERRUPT:
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return internal(e)
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return busyFault(e)
	case sqlite3.SQLITE_FULL:
		return storageFull(e)
	case sqlite3.SQLITE_IOERR:
		// The write-ahead log's index grows by a call that fails so on a full disk.
		if code == sqlite3.SQLITE_IOERR_SHMSIZE {
			return storageFull(e)
		}
		return unavailable(e, "The disk that holds the database reported an error.", "Check the disk and the system log, then run doctor.")
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH:
		return unavailable(e, "The database can only be read.", "Let this program's user write to the data folder and its files.")
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return unavailable(e, "The database file is damaged, or is no database.", "Stop the server and restore the last backup; keep the damaged file.")
	case sqlite3.SQLITE_CANTOPEN:
		return unavailable(e, "The database file cannot be opened.", "Check that the data folder exists and that this user may write to it.")
	case sqlite3.SQLITE_TOOBIG:
		return agent.Wrap(agent.CodeTooLarge, e, "This is more than one row can hold.")
	default:
		return internal(e)
	}
}

func busyFault(cause error) error {
	return &agent.Error{Code: agent.CodeStorageBusy, Message: "The database is locked by another writer right now.",
		Hint: "Try again in a moment.", Retryable: true, RetryAfter: time.Second, Cause: cause}
}

func storageFull(cause error) error {
	return &agent.Error{Code: agent.CodeStorageFull, Message: "There is no space left to store this.",
		Hint: "Free some space on the disk of the data folder; it works again by itself then.", Cause: cause}
}

func unavailable(cause error, message, hint string) error {
	return &agent.Error{Code: agent.CodeUnavailable, Message: message, Hint: hint, Cause: cause}
}

func internal(cause error) error {
	return agent.Wrap(agent.CodeInternal, cause, "The store failed in a way that it should not.")
}

// isUnique reports whether a write met a row that is there already.
func isUnique(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && (e.Code() == sqlite3.SQLITE_CONSTRAINT_UNIQUE || e.Code() == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY)
}

// isOrphan reports whether a write named a row that is not there.
func isOrphan(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && e.Code() == sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY
}
