package engine

import (
	"context"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// join counts a call that may start a run as work which Close waits for; once Close
// has begun it is refused. Without it a message that is just being accepted could
// start its turn, or write to the store, behind the back of a finished Close.
func (e *Engine) join() (leave func(), err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ctx.Err() != nil {
		return nil, closing()
	}
	e.work.Add(1)
	return e.work.Done, nil
}

func closing() error {
	return &agent.Error{Code: agent.CodeUnavailable, Message: "The server is shutting down.", Hint: "Try again in a moment.", RetryAfter: time.Second}
}

// Close stops accepting, releases what runs at its last finished step and writes
// what was told. A released turn is taken up by the next start.
func (e *Engine) Close(ctx context.Context) {
	e.mu.Lock() // after this no call joins any more
	e.cancel(errShutdown)
	e.mu.Unlock()
	done := make(chan struct{})
	go func() {
		e.work.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
	e.mu.Lock()
	select {
	case <-e.stop:
	default:
		close(e.stop)
	}
	e.mu.Unlock()
	e.loops.Wait()
}
