package sqlite

import (
	"context"
	"database/sql"
	"errors"

	agent "github.com/lossless-group/in-app-agent"
)

// tx is one transaction, or one snapshot that is read.
type tx struct {
	ctx  context.Context
	link *link
}

func (t *tx) stmt(query string) (*sql.Stmt, error) { return t.link.stmt(t.ctx, query) }

// exec runs a write and gives how many rows it touched.
func (t *tx) exec(query string, args ...any) (int64, error) {
	st, err := t.stmt(query)
	if err != nil {
		return 0, err
	}
	res, err := st.ExecContext(t.ctx, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// scanner is a row to read columns from.
type scanner interface{ Scan(dest ...any) error }

// one reads at most one row; ok is false when there is none.
func one[T any](t *tx, scan func(scanner) (T, error), query string, args ...any) (v T, ok bool, err error) {
	st, err := t.stmt(query)
	if err != nil {
		return v, false, err
	}
	v, err = scan(st.QueryRowContext(t.ctx, args...))
	if errors.Is(err, sql.ErrNoRows) {
		return v, false, nil
	}
	return v, err == nil, err
}

// all reads every row.
func all[T any](t *tx, scan func(scanner) (T, error), query string, args ...any) ([]T, error) {
	st, err := t.stmt(query)
	if err != nil {
		return nil, err
	}
	rows, err := st.QueryContext(t.ctx, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var list []T
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, rows.Err()
}

// plain reads a row of one column.
func plain[T any](s scanner) (v T, err error) {
	err = s.Scan(&v)
	return v, err
}

// tenant is the org and user that every row of the caller carries.
type tenant struct{ org, user string }

func tenantOf(ctx context.Context) (tenant, error) {
	p, err := agent.PrincipalFrom(ctx)
	return tenant{org: p.OrgID, user: p.UserID}, err
}

// readAs reads the app database for the caller of the context.
func (s *Store) readAs(ctx context.Context, f func(*tx, tenant) error) error {
	who, err := tenantOf(ctx)
	if err != nil {
		return err
	}
	return s.app.read(ctx, func(t *tx) error { return f(t, who) })
}

// writeAs writes the app database for the caller of the context.
func (s *Store) writeAs(ctx context.Context, durable bool, f func(*tx, tenant) error) error {
	who, err := tenantOf(ctx)
	if err != nil {
		return err
	}
	return s.app.write(ctx, durable, func(t *tx) error { return f(t, who) })
}

// maybe gives what a nullable time is bound as: zero is null.
func maybe(at int64) any {
	if at == 0 {
		return nil
	}
	return at
}
