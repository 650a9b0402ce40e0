package account

import (
	"encoding/json"
	"slices"

	agent "github.com/lossless-group/in-app-agent"
)

// told gives the events of a turn as they count in the end: what a restarted step
// voided is gone, and each block of a completed turn stands once, with its final
// text, where it began.
func told(events []agent.Event) []agent.Event {
	var out []agent.Event
	for _, e := range events {
		var d agent.StepRestarted
		if e.Kind == agent.EventStepRestarted && e.Decode(&d) == nil {
			out = slices.DeleteFunc(out, func(o agent.Event) bool { return o.Kind.Live() && first(o) >= d.From })
			continue
		}
		out = append(out, e)
	}
	var done agent.TurnCompleted
	if n := len(out); n == 0 || out[n-1].Kind != agent.EventTurnCompleted || out[n-1].Decode(&done) != nil {
		return out
	}
	return finalBlocks(out, done.Blocks)
}

// finalBlocks replaces the deltas of each block by its text. A block whose deltas
// were all lost in a crash comes before the terminal event.
func finalBlocks(events []agent.Event, blocks []agent.TextBlock) []agent.Event {
	final := make(map[int]string, len(blocks))
	for _, b := range blocks {
		final[b.Block] = b.Text
	}
	shown := make(map[int]bool, len(blocks))
	out := make([]agent.Event, 0, len(events))
	for _, e := range events[:len(events)-1] {
		var d agent.TextDelta
		if e.Kind != agent.EventTextDelta || e.Decode(&d) != nil {
			out = append(out, e)
			continue
		}
		text, ok := final[d.Block]
		if !ok {
			out = append(out, e)
		} else if !shown[d.Block] {
			out = append(out, textEvent(e, d.Block, text))
		}
		shown[d.Block] = true
	}
	last := events[len(events)-1]
	for _, b := range blocks {
		if !shown[b.Block] {
			out = append(out, textEvent(last, b.Block, b.Text))
		}
	}
	return append(out, last)
}

func textEvent(like agent.Event, block int, text string) agent.Event {
	like.Kind = agent.EventTextDelta
	like.Data, _ = json.Marshal(agent.TextDelta{Block: block, Text: text}) // cannot fail: a number and a string
	return like
}
