package agenttest_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/agenttest"
	"github.com/lossless-group/in-app-agent/capability"
)

// verdict is a testing.TB that keeps what fails.
type verdict struct {
	testing.TB
	errors []string
}

func (v *verdict) Helper() {}
func (v *verdict) Errorf(format string, args ...any) {
	v.errors = append(v.errors, fmt.Sprintf(format, args...))
}

type word struct {
	Word string `json:"word"`
}

// look is a capability with a description.
func look(name, description string) agent.Capability {
	return capability.Func(capability.Spec{Name: name, Title: "Look", Description: description, Kind: agent.KindRead, Tier: agent.TierUser},
		func(_ context.Context, _ *agent.Call, in word) (string, error) { return in.Word, nil })
}

func TestAStablePromptPasses(t *testing.T) {
	agenttest.StablePrefix(t, agenttest.New(t, func() agenttest.Parts {
		return agenttest.Parts{App: "Notes", Capabilities: []agent.Capability{look("b.look", "Looks."), look("a.look", "Looks.")}}
	}))
}

func TestAnUnstablePromptFailsAndItsSegmentIsNamed(t *testing.T) {
	for name, c := range map[string]struct {
		want  string
		parts func(start int) agenttest.Parts
	}{
		"a clock in the name of the app": {`segment "spine"`, func(n int) agenttest.Parts {
			return agenttest.Parts{App: "Notes, started at " + time.Unix(int64(n), 0).UTC().Format(time.TimeOnly)}
		}},
		"a description that lists a map": {`segment "tools"`, func(int) agenttest.Parts {
			text := "Knows"
			for k := range map[string]bool{"red": true, "green": true, "blue": true, "grey": true, "pink": true, "cyan": true} {
				text += " " + k
			}
			return agenttest.Parts{Capabilities: []agent.Capability{look("a.look", text)}}
		}},
		"a capability that comes and goes": {`segment "tools"`, func(n int) agenttest.Parts {
			list := []agent.Capability{look("a.look", "Looks.")}
			if n%2 == 1 {
				list = append(list, look("b.look", "Looks."))
			}
			return agenttest.Parts{Capabilities: list}
		}},
	} {
		v, n := &verdict{TB: t}, 0
		app := agenttest.New(t, func() agenttest.Parts { n++; return c.parts(n) })
		agenttest.StablePrefix(v, app)
		if len(v.errors) != 1 || !strings.Contains(v.errors[0], c.want) {
			t.Errorf("%s: %q", name, v.errors)
		}
	}
}
