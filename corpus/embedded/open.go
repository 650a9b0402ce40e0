package embedded

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	agent "github.com/lossless-group/in-app-agent"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// maxOpenTenants bounds the files that stay open; others are opened again.
const maxOpenTenants = 64

// Corpus is a folder of tenants. It is safe for concurrent use and is closed
// with Close.
type Corpus struct {
	dir      string
	embedder agent.Embedder // nil: words alone

	mu      sync.Mutex
	closed  bool
	tenants map[string]*tenant
}

var _ agent.Finder = (*Corpus)(nil)

// Option changes how a corpus is opened.
type Option func(*Corpus)

// WithEmbedder ranks by the likeness of meaning as well. What was put without it, or
// with another model, is found by its words until it is put again.
func WithEmbedder(e agent.Embedder) Option { return func(c *Corpus) { c.embedder = e } }

// Open opens the corpus in a folder, which is created when it is missing.
// Errors: unavailable.
func Open(dir string, options ...Option) (*Corpus, error) {
	abs, err := filepath.Abs(dir)
	if err == nil {
		err = os.MkdirAll(abs, 0o700)
	}
	if err != nil {
		return nil, agent.Wrap(agent.CodeUnavailable, err, "The folder of the corpus cannot be opened.")
	}
	c := &Corpus{dir: abs, tenants: map[string]*tenant{}}
	for _, option := range options {
		option(c)
	}
	return c, nil
}

// Close closes all files. A closed corpus is unavailable.
func (c *Corpus) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	var errs []error
	for name, t := range c.tenants {
		delete(c.tenants, name)
		t.retired = true
		if t.users == 0 {
			errs = append(errs, t.db.Close())
		}
	}
	return errors.Join(errs...)
}

// tenant is an open file. It is closed when it is retired and nobody uses it.
type tenant struct {
	db      *sql.DB
	users   int
	retired bool
	vectors vectors
}

// tenant opens the file of a tenant and must be given back with release. Without
// create, a tenant that does not exist gives nil.
func (c *Corpus) tenant(ctx context.Context, name string, create bool) (*tenant, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, agent.Errorf(agent.CodeUnavailable, "The corpus is closed.")
	}
	t := c.tenants[name]
	if t == nil {
		path := filepath.Join(c.dir, tenantFile(name))
		info, err := os.Lstat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist) && !create:
			return nil, nil
		case err == nil && !info.Mode().IsRegular():
			return nil, agent.Errorf(agent.CodeUnavailable, "A corpus file is no regular file.")
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return nil, trouble(err)
		}
		db, err := openFile(ctx, path)
		if err != nil {
			return nil, trouble(err)
		}
		c.makeRoom()
		t = &tenant{db: db}
		c.tenants[name] = t
	}
	t.users++
	return t, nil
}

// makeRoom retires one tenant that nobody uses when too many are open.
func (c *Corpus) makeRoom() {
	if len(c.tenants) < maxOpenTenants {
		return
	}
	for name, t := range c.tenants {
		if t.users == 0 {
			delete(c.tenants, name)
			t.retired = true
			_ = t.db.Close() // nothing is pending, and the file is intact either way
			return
		}
	}
}

func (c *Corpus) release(t *tenant) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t.users--; t.users == 0 && t.retired {
		_ = t.db.Close() // as in makeRoom
	}
}

// trouble turns an error of the file or the database into ours. The end of the
// caller's context stays what it is.
func trouble(err error) error {
	var ours *agent.Error
	var low *sqlite.Error
	switch {
	case err == nil || errors.As(err, &ours) || errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, context.DeadlineExceeded):
		return agent.Wrap(agent.CodeTimeout, err, "The corpus took too long.")
	case errors.As(err, &low) && low.Code()&0xff == sqlite3.SQLITE_FULL:
		return agent.Wrap(agent.CodeStorageFull, err, "There is no room left for the corpus.")
	}
	return agent.Wrap(agent.CodeUnavailable, fmt.Errorf("embedded corpus: %w", err), "The corpus cannot be read right now.")
}
