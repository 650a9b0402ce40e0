package engine

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

const (
	// lightLoad is how many turns are never too many: a machine that is slow with
	// fewer is slow for another reason.
	lightLoad = 16
	// slowWrite is how long a write of told text takes where the store does not keep
	// up: it begins once a beat of the writer.
	slowWrite = writeEvery + 80*time.Millisecond
)

// load is how busy the process is. Where it is late new turns are shed, so that those
// which were admitted keep their pace; they are admitted again once it is calm.
type load struct {
	pace    pace
	crowded atomic.Bool   // words go out late
	behind  atomic.Bool   // the store does not keep up
	begun   chan struct{} // a turn runs: it is time to look at the pace
	starts  chan struct{} // a place for each message that is looked at
}

func newLoad(starts int) *load {
	return &load{begun: make(chan struct{}, 1), starts: make(chan struct{}, starts)}
}

func (l *load) late() bool { return l.crowded.Load() || l.behind.Load() }

// enter gives a message a place to be looked at: opening a project may cost the host a
// process of its own, and a thousand messages at once would starve the turns that were
// admitted before one of them is refused. leave gives the place back, once however often
// it is called.
func (e *Engine) enter(ctx context.Context) (leave func(), err error) {
	running := e.running()
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

// running gives how many turns run here.
func (e *Engine) running() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.live)
}

// shed refuses a new turn where the process has as many as it can serve well.
func (e *Engine) shed(running int) error {
	if running < e.Limits.Turns && (running < lightLoad || !e.load.late()) {
		return nil
	}
	return e.busyWith(running)
}

func (e *Engine) busyWith(running int) error {
	return &agent.Error{Code: agent.CodeOverloaded, RetryAfter: 2 * time.Second, Retryable: true,
		Message: fmt.Sprintf("The server is busy with %d turns.", running), Hint: "Send the message again in a moment; nothing was lost."}
}
