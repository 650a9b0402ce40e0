package httpapi

import (
	"context"
	"sync"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// streamCount counts the open streams of each user, so that one cannot take every
// connection of the server. Users without a stream take no memory.
type streamCount struct {
	mu   sync.Mutex
	open map[string]int
}

// begin counts a stream of the context's principal; the returned function ends it.
// Errors: rate_limited.
func (c *streamCount) begin(ctx context.Context, most int) (func(), error) {
	p, err := agent.PrincipalFrom(ctx)
	if err != nil {
		return nil, err
	}
	user := p.OrgID + "/" + p.UserID
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open[user] >= most {
		return nil, &agent.Error{Code: agent.CodeRateLimited, Message: "Too many streams of yours are open.",
			Hint: "Close tabs that you do not need.", RetryAfter: 10 * time.Second}
	}
	if c.open == nil {
		c.open = make(map[string]int)
	}
	c.open[user]++
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.open[user]--; c.open[user] == 0 {
			delete(c.open, user)
		}
	}, nil
}
