package sqlite_test

import (
	"path/filepath"
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

func TestOneFilePassesTheSuite(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t testing.TB) storetest.Store { return open(t, sqlite.Config{}) })
}

func TestTwoFilesPassTheSuite(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t testing.TB) storetest.Store {
		dir := t.TempDir()
		return open(t, sqlite.Config{App: filepath.Join(dir, "app.db"), Auth: "file:" + filepath.Join(dir, "auth", "auth.db")})
	})
}
