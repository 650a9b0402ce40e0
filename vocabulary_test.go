package agent_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

func TestTiersCoverWhatStandsBelowThem(t *testing.T) {
	order := []agent.Tier{agent.TierViewer, agent.TierUser, agent.TierAdmin}
	for i, have := range order {
		for j, need := range order {
			if have.Covers(need) != (i >= j) {
				t.Errorf("%s covers %s: %v", have, need, have.Covers(need))
			}
		}
		if have.Covers("owner") || agent.Tier("owner").Covers(have) || agent.Tier("").Covers("") {
			t.Error("an unknown tier covers or is covered")
		}
	}
	for role, want := range map[agent.Role]agent.Tier{
		agent.RoleSuperuser: agent.TierAdmin, agent.RoleOrgOwner: agent.TierAdmin, agent.RoleOrgAdmin: agent.TierAdmin,
		agent.RoleEditor: agent.TierUser, agent.RoleViewer: agent.TierViewer, "guest": agent.TierViewer, "": agent.TierViewer,
	} {
		if role.Tier() != want {
			t.Errorf("%q is %s", role, role.Tier())
		}
	}
}

func TestAnErrorSaysNoMoreThanItShould(t *testing.T) {
	cause := errors.New("dsn=secret")
	for _, c := range []struct {
		err     error
		code    agent.Code
		message string
		status  int
	}{
		{agent.NotFound("turn"), agent.CodeNotFound, "There is no such turn.", 404},
		{fmt.Errorf("around: %w", agent.Errorf(agent.CodeKeyInvalid, "No.")), agent.CodeKeyInvalid, "No.", 402},
		{agent.Wrap(agent.CodeStorageBusy, cause, "Busy."), agent.CodeStorageBusy, "Busy.", 503},
		{cause, agent.CodeInternal, "", 500},
		{agent.Wrap(agent.CodeInternal, cause, "the row secret"), agent.CodeInternal, "", 500},
		{agent.Errorf(agent.CodeToolError, "x"), agent.CodeToolError, "x", 500},
		{agent.Errorf("no_such_code", "x"), "no_such_code", "x", 500},
	} {
		code, message := agent.ErrorCode(c.err), agent.ErrorMessage(c.err)
		if code != c.code || code.Status() != c.status || strings.Contains(message, "secret") || (c.message != "" && message != c.message) {
			t.Errorf("%v: %s %d %q", c.err, code, code.Status(), message)
		}
	}
	if !errors.Is(agent.Errorf(agent.CodeStalePreview, "other words"), agent.ErrStale) || errors.Is(cause, agent.ErrStale) {
		t.Error("ErrStale is matched by its code and nothing else")
	}
}

func TestTheListOfCodesIsClosedAndWithoutDoubles(t *testing.T) {
	seen := map[agent.Code]bool{}
	for _, info := range agent.Codes {
		if seen[info.Code] {
			t.Errorf("%s stands twice", info.Code)
		}
		seen[info.Code] = true
	}
	if len(seen) != 31 {
		t.Errorf("%d codes", len(seen))
	}
}

func TestCursorsReadWhatTheyWrite(t *testing.T) {
	for _, c := range []agent.Cursor{{}, {Turn: "turn_1"}, {Turn: "turn_1", Seq: 7}, {Turn: "turn_1", Run: 2, Seq: 7}} {
		got, err := agent.ParseCursor(c.String())
		if err != nil || got != c {
			t.Errorf("%q gives %+v, %v", c.String(), got, err)
		}
	}
	for _, bad := range []string{":", "turn", "turn:", ":7", "turn:-1", "turn:x", "turn:1:x", "turn:1:2:3", "turn:-1:2", "turn:99999999999999999999"} {
		if _, err := agent.ParseCursor(bad); agent.ErrorCode(err) != agent.CodeInvalidRequest {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func FuzzParseCursor(f *testing.F) {
	f.Add("turn_1:2:7")
	f.Fuzz(func(t *testing.T, s string) {
		c, err := agent.ParseCursor(s)
		if err != nil {
			return
		}
		if again, err := agent.ParseCursor(c.String()); err != nil || again != c {
			t.Fatalf("%q: %+v, then %+v, %v", s, c, again, err)
		}
	})
}
