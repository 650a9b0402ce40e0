package crash

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/lossless-group/in-app-agent/e2e/harness"
)

// What the environment asks for; without any of it only the quick tests run.
const (
	seedsVariable  = "CRASH_SEEDS"  // how many seeds to play
	seedVariable   = "CRASH_SEED"   // the first of them; alone it is the only one
	plantsVariable = "CRASH_PLANTS" // how many seeds a planted fault may take to be caught
	reportVariable = "CRASH_REPORT" // a file for the figures
)

// programs are built once a run, with the tag failpoint, where processes are killed.
var programs harness.Programs

func TestMain(m *testing.M) {
	flag.Parse()
	if !wanted(seedsVariable, seedVariable, plantsVariable) {
		os.Exit(m.Run())
	}
	built, remove, err := harness.Build("failpoint")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	programs = built
	code := m.Run()
	remove()
	os.Exit(code)
}

// wanted tells whether one of the variables is set.
func wanted(names ...string) bool {
	for _, name := range names {
		if os.Getenv(name) != "" {
			return true
		}
	}
	return false
}

// setting reads a number of the environment.
func setting(t *testing.T, name string, otherwise uint64) uint64 {
	t.Helper()
	v := os.Getenv(name)
	if v == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(v, 10, 64)
	if err != nil || n == 0 {
		t.Fatalf("%s must be a number from 1: %q", name, v)
	}
	return n
}

// firstSeed is the one asked for, or one that the last run did not have.
func firstSeed(t *testing.T) uint64 {
	return setting(t, seedVariable, uint64(time.Now().UnixMilli()%1_000_000_000)+1)
}
