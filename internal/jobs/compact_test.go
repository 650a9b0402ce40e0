package jobs_test

import (
	"context"
	"testing"
	"time"

	"github.com/lossless-group/in-app-agent/internal/jobs"
)

func TestEventsAreCompactedSevenDaysAfterTheEndOfTheirTurn(t *testing.T) {
	w := newWorld(t)
	turn := w.turn(ann, "", "one", "two", "")
	ended, err := w.store.Turn(ann, turn.ID)
	must(t, err)
	end := time.UnixMilli(ended.EndedAt)
	for _, c := range []struct {
		at   time.Duration
		want string
	}{
		{7*24*time.Hour - time.Millisecond, "0 turns compacted: 0 rows became 0."},
		{7 * 24 * time.Hour, "1 turn compacted: 2 rows became 2."},
		{8 * 24 * time.Hour, "0 turns compacted: 0 rows became 0."},
	} {
		w.clock.set(end.Add(c.at))
		if said, err := (jobs.Compact{Events: w.store, Now: w.clock.Now}).Run(t.Context()); err != nil || said != c.want {
			t.Errorf("after %s: %q, %v", c.at, said, err)
		}
	}
}

func TestCompactionEndsWithItsContext(t *testing.T) {
	w := newWorld(t)
	for range 3 {
		w.turn(ann, "", "one", "two", "")
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	w.clock.set(noon.AddDate(0, 1, 0))
	if said, err := (jobs.Compact{Events: w.store, Now: w.clock.Now}).Run(ctx); err == nil || said != "0 turns compacted: 0 rows became 0." {
		t.Errorf("%q, %v", said, err)
	}
}
