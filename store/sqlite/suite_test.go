package sqlite_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/lossless-group/in-app-agent/store/sqlite"
	"github.com/lossless-group/in-app-agent/store/storetest"
)

// open opens a store in a folder of its own.
func open(tb testing.TB, c sqlite.Config) *sqlite.Store {
	tb.Helper()
	if c.App == "" {
		c.App = filepath.Join(tb.TempDir(), "app.db")
	}
	s, err := sqlite.Open(tb.Context(), c)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Errorf("close: %v", err)
		}
	})
	return s
}

// migrated gives the files of an empty store, by name. The suite opens hundreds of
// stores, and migrating takes longer than most cases; the tests of migration open none
// of these.
var migrated = sync.OnceValues(func() (map[string][]byte, error) {
	dir, err := os.MkdirTemp("", "migrated")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	files := map[string][]byte{}
	for app, auth := range map[string]string{"one.db": "", "app.db": "auth.db"} {
		c := sqlite.Config{App: filepath.Join(dir, app)}
		if auth != "" {
			c.Auth = "file:" + filepath.Join(dir, auth)
		}
		s, err := sqlite.Open(context.Background(), c)
		if err != nil {
			return nil, err
		}
		if err := s.Close(); err != nil {
			return nil, err
		}
		for _, name := range []string{app, auth} {
			if name == "" {
				continue
			}
			if files[name], err = os.ReadFile(filepath.Join(dir, name)); err != nil {
				return nil, err
			}
		}
	}
	return files, nil
})

// copied writes a migrated file into a folder in memory and gives its path.
func copied(tb testing.TB, dir, name string) string {
	tb.Helper()
	files, err := migrated()
	if err != nil {
		tb.Fatal(err)
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, files[name], 0o600); err != nil {
		tb.Fatal(err)
	}
	return path
}

func TestOneFilePassesTheSuite(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t testing.TB) storetest.Store {
		return open(t, sqlite.Config{App: copied(t, quickFolder(t), "one.db")})
	})
}

func TestTwoFilesPassTheSuite(t *testing.T) {
	if sqlite.UnderRace {
		t.Skip("the detector sees nothing here that it does not see over one file")
	}
	t.Parallel()
	storetest.Run(t, func(t testing.TB) storetest.Store {
		dir := quickFolder(t)
		return open(t, sqlite.Config{App: copied(t, dir, "app.db"), Auth: "file:" + copied(t, dir, "auth.db")})
	})
}
