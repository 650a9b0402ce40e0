package crash

import (
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/e2e/harness"
)

// client is a careful client: what was not answered it sends again, word for word,
// until it is.
type client struct {
	t      *trial
	life   *life
	user   *harness.User
	resent *atomic.Int64
}

// ask sends a request until it is answered, and ends the trial on any other status
// than those given. again tells that it was sent more than once.
func (c client) ask(what string, body any, statuses ...int) (a *harness.Answer, again bool) {
	changes := []harness.Change{harness.Set("Accept", "application/json")}
	for ; ; again = true {
		gen := c.life.writer()
		a, err := c.user.Send(c.t.ctx, what, body, changes...)
		if err != nil {
			c.life.died(gen, err)
			c.resent.Add(1)
			continue
		}
		if !slices.Contains(statuses, a.Status) {
			c.t.Fatalf("%s answered %s, want %v; sent again: %v", what, a, statuses, again)
		}
		return a, again
	}
}

// say sends a message until it is accepted and gives its turn.
func (c client) say(message harness.Chat) agent.Turn {
	var answer struct{ Turn agent.Turn }
	a, _ := c.ask("POST /chat", message, http.StatusAccepted)
	a.Into(c.t, &answer)
	if answer.Turn.MessageID != message.MessageID {
		c.t.Errorf("the message %s became the turn of %s", message.MessageID, answer.Turn.MessageID)
	}
	return answer.Turn
}

// decide sends decisions until they are answered and gives the outcomes.
func (c client) decide(d agent.DecisionRequest) []agent.Outcome {
	var o harness.Outcomes
	a, _ := c.ask("POST /confirm", d, http.StatusOK)
	a.Into(c.t, &o)
	if len(o.Results) != len(d.Decisions) {
		c.t.Fatalf("%d decisions have %d outcomes: %s", len(d.Decisions), len(o.Results), a)
	}
	return o.Results
}

// stop cancels a turn, and tells whether that had to be sent again.
func (c client) stop(turn agent.TurnID) (again bool) {
	_, again = c.ask("POST /turns/"+string(turn)+"/cancel", nil, http.StatusAccepted)
	return again
}

// undo takes a change back and gives the turn that does it. An undo that was not
// answered and is sent again may find itself in the way: then its turn is looked up.
func (c client) undo(call agent.CallID, thread agent.ThreadID) agent.TurnID {
	var answer struct{ Turn agent.Turn }
	a, again := c.ask("POST /calls/"+string(call)+"/undo", nil, http.StatusAccepted, http.StatusConflict)
	if a.Status == http.StatusAccepted {
		a.Into(c.t, &answer)
		return answer.Turn.ID
	}
	if !again {
		c.t.Fatalf("a first undo answers %s", a)
	}
	return c.head(thread)
}

// head gives the newest turn of a thread.
func (c client) head(thread agent.ThreadID) agent.TurnID {
	var view agent.ThreadView
	a, _ := c.ask("GET /threads/"+string(thread), nil, http.StatusOK)
	a.Into(c.t, &view)
	return view.Thread.Head
}

// turn tells where a turn stands.
func (c client) turn(id agent.TurnID) (t agent.Turn) {
	a, _ := c.ask("GET /turns/"+string(id), nil, http.StatusOK)
	a.Into(c.t, &t)
	return t
}

// settled waits until a turn has ended or waits for its user.
func (c client) settled(id agent.TurnID) agent.Turn {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	late := time.NewTimer(patience)
	defer late.Stop()
	for {
		now := c.turn(id)
		if now.State != agent.TurnRunning {
			return now
		}
		select {
		case <-tick.C:
		case <-late.C:
			c.t.Fatalf("after %s the turn %s still runs", patience, id)
		}
	}
}
