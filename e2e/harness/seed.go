package harness

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"
)

// SeedVariable names the environment variable that repeats a run.
const SeedVariable = "E2E_SEED"

// Seed gives a generator whose seed is new in each run and stands in the log;
// E2E_SEED repeats one.
func Seed(tb testing.TB) (*rand.Rand, uint64) {
	tb.Helper()
	seed := uint64(time.Now().UnixNano())
	if v := os.Getenv(SeedVariable); v != "" {
		n, err := strconv.ParseUint(v, 10, 64)
		if err != nil {
			tb.Fatalf("%s must be a number: %v", SeedVariable, err)
		}
		seed = n
	}
	tb.Logf("seed: %s=%d", SeedVariable, seed)
	return rand.New(rand.NewPCG(seed, 0xe2e)), seed
}
