package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
)

// link is one connection with its prepared statements. It is used by one goroutine
// at a time, connects when it is first used and again after it broke.
type link struct {
	db    *sql.DB
	conn  *sql.Conn
	known map[string]*sql.Stmt // by text; the texts are constants, so few
}

func (l *link) connect(ctx context.Context) error {
	if l.conn != nil {
		return nil
	}
	conn, err := l.db.Conn(ctx)
	if err != nil {
		return err
	}
	l.conn, l.known = conn, map[string]*sql.Stmt{}
	return nil
}

// stmt gives a prepared statement.
func (l *link) stmt(ctx context.Context, query string) (*sql.Stmt, error) {
	if st, ok := l.known[query]; ok {
		return st, nil
	}
	st, err := l.conn.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	l.known[query] = st
	return st, nil
}

func (l *link) exec(ctx context.Context, query string) error {
	st, err := l.stmt(ctx, query)
	if err != nil {
		return err
	}
	_, err = st.ExecContext(ctx)
	return err
}

// within runs f between begin and commit. Whatever goes wrong, no transaction
// stays open: a connection in doubt is given up.
func (l *link) within(begin, inside context.Context, how string, f func(*tx) error) error {
	// A begin that was cut off may have begun.
	if err := l.exec(begin, how); err != nil {
		_ = l.exec(context.WithoutCancel(begin), `ROLLBACK`)
		return err
	}
	kept := false
	defer func() {
		if !kept && l.exec(context.WithoutCancel(inside), `ROLLBACK`) != nil {
			l.drop()
		}
	}()
	if err := f(&tx{ctx: inside, link: l}); err != nil {
		return err
	}
	if err := l.exec(inside, `COMMIT`); err != nil {
		return err
	}
	kept = true
	return nil
}

// drop closes the connection itself, past the pool, which would hand it out again.
func (l *link) drop() {
	if l.conn == nil {
		return
	}
	for _, st := range l.known {
		_ = st.Close()
	}
	err := l.conn.Raw(func(any) error { return driver.ErrBadConn })
	if err != nil && !errors.Is(err, driver.ErrBadConn) {
		_ = l.conn.Close()
	}
	l.conn, l.known = nil, nil
}
