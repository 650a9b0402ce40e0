package engine

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// The writer's beat shows how long a goroutine that is due waits for a core: what
// every stream waits, too; a write that takes longer than a beat shows that the store
// does not keep up. Past lateLimit new turns are shed, so that those which
// were admitted keep their pace; they are admitted again once it is calm.
const (
	lateLimit = 80 * time.Millisecond
	calmLimit = 20 * time.Millisecond
	// lightLoad is how many turns are never too many: a machine that is slow with
	// fewer is slow for another reason.
	lightLoad = 16
)

type load struct {
	late   atomic.Bool
	starts chan struct{} // a place for each message that is looked at
}

// beat notes how late the writer's timer came.
func (l *load) beat(late time.Duration) {
	switch {
	case late > lateLimit:
		l.late.Store(true)
	case late < calmLimit:
		l.late.Store(false)
	}
}

// enter gives a message a place to be looked at: opening a project may cost the host a
// process of its own, and a thousand messages at once would starve the turns that were
// admitted before one of them is refused. leave gives the place back, once however often
// it is called.
func (e *Engine) enter(ctx context.Context) (leave func(), err error) {
	e.mu.Lock()
	running := len(e.live)
	e.mu.Unlock()
	if err := e.shed(running); err != nil {
		return nil, err
	}
	leave = sync.OnceFunc(func() { <-e.load.starts })
	select {
	case e.load.starts <- struct{}{}:
		return leave, nil
	default:
	}
	wait := time.NewTimer(e.Limits.StartWait)
	defer wait.Stop()
	select {
	case e.load.starts <- struct{}{}:
		return leave, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-wait.C:
		return nil, e.busyWith(running)
	}
}

// shed refuses a new turn where the process has as many as it can serve well.
func (e *Engine) shed(running int) error {
	if running < e.Limits.Turns && (running < lightLoad || !e.load.late.Load()) {
		return nil
	}
	return e.busyWith(running)
}

func (e *Engine) busyWith(running int) error {
	return &agent.Error{Code: agent.CodeOverloaded, RetryAfter: 2 * time.Second, Retryable: true,
		Message: fmt.Sprintf("The server is busy with %d turns.", running), Hint: "Send the message again in a moment; nothing was lost."}
}
