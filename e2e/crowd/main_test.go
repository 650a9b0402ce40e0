package crowd

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	"github.com/lossless-group/in-app-agent/e2e/harness"
)

// programs are built once a run, where there is a crowd to come.
var programs harness.Programs

func TestMain(m *testing.M) {
	if os.Getenv("CROWD_USERS") == "" && os.Getenv("CROWD_OVERLOAD") == "" && os.Getenv("CROWD_IDLE") == "" {
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

// number reads a number from 1 out of the environment.
func number(t *testing.T, name string, otherwise int) int {
	t.Helper()
	v := os.Getenv(name)
	if v == "" {
		return otherwise
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < 1 {
		t.Fatalf("%s must be a number from 1: %q", name, v)
	}
	return n
}
