package crash

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lossless-group/in-app-agent/e2e/harness"
)

// workers is how many seeds are played at once: two keep a small machine busy, and
// more would make its clock the judge.
const workers = 2

// enoughSeeds is from how many seeds on every point must have been reached.
const enoughSeeds = 50

func TestNoSeedLosesDoublesOrStrandsAnything(t *testing.T) {
	if !wanted(seedsVariable, seedVariable) {
		t.Skip("it kills processes for minutes; run it with make crash")
	}
	base, count := firstSeed(t), setting(t, seedsVariable, 1)
	begun := time.Now()
	var all sum
	playAll(t, base, count, "", func(rep report) bool {
		all.add(rep)
		if rep.faults != nil {
			t.Errorf("seed %d (make crash SEED=%d):\n\t%s", rep.seed, rep.seed, strings.Join(rep.faults, "\n\t"))
		}
		if all.seeds%100 == 0 {
			fmt.Printf("crash: %d seeds of %d, %s\n", all.seeds, count, all)
		}
		return true
	})
	fmt.Printf("crash: kills: %s\n", all.byPoint())
	fmt.Printf("crash: seeds %d..%d, %s, %s\n", base, base+count-1, all, time.Since(begun).Round(time.Second))
	if missed := all.missed(); count >= enoughSeeds && missed != nil {
		t.Errorf("no life ended at %v", missed)
	}
	if path := os.Getenv(reportVariable); path != "" {
		if err := os.WriteFile(path, []byte(all.page(harness.Commit(t), base)), 0o644); err != nil {
			t.Error(err)
		}
	}
}

// playAll plays seeds, some at once, until more says no.
func playAll(t *testing.T, base, count uint64, plant string, more func(report) bool) {
	t.Helper()
	var mu sync.Mutex
	next, going := uint64(0), true
	var all sync.WaitGroup
	for range min(workers, count) {
		all.Go(func() {
			for {
				mu.Lock()
				seed := base + next
				over := next >= count || !going
				next++
				mu.Unlock()
				if over {
					return
				}
				rep := runSeed(t, programs, seed, plant)
				mu.Lock()
				going = more(rep) && going
				mu.Unlock()
			}
		})
	}
	all.Wait()
}
