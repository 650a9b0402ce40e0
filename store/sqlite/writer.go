package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// writer owns the one connection that writes. Whoever holds turn uses it alone.
type writer struct {
	db   *sql.DB
	link link
	turn chan struct{}
	wait time.Duration
	full bool // whether a commit waits for the disk
	done chan struct{}
}

var errWaited = errors.New("waited too long for the writer")

func openWriter(ctx context.Context, path string, busy time.Duration, done chan struct{}) (*writer, error) {
	db, err := sql.Open("sqlite", dsn(path, busy, "immediate",
		"journal_mode(WAL)", "foreign_keys(1)", "synchronous(FULL)", "journal_size_limit("+maxWALBytes+")"))
	if err != nil {
		return nil, err
	}
	w := &writer{db: db, link: link{db: db}, turn: make(chan struct{}, 1), wait: busy, done: done}
	if err := w.connect(ctx); err != nil {
		_ = db.Close()
		return nil, err
	}
	return w, nil
}

// connect makes sure of a connection; a fresh one waits for the disk.
func (w *writer) connect(ctx context.Context) error {
	if w.link.conn == nil {
		w.full = true
	}
	return w.link.connect(ctx)
}

// take waits for the connection, no longer than SQLite would wait for the lock:
// behind a foreign writer the waits must not add up.
func (w *writer) take(ctx context.Context) error {
	timer := time.NewTimer(w.wait)
	defer timer.Stop()
	select {
	case <-w.done:
		return errClosed
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return busyFault(errWaited)
	case w.turn <- struct{}{}:
		return nil
	}
}

// run runs f in one immediate transaction. The context can end the wait for the
// lock; once begun, a transaction is short and runs to its end, so that nobody has
// to guess whether it was kept.
func (w *writer) run(ctx context.Context, durable bool, f func(*tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := w.take(ctx); err != nil {
		return err
	}
	defer func() { <-w.turn }()
	if err := w.connect(ctx); err != nil {
		return err
	}
	if err := w.setSync(context.WithoutCancel(ctx), durable); err != nil {
		w.link.drop()
		return err
	}
	return w.link.within(ctx, context.WithoutCancel(ctx), `BEGIN IMMEDIATE`, f)
}

// setSync changes how commits reach the disk, between transactions only. SQLite
// obeys this pragma while it compiles it, so it must not be a prepared statement.
func (w *writer) setSync(ctx context.Context, durable bool) error {
	if durable == w.full {
		return nil
	}
	w.full = durable
	query := `PRAGMA synchronous = NORMAL`
	if durable {
		query = `PRAGMA synchronous = FULL`
	}
	_, err := w.link.conn.ExecContext(ctx, query)
	return err
}

// close lets the running transaction end first.
func (w *writer) close() error {
	w.turn <- struct{}{}
	w.link.drop()
	return w.db.Close()
}
