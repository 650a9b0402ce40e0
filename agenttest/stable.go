package agenttest

import (
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// restarts is how often StablePrefix starts the server anew: what is taken from a map
// comes in the same order now and then.
const restarts = 5

// StablePrefix fails the test when the stable prefix of the app's prompt changes
// between two turns, and names the segment: a provider would have to be paid for all
// of it again. Between the turns an hour passes, and the server starts anew with parts
// that are made anew, so that a clock, a random number and the order of a map show.
func StablePrefix(tb testing.TB, app *App) {
	tb.Helper()
	first := app.Say("", "Hello.")
	said := []Turn{first, app.Say(first.Thread, "And now?")}
	for range restarts {
		app.Wait(time.Hour)
		app.Restart()
		said = append(said, app.Say(first.Thread, "Are you still there?"))
	}
	for _, t := range said {
		if t.Failed != nil {
			tb.Fatalf("a turn failed: %s", t.Failed.Message)
		}
	}
	report := app.Cache(first.Thread)
	if len(report.Steps) < len(said) {
		tb.Fatalf("only %d model calls were made in %d turns", len(report.Steps), len(said))
	}
	told := map[agent.CacheCause]bool{}
	for _, s := range report.Steps {
		for _, f := range s.Findings {
			if f.Segment == "" && f.Expected || told[f.Cause] {
				continue
			}
			told[f.Cause] = true
			tb.Errorf("the segment %q is not stable (turn %d, %s): %s", f.Segment, s.TurnIndex+1, f.Cause, f.Message)
		}
	}
}
