package engine

import agent "github.com/lossless-group/in-app-agent"

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

// Live counts the turns that are held in memory.
func (e *Engine) Live() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.live)
}
