package sqlite

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

func TestALocationIsAPathOrAFileURL(t *testing.T) {
	here, err := os.Getwd()
	must(t, err)
	for location, want := range map[string]string{
		"data/app.db":                 filepath.Join(here, "data", "app.db"),
		"/var/lib/app.db":             "/var/lib/app.db",
		"file:app.db":                 filepath.Join(here, "app.db"),
		"file:///var/lib/a%20b.db":    "/var/lib/a b.db",
		"FILE:/var/lib/app.db":        "/var/lib/app.db",
		"file://localhost/var/app.db": "/var/app.db",
		"/odd ?%&#name.db":            "/odd ?%&#name.db",
	} {
		if got, err := filePath(location); err != nil || got != want {
			t.Errorf("%q gives %q, %v; want %q", location, got, err, want)
		}
	}
	for _, location := range []string{"", ":memory:", "libsql://db.turso.io", "https://x", "postgres://x/y", "file://host/x", "file:x?mode=ro",
		"file:x#y", "file:", "file:%00", "file:%zz"} {
		_, err := filePath(location)
		wantCode(t, err, agent.CodeInvalidInput)
	}
}

func TestAPathWithOddCharactersIsOpenedAsItIs(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a b%20?&#'ü.db")
	s := openAt(t, Config{App: path})
	begin(t, s, "t1")
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
	must(t, s.Close())
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range entries {
		switch e.Name() {
		case filepath.Base(path), filepath.Base(path) + ".lock", filepath.Base(path) + ".migrate.lock":
		default:
			t.Errorf("after close %q is left", e.Name())
		}
	}
}

func TestTheFilesAreTheirOwnersOnly(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such modes")
	}
	dir := filepath.Join(t.TempDir(), "new", "folder")
	s := openAt(t, Config{App: filepath.Join(dir, "app.db"), Auth: filepath.Join(dir, "auth.db")})
	begin(t, s, "t1")
	info, err := os.Stat(dir)
	must(t, err)
	if info.Mode().Perm() != 0o700 {
		t.Errorf("the folder has mode %v", info.Mode())
	}
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range entries {
		info, err := e.Info()
		must(t, err)
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", e.Name(), info.Mode())
		}
	}
}
