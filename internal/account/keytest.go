package account

import (
	"context"
	"log/slog"
	"sync"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// Limits of key tests: each is a real call that somebody pays for.
const (
	testTimeout   = 30 * time.Second
	testMaxTokens = 16
	testsAtOnce   = 1
	testsInWindow = 10
	testWindow    = time.Minute
)

// test makes one real call with a key and the real tool set, because a key or a
// model can be fine for text and refuse tools. A failure of the provider is an
// outcome and not an error. Errors: rate_limited.
func (a *Account) test(ctx context.Context, route agent.ModelRoute, key agent.Secret) (agent.KeyTest, error) {
	p, err := agent.PrincipalFrom(ctx)
	if err != nil {
		return agent.KeyTest{}, err
	}
	done, err := a.tests.begin(p.OrgID+"/"+p.UserID, a.Now())
	if err != nil {
		return agent.KeyTest{}, err
	}
	defer done()
	ctx, stop := context.WithTimeout(ctx, testTimeout)
	defer stop()
	begun := a.Now()
	err = ask(ctx, route, key, a.Tools())
	t := agent.KeyTest{OK: err == nil, Model: route.Name, LatencyMS: a.Now().Sub(begun).Milliseconds()}
	if err != nil {
		t.Code, t.Message = agent.ErrorCode(err), agent.ErrorMessage(err)
		a.Log.Info("key test failed", slog.String("provider", route.Provider), slog.String("code", string(t.Code)))
	}
	return t, nil
}

// ask makes the call and reads the answer to its end.
func ask(ctx context.Context, route agent.ModelRoute, key agent.Secret, tools []agent.ToolSchema) error {
	answered := false
	for d, err := range route.Model.Stream(ctx, agent.ModelRequest{
		Model: route.Name, Key: key, Purpose: "key_test", Tools: tools, MaxTokens: testMaxTokens,
		System:   []agent.Slab{{Text: "This is a test of the connection. Answer with one word and call nothing."}},
		Messages: []agent.ModelMessage{{Role: agent.RoleUser, Blocks: []agent.Block{{Kind: agent.BlockText, Text: "Say OK."}}}},
	}) {
		if err != nil {
			return err
		}
		answered = answered || d.Kind == agent.DeltaDone
	}
	if !answered {
		return agent.Errorf(agent.CodeProviderError, "The provider's answer broke off.")
	}
	return nil
}

// testLimit bounds the tests of one caller, at once and in a minute: otherwise this
// would be a place to try stolen keys. Callers that are quiet take no memory.
type testLimit struct {
	mu      sync.Mutex
	callers map[string]*tested
}

type tested struct {
	running int
	starts  []time.Time
}

func newTestLimit() *testLimit { return &testLimit{callers: make(map[string]*tested)} }

// begin takes a place; the returned function gives it back.
func (l *testLimit) begin(caller string, now time.Time) (func(), error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for name, c := range l.callers {
		c.forget(now)
		if c.running == 0 && len(c.starts) == 0 {
			delete(l.callers, name)
		}
	}
	c := l.callers[caller]
	if c == nil {
		c = &tested{}
		l.callers[caller] = c
	}
	if c.running >= testsAtOnce {
		return nil, tooMany("Another test of yours is running.", time.Second)
	}
	if len(c.starts) >= testsInWindow {
		return nil, tooMany("That were many tests in a minute.", c.starts[0].Add(testWindow).Sub(now))
	}
	c.running++
	c.starts = append(c.starts, now)
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		c.running--
	}, nil
}

func (c *tested) forget(now time.Time) {
	for len(c.starts) > 0 && now.Sub(c.starts[0]) >= testWindow {
		c.starts = c.starts[1:]
	}
}

func tooMany(message string, wait time.Duration) error {
	return &agent.Error{Code: agent.CodeRateLimited, Message: message, Hint: "Wait a moment and try again.", RetryAfter: wait}
}
