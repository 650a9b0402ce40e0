package crowd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
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

// How long a word of an admitted stream may take, for 99 of 100 of them. A round in which
// the machine does other things says nothing of the server, so there are some more; but
// a server that sheds too late is over it in every one.
const (
	slowestWord = 100 * time.Millisecond
	mostRounds  = 3
)

// TestACrowdTwiceTheCapacityIsPutOffAndTheAdmittedKeepTheirPace offers a server of one
// core more than it takes, sees how many streams it has at once, and offers twice that.
func TestACrowdTwiceTheCapacityIsPutOffAndTheAdmittedKeepTheirPace(t *testing.T) {
	if os.Getenv("CROWD_OVERLOAD") == "" {
		t.Skip("an overload takes a minute; make overload and make test run it")
	}
	clock := &clockwork{chunks: clockWords, every: clockEvery}
	s := harness.Start(t, harness.Options{Programs: programs, Provider: clock.serve(t), Deaf: true,
		Env: []string{"GOMAXPROCS=1", "ANTHROPIC_API_KEY=sk-ant-api03-crowd-crowd-crowd-crowd-crowd"}})
	guests := s.Guests(mostGuests)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()

	full := offer(ctx, t, guests, "full", 5*time.Millisecond)
	if full.peak == 0 || len(full.putOff) == 0 {
		t.Fatalf("%d streams at once are not yet too many: %s", len(guests), full)
	}
	t.Logf("capacity: %s; the clock itself was late by %s", full, spread(clock.lateness()))
	taken := len(full.delays) + settled(ctx, t, full.putOff)

	kept := false
	for round := 1; round <= mostRounds && !kept; round++ {
		count := min(2*full.peak, len(guests))
		twice := offer(ctx, t, guests[:count], fmt.Sprintf("twice-%d", round), 2*time.Second/time.Duration(count))
		t.Logf("twice that: %s; the clock itself was late by %s", twice, spread(clock.lateness()))
		if len(twice.putOff) == 0 {
			t.Errorf("twice the capacity was taken whole")
		}
		kept = share(twice.sorted(), 99) <= slowestWord
		taken += len(twice.delays) + settled(ctx, t, twice.putOff)
	}
	if !kept {
		t.Errorf("in each of %d rounds one word in a hundred of the admitted streams took longer than %s", mostRounds, slowestWord)
	}
	turns := harness.Count(t, s, `SELECT count(*) FROM turns WHERE state = 'completed'`)
	if turns != taken || int(clock.asked.Load()) != taken {
		t.Errorf("%d messages were taken: %d turns completed, and the provider was asked %d times", taken, turns, clock.asked.Load())
	}
}

// settled sends again what was put off until all of it is taken, and gives how many.
func settled(ctx context.Context, t *testing.T, putOff []*listener) int {
	t.Helper()
	late := again(ctx, t, putOff)
	t.Logf("sent again: %d messages were taken, the last after %s", len(putOff), late.Round(100*time.Millisecond))
	return len(putOff)
}

// offered is what became of many messages.
type offered struct {
	mu     sync.Mutex
	delays map[string][]time.Duration // of the admitted, by message
	putOff []*listener
	codes  map[agent.Code]int // of those

	streams, peak int // at once, now and at most
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
	return fmt.Sprintf("%d streams whole, %d at once, %d messages put off %v, words late by %s",
		len(o.delays), o.peak, len(o.putOff), o.codes, spread(o.sorted()))
}

func spread(all []time.Duration) string {
	slices.Sort(all)
	return fmt.Sprintf("%.1f ms (median), %.1f ms (99 of 100)", ms(share(all, 50)), ms(share(all, 99)))
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// heard counts a stream that began.
func (o *offered) heard() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.streams++
	o.peak = max(o.peak, o.streams)
}

// offer sends a message of each guest, ten at a time, and waits for all streams.
func offer(ctx context.Context, t *testing.T, guests []*harness.User, name string, every time.Duration) *offered {
	t.Helper()
	o := &offered{delays: map[string][]time.Duration{}, codes: map[agent.Code]int{}}
	var all sync.WaitGroup
	tick := time.NewTicker(10 * every)
	defer tick.Stop()
	for i, u := range guests {
		all.Go(func() {
			l := &listener{user: u, id: name + "-" + u.Name}
			err := l.listen(ctx, clockWords, o.heard)
			var later *putOff
			o.mu.Lock()
			defer o.mu.Unlock()
			switch {
			case errors.As(err, &later):
				o.putOff = append(o.putOff, l)
				o.codes[later.code]++
				if later.code != agent.CodeOverloaded && later.code != agent.CodeStorageBusy || later.after < time.Second {
					t.Errorf("%s: %v", l.id, later)
				}
			case err != nil:
				t.Errorf("%s: %v", l.id, err)
			default:
				o.streams--
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
