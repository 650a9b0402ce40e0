package outbound

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestSilenceEndsTheCallAtItsLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		w := NewWatch(t.Context(), time.Minute, time.Hour)
		defer w.Stop()
		time.AfterFunc(50*time.Second, w.Progress)
		<-w.Context().Done()
		if took := time.Since(start); took != 110*time.Second {
			t.Errorf("it ended after %s, want 1m50s", took)
		}
		if !w.Expired() || w.Canceled() != nil {
			t.Errorf("expired is %v, canceled %v", w.Expired(), w.Canceled())
		}
	})
}

func TestTheTotalLimitHoldsWhateverArrives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		w := NewWatch(t.Context(), time.Minute, 10*time.Minute)
		defer w.Stop()
		tick := time.NewTicker(30 * time.Second)
		defer tick.Stop()
		for w.Context().Err() == nil {
			select {
			case <-tick.C:
				w.Progress()
			case <-w.Context().Done():
			}
		}
		if took := time.Since(start); took != 10*time.Minute || !w.Expired() {
			t.Errorf("it ended after %s, want 10m", took)
		}
	})
}

func TestTimeThatTheConsumerTakesIsNoSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		w := NewWatch(t.Context(), time.Minute, time.Hour)
		defer w.Stop()
		w.Pause()
		time.AfterFunc(5*time.Minute, w.Progress)
		<-w.Context().Done()
		if took := time.Since(start); took != 6*time.Minute {
			t.Errorf("it ended after %s, want 6m", took)
		}
	})
}

func TestTheCallersEndIsNotALimit(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	w := NewWatch(ctx, time.Minute, time.Hour)
	defer w.Stop()
	cancel()
	<-w.Context().Done()
	if w.Expired() || !errors.Is(w.Canceled(), context.Canceled) {
		t.Errorf("expired is %v, canceled %v", w.Expired(), w.Canceled())
	}
}

func TestNoLimitIsNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := NewWatch(t.Context(), -1, 0)
		w.Pause()
		w.Progress()
		<-time.After(1000 * time.Hour)
		if err := w.Context().Err(); err != nil {
			t.Errorf("it ended: %v", err)
		}
		w.Stop()
		if w.Context().Err() == nil || w.Expired() {
			t.Errorf("after Stop: %v, expired %v", w.Context().Err(), w.Expired())
		}
	})
}

// stuck is a body that gives nothing until its context is over.
type stuck struct{ ctx context.Context }

func (s stuck) Read([]byte) (int, error) {
	<-s.ctx.Done()
	return 0, s.ctx.Err()
}

func TestDrainingWaitsForNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := NewWatch(t.Context(), time.Minute, time.Hour)
		defer w.Stop()
		rest := strings.NewReader(strings.Repeat("x", 5<<10))
		w.Drain(rest)
		if rest.Len() != 1<<10 || w.Context().Err() != nil {
			t.Errorf("%d bytes are left, context %v", rest.Len(), w.Context().Err())
		}
		start := time.Now()
		w.Drain(io.Reader(stuck{w.Context()}))
		if took := time.Since(start); took != 50*time.Millisecond {
			t.Errorf("it waited %s, want 50ms", took)
		}
	})
}
