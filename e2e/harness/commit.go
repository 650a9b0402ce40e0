package harness

import (
	"os/exec"
	"strings"
	"testing"
)

// Commit gives the commit of this working copy, for a report that says of what it tells.
func Commit(tb testing.TB) string {
	tb.Helper()
	out, err := exec.CommandContext(tb.Context(), "git", "rev-parse", "--short=12", "HEAD").Output()
	if err != nil {
		tb.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
