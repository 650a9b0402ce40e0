package crash

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lossless-group/in-app-agent/e2e/harness"
)

// programs are built once a run, with the tag failpoint.
var programs harness.Programs

func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		os.Exit(m.Run())
	}
	built, remove, err := harness.Build("failpoint")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	programs = built
	code := m.Run()
	remove()
	os.Exit(code)
}

// defaultSeeds is how many seeds are played; SEEDS asks for more.
const defaultSeeds = 50

// workers is how many seeds are played at once.
const workers = 2

func setting(t *testing.T, name string, otherwise uint64) uint64 {
	t.Helper()
	v := os.Getenv(name)
	if v == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(v, 10, 64)
	if err != nil {
		t.Fatalf("%s must be a number: %v", name, err)
	}
	return n
}

func TestNoSeedLosesDoublesOrStrandsAnything(t *testing.T) {
	if testing.Short() {
		t.Skip("it kills processes for minutes; run it without -short")
	}
	base, count := uint64(time.Now().UnixMilli()%1_000_000_000), setting(t, "SEEDS", defaultSeeds)
	if one := setting(t, harness.SeedVariable, 0); one > 0 {
		base, count = one, min(count, setting(t, "SEEDS", 1))
	}
	begun := time.Now()
	var all sum
	playAll(t, base, count, "", func(rep report) bool {
		all.add(rep)
		if rep.faults != nil {
			t.Errorf("seed %d (make crash SEED=%d):\n\t%s", rep.seed, rep.seed, strings.Join(rep.faults, "\n\t"))
		}
		return true
	})
	fmt.Println(all.byPoint())
	fmt.Printf("crash: seeds %d..%d, %s, %s\n", base, base+count-1, all, time.Since(begun).Round(time.Second))
	if count >= defaultSeeds {
		for _, p := range points {
			if all.kills[p.name] == 0 {
				t.Errorf("no life ended at %s", p.name)
			}
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

// sum adds up what seeds did.
type sum struct {
	seeds, failed, turns, effects int
	resent                        int64
	kills                         map[string]int
	ready, settled                time.Duration
}

func (s *sum) add(r report) {
	s.seeds++
	if r.faults != nil {
		s.failed++
	}
	s.turns, s.effects, s.resent = s.turns+r.turns, s.effects+r.effects, s.resent+r.resent
	s.ready, s.settled = max(s.ready, r.ready), max(s.settled, r.settled)
	if s.kills == nil {
		s.kills = map[string]int{}
	}
	for point, n := range r.kills {
		s.kills[point] += n
	}
}

func (s sum) String() string {
	kills := 0
	for point, n := range s.kills {
		if point != "idle" {
			kills += n
		}
	}
	return fmt.Sprintf("%d failed, %d kills, %d turns, %d effects, %d requests sent again, up in %d ms, settled in %d ms",
		s.failed, kills, s.turns, s.effects, s.resent, s.ready.Milliseconds(), s.settled.Milliseconds())
}

// byPoint tells the kills at each point.
func (s sum) byPoint() string {
	names := []string{random, "idle"}
	for _, p := range points {
		names = append(names, p.name)
	}
	slices.Sort(names)
	var list []string
	for _, n := range slices.Compact(names) {
		list = append(list, fmt.Sprintf("%s %d", n, s.kills[n]))
	}
	return "kills: " + strings.Join(list, ", ")
}
