package account

import (
	"context"
	"encoding/json"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

// eventPage is how many events are read from the store at a time.
const eventPage = 1000

// events gives every stored event of a turn.
func (a *Account) events(ctx context.Context, id agent.TurnID) ([]agent.Event, error) {
	var all []agent.Event
	var after agent.Seq
	for {
		page, err := a.Events.EventsAfter(ctx, id, after, eventPage)
		if err != nil {
			return nil, err
		}
		all = append(all, page...)
		if len(page) < eventPage {
			return all, nil
		}
		after = page[len(page)-1].Seq
	}
}

// compact gives the events of a turn in fewer: neighbouring deltas of a block
// become one, and of an ended turn what only mattered while it ran (progress, who
// is working) is left out. Every seq stays covered, once and in order: an event
// that stands for several says so with From.
//
// Deltas cover nothing before their first or after their last: a step.restarted
// voids text by its seqs, and must find them as they were.
func compact(events []agent.Event, ended bool) []agent.Event {
	c := compactor{out: make([]agent.Event, 0, min(len(events), 64))}
	for _, e := range events {
		c.add(e, ended)
	}
	c.close()
	c.release()
	return c.out
}

type compactor struct {
	out   []agent.Event
	text  strings.Builder
	block int
	delta agent.Event // the deltas joined so far; Kind "" is none
	left  agent.Event // stands for what was left out since; Kind "" is none
}

func first(e agent.Event) agent.Seq {
	if e.From != 0 {
		return e.From
	}
	return e.Seq
}

// covering makes an event cover everything from a seq on.
func covering(e agent.Event, from agent.Seq) agent.Event {
	e.From = from
	if from == e.Seq {
		e.From = 0
	}
	return e
}

func (c *compactor) add(e agent.Event, ended bool) {
	switch e.Kind {
	case agent.EventCapabilityProgress, agent.EventCast:
		if ended {
			c.leave(e)
			return
		}
	case agent.EventTextDelta, agent.EventReasoningDelta:
		if c.join(e) {
			return
		}
	}
	c.close()
	if c.left.Kind != "" {
		e = covering(e, first(c.left))
		c.left = agent.Event{}
	}
	c.out = append(c.out, e)
}

// leave leaves an event out: it goes to deltas that it lies between, else to the
// milestone that follows.
func (c *compactor) leave(e agent.Event) {
	if c.left.Kind != "" {
		e = covering(e, first(c.left))
	}
	c.left = e
}

// release puts the last of what was left out back, where nothing can cover it.
func (c *compactor) release() {
	if c.left.Kind != "" {
		c.out = append(c.out, c.left)
		c.left = agent.Event{}
	}
}

// join takes a delta; false means that its data cannot be read and it stays as it is.
func (c *compactor) join(e agent.Event) bool {
	var d agent.TextDelta // a reasoning delta has the same form
	if json.Unmarshal(e.Data, &d) != nil {
		return false
	}
	if c.delta.Kind != e.Kind || c.block != d.Block || c.delta.Run != e.Run {
		c.close()
		c.release()
		c.block = d.Block
		c.delta = e
		c.delta.From = first(e)
	}
	c.left = agent.Event{}
	c.text.WriteString(d.Text)
	c.delta.Seq, c.delta.At = e.Seq, e.At
	return true
}

// close puts out the deltas that were joined.
func (c *compactor) close() {
	e := c.delta
	if e.Kind == "" {
		return
	}
	e.Data, _ = json.Marshal(agent.TextDelta{Block: c.block, Text: c.text.String()}) // cannot fail: a number and a string
	c.out = append(c.out, covering(e, e.From))
	c.delta = agent.Event{}
	c.text.Reset()
}
