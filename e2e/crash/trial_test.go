package crash

import (
	"os"
	"slices"
	"strings"
	"testing"
)

func TestAFailedTrialSaysWhatAndDoesNotFailItsTest(t *testing.T) {
	var order []string
	faults := runTrial(t, func(t *trial) {
		t.Cleanup(func() { order = append(order, "first") })
		t.Cleanup(func() { order = append(order, "second") })
		t.Logf("a word before")
		t.Errorf("wrong: %d", 1)
		order = append(order, "goes on")
		done := make(chan struct{})
		go func() {
			defer close(done)
			t.Fatal("the end of ", "this goroutine")
		}()
		<-done
		if t.Context().Err() == nil || !t.Failed() {
			t.Error("the trial goes on after a failure")
		}
		t.FailNow()
		order = append(order, "never")
	})
	if want := []string{"goes on", "second", "first"}; !slices.Equal(order, want) {
		t.Errorf("it went %v, want %v", order, want)
	}
	for i, want := range []string{"a word before", "wrong: 1", "the end of this goroutine", "failed"} {
		if i >= len(faults) || !strings.HasSuffix(faults[i], want) || !strings.Contains(faults[i], ".go:") {
			t.Errorf("line %d of %q is not %q with its place", i, faults, want)
		}
	}
}

func TestATrialWithoutFaultSaysNothingAndLeavesNothing(t *testing.T) {
	var dir string
	faults := runTrial(t, func(t *trial) {
		t.Log("only a word")
		dir = t.TempDir()
		if _, err := os.Stat(dir); err != nil {
			t.Error(err)
		}
	})
	if faults != nil {
		t.Errorf("it says %q", faults)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("its folder is left: %v", err)
	}
}

func TestAFailingCleanUpFailsItsTrial(t *testing.T) {
	if faults := runTrial(t, func(t *trial) { t.Cleanup(func() { t.Fatal("late") }) }); len(faults) != 1 {
		t.Errorf("it says %q", faults)
	}
}
