package capability

import (
	"sync"

	agent "github.com/lossless-group/in-app-agent"
)

// The limits of a turn where Limits leaves them at 0.
const (
	DefaultCalls     = 64
	DefaultRetrieval = 5
)

// Limits bounds what one turn may call. A zero field means the default.
type Limits struct {
	Calls     int // calls of any kind
	Retrieval int // calls of capabilities marked Retrieval
}

// Counter counts the calls of one turn. It is safe for concurrent use. A call
// that has an id is counted once, so a call may be checked first and dispatched
// later.
type Counter struct {
	mu        sync.Mutex
	limits    Limits
	calls     int
	retrieval int
	seen      map[agent.CallID]bool
}

// NewCounter makes the counter of a turn. A turn that goes on after a restart or
// a decision hands in what it used before.
func NewCounter(limits Limits, usedCalls, usedRetrieval int) *Counter {
	if limits.Calls <= 0 {
		limits.Calls = DefaultCalls
	}
	if limits.Retrieval <= 0 {
		limits.Retrieval = DefaultRetrieval
	}
	return &Counter{limits: limits, calls: usedCalls, retrieval: usedRetrieval, seen: map[agent.CallID]bool{}}
}

// Used gives how many calls, and how many retrieval calls among them, were let
// through. What a cap refused is not among them.
func (c *Counter) Used() (calls, retrieval int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.calls, c.retrieval
}

// take lets a call through and counts it, or gives the refusal.
func (c *Counter) take(id agent.CallID, retrieval bool) *agent.ResultError {
	if c == nil {
		return refusal(agent.CodeRateLimited, "No calls are allowed here. Answer with what you have.")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if id != "" && c.seen[id] {
		return nil
	}
	if c.calls >= c.limits.Calls {
		return refusal(agent.CodeRateLimited,
			"This turn has used all of its %d calls. Do not call anything more; answer with what you have.", c.limits.Calls)
	}
	if retrieval && c.retrieval >= c.limits.Retrieval {
		return refusal(agent.CodeRateLimited,
			"This turn has used all of its %d searches. Do not search again; answer with what you have.", c.limits.Retrieval)
	}
	c.calls++
	if retrieval {
		c.retrieval++
	}
	if id != "" {
		c.seen[id] = true
	}
	return nil
}
