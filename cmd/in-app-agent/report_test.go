package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

func TestAMistakeIsToldWithItsHintAndItsExitCode(t *testing.T) {
	ours := &agent.Error{Code: agent.CodeInvalidInput, Message: "That is no address.", Hint: "Use 127.0.0.1:PORT.", Cause: errors.New("missing port")}
	for name, c := range map[string]struct {
		err   error
		code  int
		lines []string
	}{
		"nothing":           {nil, exitOK, nil},
		"a stop":            {fmt.Errorf("serve: %w", context.Canceled), exitOK, nil},
		"a failure of ours": {fmt.Errorf("open: %w", ours), exitFailed, []string{"in-app-agent: That is no address.", "Use 127.0.0.1:PORT.", "(invalid_input: missing port)"}},
		"wrong usage":       {usageError{ours}, exitUsage, []string{"in-app-agent: That is no address.", "Use 127.0.0.1:PORT.", "(invalid_input: missing port)"}},
		"a cause that is told already": {&agent.Error{Code: agent.CodeInvalidInput, Message: "The file f is malformed. Entry 1 is not base64.",
			Cause: agent.Errorf(agent.CodeInvalidInput, "Entry 1 is not base64.")}, exitFailed, []string{"in-app-agent: The file f is malformed. Entry 1 is not base64."}},
		"causes of ours": {&agent.Error{Code: agent.CodeUnavailable, Message: "No.", Cause: agent.Wrap(agent.CodeInternal, errors.New("disk gone"), "It cannot be read.")},
			exitFailed, []string{"in-app-agent: No.", "(unavailable: It cannot be read.: disk gone)"}},
		"a failure of another's": {errors.New("disk gone"), exitFailed, []string{"in-app-agent: disk gone"}},
	} {
		var said bytes.Buffer
		if code := report(c.err, &said); code != c.code {
			t.Errorf("%s: exit code %d, want %d", name, code, c.code)
		}
		if got := strings.TrimSpace(said.String()); got != strings.Join(c.lines, "\n") {
			t.Errorf("%s: told %q", name, got)
		}
	}
}
