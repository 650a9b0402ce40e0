package engine_test

import (
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/capability"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

func TestANameThatIsLongerThanAnyCapabilitysIsToldInBounds(t *testing.T) {
	long := strings.Repeat("x", capability.MaxName)
	for name, want := range map[string]string{
		long: long, long + "x": long + "…", long[1:] + "é": long[1:] + "…", strings.Repeat("🦊", 100_000): strings.Repeat("🦊", capability.MaxName/4) + "…",
	} {
		w := newWorld(t)
		w.model.play(scripted.Round{Calls: []scripted.Call{{Name: "made.up", Wire: name}}}, says("No."))
		events := w.end(w.say("", "Go").ID)
		if got := last[agent.CapabilityStarted](t, events, agent.EventCapabilityStarted); got.Name != want || got.Title != want {
			t.Errorf("%.20q of %d bytes is told as %q", name, len(name), got.Name)
		}
		if text(events) != "No." {
			t.Errorf("the turn goes on with %q", text(events))
		}
	}
}
