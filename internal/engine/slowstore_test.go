package engine_test

import (
	"context"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/engine"
)

// stuck is a store whose writes of told text wait for a word.
type stuck struct {
	engine.Store
	begun, release chan struct{}
}

func (s *stuck) AppendLive(ctx context.Context, batches []agent.LiveBatch) ([]agent.TurnID, error) {
	select {
	case s.begun <- struct{}{}:
	default:
	}
	<-s.release
	return s.Store.AppendLive(ctx, batches)
}

func TestAStoreThatDoesNotKeepUpPutsNewTurnsOff(t *testing.T) {
	store := &stuck{begun: make(chan struct{}, 1), release: make(chan struct{})}
	finish := make(chan struct{})
	w := newWorld(t, func(w *world) {
		w.limits = engine.Limits{TurnsPerUser: 1000}
		w.wrap = func(s engine.Store) engine.Store {
			store.Store = s
			return store
		}
		w.model.raw = streams(func(ctx context.Context, _ agent.ModelRequest, yield func(agent.Delta, error) bool) {
			if yield(agent.Delta{Kind: agent.DeltaOpened}, nil) && yield(agent.Delta{Kind: agent.DeltaText, Text: "Word"}, nil) {
				select {
				case <-finish:
				case <-ctx.Done():
				}
				yield(agent.Delta{Kind: agent.DeltaDone, Answer: &agent.Answer{Stop: agent.StopEnd, Blocks: []agent.Block{{Kind: agent.BlockText, Text: "Word"}}}}, nil)
			}
		})
	})
	start := func() error {
		_, err := w.engine.StartTurn(me(), agent.TurnRequest{ProjectID: "book", Message: agent.Message{Text: "Hi"}})
		return err
	}
	const light = 16 // as many are taken whatever the store does
	for range light {
		must(t, start())
	}
	<-store.begun
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for begun := time.Now(); agent.ErrorCode(start()) != agent.CodeOverloaded; <-tick.C {
		if time.Since(begun) > 10*time.Second {
			t.Fatal("new turns are taken though nothing can be written")
		}
	}
	close(store.release)
	for begun := time.Now(); start() != nil; <-tick.C {
		if time.Since(begun) > 10*time.Second {
			t.Fatal("no turn is taken though the store is well again")
		}
	}
	close(finish)
}
