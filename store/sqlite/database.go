package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"runtime"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// database is one file: a pool of readers and the one writer.
type database struct {
	path    string
	opened  os.FileInfo // to notice that the file was replaced or removed
	readers *sql.DB
	idle    chan *link // readers that nobody uses
	writer  *writer
	done    chan struct{}
}

// maxWALBytes bounds what the write-ahead log keeps of the disk once it was
// checkpointed.
const maxWALBytes = "67108864"

var errClosed = errors.New("the store is closed")

func openDatabase(ctx context.Context, path string, busy time.Duration) (*database, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, cannotOpen(path, err)
	}
	d := &database{path: path, opened: info, done: make(chan struct{})}
	if d.readers, err = sql.Open("sqlite", dsn(path, busy, "deferred", "query_only(1)")); err != nil {
		return nil, err
	}
	d.idle = make(chan *link, max(4, runtime.GOMAXPROCS(0)))
	for range cap(d.idle) {
		d.idle <- &link{db: d.readers}
	}
	if d.writer, err = openWriter(ctx, path, busy, d.done); err != nil {
		_ = d.readers.Close()
		return nil, err
	}
	return d, nil
}

// close waits for what runs. The readers go first, so that the writer is the last
// and folds the log into the file.
func (d *database) close() error {
	close(d.done)
	for range cap(d.idle) {
		(<-d.idle).drop()
	}
	return errors.Join(d.readers.Close(), d.writer.close())
}

// read runs f on one snapshot: everything it reads belongs together.
func (d *database) read(ctx context.Context, f func(*tx) error) error {
	if agent.InsideCommit(ctx) {
		return agent.ErrInsideCommit
	}
	var l *link
	select {
	case <-d.done:
		return fault(ctx, errClosed)
	case <-ctx.Done():
		return ctx.Err()
	case l = <-d.idle:
	}
	defer func() { d.idle <- l }()
	if err := l.connect(ctx); err != nil {
		return fault(ctx, err)
	}
	return fault(ctx, l.within(ctx, ctx, `BEGIN`, f))
}

// write runs f in one transaction: all that it writes is kept, or nothing when it
// returns an error. Durable makes it wait for the disk.
func (d *database) write(ctx context.Context, durable bool, f func(*tx) error) error {
	if agent.InsideCommit(ctx) {
		return agent.ErrInsideCommit
	}
	return fault(ctx, d.writer.run(ctx, durable, f))
}
