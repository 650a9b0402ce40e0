//go:build failpoint

package failpoint

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestMain plays the process that is killed where it is told to.
func TestMain(m *testing.M) {
	switch os.Getenv("FAILPOINT_PLAY") {
	case "hit":
		for range 3 {
			os.Stdout.WriteString("before ")
			Hit("here")
			os.Stdout.WriteString("after ")
		}
		os.Exit(0)
	case "soon":
		Soon("here")
		os.Stdout.WriteString("goes on ")
		select {} // until it is killed
	}
	os.Exit(m.Run())
}

// play runs this binary as such a process and gives what it wrote, and whether it
// was killed.
func play(t *testing.T, how, armed string) (out string, killed bool) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "FAILPOINT_PLAY="+how, "IN_APP_AGENT_FAILPOINT="+armed)
	b, err := cmd.Output()
	return strings.TrimSpace(string(b)), err != nil && cmd.ProcessState.ExitCode() == -1
}

func TestAnArmedPointKillsAtItsNthHitAndNothingAfterItRuns(t *testing.T) {
	for armed, want := range map[string]string{
		"":        "before after before after before after",
		"other:1": "before after before after before after",
		"here:4":  "before after before after before after",
		"here":    "before",
		"here:1":  "before",
		"here:3":  "before after before after before",
	} {
		out, killed := play(t, "hit", armed)
		if out != want || killed != (strings.Count(out, "before") != strings.Count(out, "after")) {
			t.Errorf("armed with %q it wrote %q, killed: %v", armed, out, killed)
		}
	}
}

func TestSoonLetsTheCallerGoOn(t *testing.T) {
	if out, killed := play(t, "soon", "here"); out != "goes on" || !killed {
		t.Errorf("it wrote %q, killed: %v", out, killed)
	}
}

func TestAFaultIsPlantedByItsWholeName(t *testing.T) {
	defer func(was string) { planted = was }(planted)
	planted = "one"
	if !Planted("one") || Planted("on") || Planted("") {
		t.Error("another fault is planted")
	}
	planted = ""
	if Planted("one") {
		t.Error("without the variable a fault is planted")
	}
}
