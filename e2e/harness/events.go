package harness

import (
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

// Events are what a reader was told, in order.
type Events []agent.Event

// First gives the first seq that an event stands for.
func First(ev agent.Event) agent.Seq {
	if ev.From != 0 {
		return ev.From
	}
	return ev.Seq
}

// Decode reads an event's data.
func Decode[T any](tb testing.TB, ev agent.Event) (v T) {
	tb.Helper()
	if err := ev.Decode(&v); err != nil {
		tb.Fatal(err)
	}
	return v
}

// Of gives the data of every event of a kind.
func Of[T agent.Payload](tb testing.TB, events Events) (all []T) {
	tb.Helper()
	var zero T
	for _, ev := range events {
		if ev.Kind == zero.EventKind() {
			all = append(all, Decode[T](tb, ev))
		}
	}
	return all
}

// Kinds lists the kinds in order, runs of one kind told once.
func (e Events) Kinds() string {
	var kinds []string
	for _, ev := range e {
		if n := len(kinds); n == 0 || kinds[n-1] != string(ev.Kind) {
			kinds = append(kinds, string(ev.Kind))
		}
	}
	return strings.Join(kinds, " ")
}

// Spoken puts the deltas together as a client does: what a restart voided is gone.
func (e Events) Spoken(tb testing.TB) string {
	tb.Helper()
	type said struct {
		seq  agent.Seq
		text string
	}
	var parts []said
	for _, ev := range e {
		switch ev.Kind {
		case agent.EventTextDelta:
			parts = append(parts, said{ev.Seq, Decode[agent.TextDelta](tb, ev).Text})
		case agent.EventStepRestarted:
			from := Decode[agent.StepRestarted](tb, ev).From
			for len(parts) > 0 && parts[len(parts)-1].seq >= from {
				parts = parts[:len(parts)-1]
			}
		}
	}
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.text)
	}
	return b.String()
}
