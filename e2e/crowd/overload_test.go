package crowd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/e2e/harness"
)

// An answer of the clock is this long; a server of one core has some hundreds at once.
const (
	clockWords = 500
	clockEvery = 10 * time.Millisecond
	mostGuests = 1500
)

// The bound on how long a word of an admitted stream may take, for 99 of 100 of them.
// It is far over what is logged, for machines that do other things meanwhile.
const slowestWord = 3 * time.Second

// TestACrowdTwiceTheCapacityIsPutOffAndTheAdmittedKeepTheirPace drives a server of one
// core until it sheds, which is its capacity, and offers twice that.
func TestACrowdTwiceTheCapacityIsPutOffAndTheAdmittedKeepTheirPace(t *testing.T) {
	if os.Getenv("CROWD_OVERLOAD") == "" {
		t.Skip("an overload takes a minute; make overload and make test run it")
	}
	clock := &clockwork{chunks: clockWords, every: clockEvery}
	s := harness.Start(t, harness.Options{Programs: programs, Provider: clock.serve(t), Deaf: true,
		Env: []string{"GOMAXPROCS=1", "ANTHROPIC_API_KEY=sk-ant-api03-crowd-crowd-crowd-crowd-crowd"}})
	guests := s.Guests(mostGuests)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()

	full := offer(ctx, t, guests, "ramp", 50*time.Millisecond, true)
	capacity := len(full.delays)
	if capacity == 0 || len(full.putOff) == 0 {
		t.Fatalf("%d streams at once are not yet too many: %s", len(guests), full)
	}
	t.Logf("capacity: %s; the clock itself was late by %s", full, spread(clock.lateness()))

	twice := offer(ctx, t, guests[:min(2*capacity, len(guests))], "twice", 2*time.Second/time.Duration(2*capacity)*10, false)
	t.Logf("twice that: %s; the clock itself was late by %s", twice, spread(clock.lateness()))
	if len(twice.putOff) == 0 {
		t.Errorf("twice the capacity was taken whole")
	}
	if p99 := share(twice.sorted(), 99); p99 > slowestWord {
		t.Errorf("of the admitted streams' words 99 of 100 took up to %s", p99)
	}
	later := slices.Concat(full.putOff, twice.putOff)
	late := again(ctx, t, later)
	t.Logf("sent again: %d messages were taken, the last after %s", len(later), late.Round(100*time.Millisecond))

	turns := harness.Count(t, s, `SELECT count(*) FROM turns WHERE state = 'completed'`)
	if want := capacity + len(twice.delays) + len(later); turns != want || int(clock.asked.Load()) != want {
		t.Errorf("%d messages were taken: %d turns completed, and the provider was asked %d times", want, turns, clock.asked.Load())
	}
}

// offered is what became of many messages.
type offered struct {
	mu     sync.Mutex
	delays map[string][]time.Duration // of the admitted, by message
	putOff []*listener
	codes  map[agent.Code]int // of those
}

func (o *offered) sorted() (all []time.Duration) {
	for _, d := range o.delays {
		all = append(all, d...)
	}
	slices.Sort(all)
	return all
}

// String tells it in one line.
func (o *offered) String() string {
	return fmt.Sprintf("%d streams whole, %d messages put off %v, words late by %s", len(o.delays), len(o.putOff), o.codes, spread(o.sorted()))
}

func spread(all []time.Duration) string {
	slices.Sort(all)
	return fmt.Sprintf("%.1f ms (median), %.1f ms (99 of 100)", ms(share(all, 50)), ms(share(all, 99)))
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// offer sends a message of each guest, ten at a time, and waits for all streams. With
// untilFull no more are sent once one was put off.
func offer(ctx context.Context, t *testing.T, guests []*harness.User, name string, every time.Duration, untilFull bool) *offered {
	t.Helper()
	o := &offered{delays: map[string][]time.Duration{}, codes: map[agent.Code]int{}}
	var full atomic.Bool
	var all sync.WaitGroup
	tick := time.NewTicker(max(every, time.Millisecond))
	defer tick.Stop()
	for i, u := range guests {
		if untilFull && full.Load() {
			break
		}
		all.Go(func() {
			l := &listener{user: u, id: name + "-" + u.Name}
			err := l.listen(ctx, clockWords, func() {})
			var later *putOff
			o.mu.Lock()
			defer o.mu.Unlock()
			switch {
			case errors.As(err, &later):
				full.Store(true)
				o.putOff = append(o.putOff, l)
				o.codes[later.code]++
				if later.code != agent.CodeOverloaded && later.code != agent.CodeStorageBusy || later.after < time.Second {
					t.Errorf("%s: %v", l.id, later)
				}
			case err != nil:
				t.Errorf("%s: %v", l.id, err)
			default:
				o.delays[l.id] = l.delays
			}
		})
		if i%10 == 9 {
			select {
			case <-tick.C:
			case <-ctx.Done():
			}
		}
	}
	all.Wait()
	return o
}

// again sends what was put off until it is taken, each as the server asks, and gives
// how long the last one waited.
func again(ctx context.Context, t *testing.T, list []*listener) time.Duration {
	t.Helper()
	begun := time.Now()
	var mu sync.Mutex
	var last time.Duration
	var all sync.WaitGroup
	for _, l := range list {
		all.Go(func() {
			for {
				err := l.listen(ctx, clockWords, func() {
					mu.Lock()
					defer mu.Unlock()
					last = max(last, time.Since(begun))
				})
				var later *putOff
				if !errors.As(err, &later) {
					if err != nil {
						t.Errorf("%s, sent again: %v", l.id, err)
					}
					return
				}
				timer := time.NewTimer(later.after)
				select {
				case <-timer.C:
				case <-ctx.Done():
					t.Errorf("%s was never taken", l.id)
					return
				}
			}
		})
	}
	all.Wait()
	return last
}
