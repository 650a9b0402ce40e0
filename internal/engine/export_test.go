package engine

import (
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/prompt"
)

// The tests do not wait for a store as long as a server does.
func init() { storeWaitMin, storeWaitMax = time.Millisecond, 20*time.Millisecond }

// Idle gives a channel that is closed when this engine does not run the turn, for
// tests that wait for a turn to be parked.
func (e *Engine) Idle(id agent.TurnID) <-chan struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	if l := e.live[id]; l != nil {
		return l.done
	}
	done := make(chan struct{})
	close(done)
	return done
}

// Compose replaces what makes requests, so that a test can plant faults in them.
func (e *Engine) Compose(f func(prompt.Input) agent.ModelRequest) { e.compose = f }

// Live counts the turns that are held in memory.
func (e *Engine) Live() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.live)
}

// Closing gives a channel that is closed once Close has begun.
func (e *Engine) Closing() <-chan struct{} { return e.ctx.Done() }
