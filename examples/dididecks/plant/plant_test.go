//go:build !failpoint

package plant

import "testing"

func TestInAUsualBuildNothingIsPlanted(t *testing.T) {
	t.Setenv("IN_APP_AGENT_PLANT", "a")
	if Planted("a") {
		t.Error("a fault is planted")
	}
}
