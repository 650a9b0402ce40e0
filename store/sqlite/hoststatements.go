package sqlite

import (
	"context"
	"database/sql"
	"errors"
)

// statements runs the SQL of a method that works in a transaction of ours and in the
// host's: that of a Call.Commit.
type statements interface {
	exec(query string, args ...any) (int64, error)
	row(query string, args ...any) scanner
}

// row reads one row with a prepared statement.
func (t *tx) row(query string, args ...any) scanner {
	st, err := t.stmt(query)
	if err != nil {
		return noRow{err}
	}
	return st.QueryRowContext(t.ctx, args...)
}

// noRow is the row of a statement that could not be prepared.
type noRow struct{ err error }

// Scan gives why.
func (r noRow) Scan(...any) error { return r.err }

// hosted runs statements in the host's transaction.
type hosted struct {
	ctx context.Context
	tx  *sql.Tx
}

func (h hosted) exec(query string, args ...any) (int64, error) {
	res, err := h.tx.ExecContext(h.ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

func (h hosted) row(query string, args ...any) scanner {
	return h.tx.QueryRowContext(h.ctx, query, args...)
}

// first is one for any statements.
func first[T any](s statements, scan func(scanner) (T, error), query string, args ...any) (v T, ok bool, err error) {
	v, err = scan(s.row(query, args...))
	if errors.Is(err, sql.ErrNoRows) {
		return v, false, nil
	}
	return v, err == nil, err
}
