package engine_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/prompt"
)

// golden holds a conversation of n turns of which every third looks something up,
// with requests made by compose, and gives what the cache doctor says of it.
func golden(t *testing.T, n int, compose func(prompt.Input) agent.ModelRequest) agent.CacheReport {
	t.Helper()
	w := newWorld(t)
	w.engine.Compose(compose)
	var thread agent.ThreadID
	for i := range n {
		if i%3 == 0 {
			w.model.play(calls("note.read", `{"id":"a"}`))
		}
		w.model.play(says("Answer ", fmt.Sprint(i), "."))
		turn := w.say(thread, fmt.Sprintf("Message %d", i))
		thread = turn.ThreadID
		if end := w.end(turn.ID); end[len(end)-1].Kind != agent.EventTurnCompleted {
			t.Fatalf("turn %d: %v", i, kinds(end))
		}
	}
	steps, turns, err := w.store.StepTraces(me(), thread, "", n)
	must(t, err)
	return prompt.Report(thread, steps, turns, n)
}

// found gives the causes with their segments, each once, in order.
func found(r agent.CacheReport) string {
	var out []string
	for _, s := range r.Steps {
		for _, f := range s.Findings {
			if word := string(f.Cause) + "@" + string(f.Segment); !slices.Contains(out, word) {
				out = append(out, word)
			}
		}
	}
	return strings.Join(out, " ")
}

func TestAGoldenRunHasOneHashForEachSlab(t *testing.T) {
	report := golden(t, 20, prompt.Compose)
	hashes := map[agent.SegmentName]map[string]bool{}
	for _, s := range report.Steps {
		for _, seg := range s.Segments {
			if hashes[seg.Name] == nil {
				hashes[seg.Name] = map[string]bool{}
			}
			hashes[seg.Name][seg.Hash] = true
		}
	}
	if len(report.Steps) != 27 || found(report) != "first_call@" {
		t.Errorf("%d model calls, the doctor found %q", len(report.Steps), found(report))
	}
	for _, slab := range []agent.SegmentName{agent.SegmentTools, agent.SegmentSpine, agent.SegmentReminders} {
		if len(hashes[slab]) != 1 {
			t.Errorf("%s has %d hashes", slab, len(hashes[slab]))
		}
	}
	if n := len(hashes[agent.SegmentHistory]); n != 27 {
		t.Errorf("the history of 27 calls has %d hashes", n)
	}
}

func TestTheDoctorNamesEachPlantedFault(t *testing.T) {
	n := 0
	for name, c := range map[string]struct {
		want    string
		compose func(prompt.Input) agent.ModelRequest
	}{
		"a clock in the spine": {"first_call@ spine_changed@spine", func(in prompt.Input) agent.ModelRequest {
			n++
			in.App = fmt.Sprintf("%s at 12:%02d", in.App, n%60)
			return prompt.Compose(in)
		}},
		"map-ordered tools": {"first_call@ tools_reordered@tools", func(in prompt.Input) agent.ModelRequest {
			in.Tools = slices.Clone(in.Tools)
			rand.Shuffle(len(in.Tools), func(i, j int) { in.Tools[i], in.Tools[j] = in.Tools[j], in.Tools[i] })
			return prompt.Compose(in)
		}},
		"an edited early message": {"first_call@ history_changed@history", func(in prompt.Input) agent.ModelRequest {
			if len(in.Path) > 10 {
				in.Path = slices.Clone(in.Path)
				in.Path[0].Turn.Message.Text = "edited"
			}
			return prompt.Compose(in)
		}},
		"a number in the reminders": {"first_call@ reminders_changed@reminders", func(in prompt.Input) agent.ModelRequest {
			in.Reminders = []prompt.Reminder{{Name: "gotchas", Text: fmt.Sprint(len(in.Path))}}
			return prompt.Compose(in)
		}},
	} {
		if got := found(golden(t, 20, c.compose)); got != c.want {
			t.Errorf("%s: the doctor found %q, want %q", name, got, c.want)
		}
	}
}
