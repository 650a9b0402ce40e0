package engine_test

import (
	"os"
	"testing"
)

// quick tells that a test of many trials plays some of them only: in short runs, and
// under the race detector, which is ten times slower. make test plays all without it.
func quick() bool { return testing.Short() || underRace }

// folder gives a folder in memory where there is one: hundreds of databases are
// written here, and none has to survive a loss of power.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "engine")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}
