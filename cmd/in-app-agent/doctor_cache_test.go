package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lossless-group/in-app-agent/agenttest"
)

func TestTheCacheDoctorTellsEachModelCallBesideARunningServer(t *testing.T) {
	starts := 0
	app := agenttest.New(t, func() agenttest.Parts {
		starts++
		return agenttest.Parts{App: fmt.Sprint("Notes, start ", starts/2)} // the second start is another spine
	})
	sound := app.Say("", "Hello.").Thread
	app.Say(sound, "Secret words.")
	code, stdout, stderr := out(t, "", "doctor", "cache", "--data", app.Data(), "--thread", string(sound))
	if code != exitOK || stderr != "" {
		t.Fatalf("%d: %s", code, stderr)
	}
	for _, want := range []string{"thread " + string(sound), "TURN", "REWRITTEN", "first_call", "scripted", "not reported"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is missing in\n%s", want, stdout)
		}
	}
	if strings.Contains(stdout, "Secret") || strings.Count(stdout, "\n") < 4 {
		t.Errorf("%s", stdout)
	}
	app.Restart()
	app.Say(sound, "And now?")
	code, stdout, stderr = out(t, "", "doctor", "cache", "--data", app.Data())
	if code != exitFailed || !strings.Contains(stdout, "spine_changed (fault)") || !strings.Contains(stdout, "spine_changed: The spine") || !strings.Contains(stderr, "a fault: 1.") {
		t.Errorf("%d: %s\n%s", code, stdout, stderr)
	}
}

func TestTheCacheDoctorSaysWhatIsNotThere(t *testing.T) {
	app := agenttest.New(t, func() agenttest.Parts { return agenttest.Parts{} })
	if code, stdout, _ := out(t, "", "doctor", "cache", "--data", app.Data()); code != exitOK || !strings.Contains(stdout, "no thread yet") {
		t.Errorf("%d: %s", code, stdout)
	}
	if code, _, stderr := out(t, "", "doctor", "cache", "--data", app.Data(), "--thread", "thr_none"); code != exitFailed || !strings.Contains(stderr, "no such thread") {
		t.Errorf("%d: %s", code, stderr)
	}
	if code, _, stderr := out(t, "", "doctor", "cache", "--data", t.TempDir()+"/none"); code != exitFailed || !strings.Contains(stderr, "--data") {
		t.Errorf("%d: %s", code, stderr)
	}
	if code, _, _ := out(t, "", "doctor", "teeth"); code != exitUsage {
		t.Errorf("an unknown doctor exits with %d", code)
	}
}
