//go:build !failpoint

package failpoint

import "testing"

func TestInAUsualBuildNoPointKillsAndNothingIsPlanted(t *testing.T) {
	t.Setenv("IN_APP_AGENT_FAILPOINT", "a:1")
	t.Setenv("IN_APP_AGENT_PLANT", "a")
	Hit("a")
	Soon("a")
	if Planted("a") {
		t.Error("a fault is planted")
	}
}

func TestInAUsualBuildAPointCostsNothing(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() { Hit("a"); Soon("a"); _ = Planted("a") }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
