package engine

import (
	"errors"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

func TestNewTurnsAreShedBeforeAdmittedOnesSuffer(t *testing.T) {
	e := &Engine{Config: Config{Limits: Limits{Turns: 100}}}
	for _, c := range []struct {
		late    time.Duration
		running int
		shed    bool
	}{
		{0, 99, false}, {0, 100, true}, {0, 101, true},
		{lateLimit, lightLoad, false}, // at the limit
		{lateLimit + 1, lightLoad - 1, false}, {lateLimit + 1, lightLoad, true},
		{calmLimit, lightLoad, true}, // not calm yet
		{calmLimit - 1, lightLoad, false},
	} {
		e.load.beat(c.late)
		err := e.shed(c.running)
		if (err != nil) != c.shed {
			t.Errorf("%v late with %d turns: %v", c.late, c.running, err)
		}
		var ours *agent.Error
		if c.shed && (!errors.As(err, &ours) || ours.Code != agent.CodeOverloaded || ours.RetryAfter == 0) {
			t.Errorf("shed with %v", err)
		}
	}
}
