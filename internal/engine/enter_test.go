package engine_test

import (
	"context"
	"errors"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/engine"
)

func TestMessagesAreLookedAtSoManyAtOnceAndTheRestIsToldToComeLater(t *testing.T) {
	opened, release := make(chan struct{}, 8), make(chan struct{})
	w := newWorld(t, func(w *world) {
		w.limits = engine.Limits{Starts: 2, StartWait: 20 * time.Millisecond}
		w.host.opening = func() {
			opened <- struct{}{}
			<-release
		}
	})
	start := func(ctx context.Context) error {
		_, err := w.engine.StartTurn(ctx, agent.TurnRequest{ProjectID: "book", Message: agent.Message{Text: "Hi"}})
		return err
	}
	slow := make(chan error, 2)
	for range 2 {
		go func() { slow <- start(me()) }()
		<-opened
	}
	var ours *agent.Error
	if err := start(me()); !errors.As(err, &ours) || ours.Code != agent.CodeOverloaded || ours.RetryAfter < time.Second || !ours.Retryable {
		t.Errorf("a third message is answered %v", err)
	}
	gone, cancel := context.WithCancel(me())
	cancel()
	if err := start(gone); !errors.Is(err, context.Canceled) && agent.ErrorCode(err) != agent.CodeOverloaded {
		t.Errorf("a message of somebody who is gone is answered %v", err)
	}
	if len(opened) != 0 {
		t.Errorf("%d projects were opened for messages that were put off", len(opened))
	}
	close(release)
	for range 2 {
		if err := <-slow; err != nil {
			t.Errorf("a message that was looked at: %v", err)
		}
	}
	if err := start(me()); err != nil {
		t.Errorf("after they were taken: %v", err)
	}
}
