package engine_test

import "testing"

// quick tells that a test of many trials plays some of them only: in short runs, and
// under the race detector, which is ten times slower. make test plays all without it.
func quick() bool { return testing.Short() || underRace }
