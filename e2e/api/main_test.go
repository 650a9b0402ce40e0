package api

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/lossless-group/in-app-agent/e2e/harness"
)

// programs are built once a run.
var programs harness.Programs

func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		// One test stays, which says by its skip that the others did not run.
		_ = flag.Set("test.run", "^TestTheWholeStackIsLeftOutOfShortRuns$")
		os.Exit(m.Run())
	}
	built, remove, err := harness.Build()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	programs = built
	code := m.Run()
	remove()
	os.Exit(code)
}

func TestTheWholeStackIsLeftOutOfShortRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("the tests of this package start processes and take minutes; run them without -short")
	}
	if r := harness.Run(t, programs.Agent, "version"); r.Code != 0 {
		t.Errorf("the binary under test ended with %d: %s", r.Code, r.Stderr)
	}
}
