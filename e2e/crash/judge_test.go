package crash

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/e2e/fakeprovider/fake"
	"github.com/lossless-group/in-app-agent/e2e/harness"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

func TestWhatARequestAsksForIsReadFromItsNewestMessage(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		want asked
		ok   bool
	}{
		"a first step":     {`{"tools":[{}],"messages":[{"role":"user","content":"say-1a-1"}]}`, asked{words: "say-1a-1"}, true},
		"a second message": {`{"tools":[{}],"messages":[{"role":"user","content":"say-1a-1"},{"role":"assistant","content":"x"},{"role":"user","content":"say-1a-2"}]}`, asked{words: "say-1a-2"}, true},
		"a step after results": {`{"tools":[{}],"messages":[{"role":"user","content":"say-1a-2"},{"role":"assistant","content":"x"},{"role":"user","content":[{"type":"tool_result"}]}]}`,
			asked{words: "say-1a-2", step: 1}, true},
		"a capability's question": {`{"messages":[{"role":"user","content":"make wish-1b-12 of say-1a-3"}]}`, asked{words: "wish-1b-12", once: true}, true},
		"nobody's":                {`{"tools":[{}],"messages":[{"role":"user","content":"hello"}]}`, asked{}, false},
		"no JSON":                 {`{"tools":`, asked{}, false},
	} {
		got, heard, ok := read(fake.Seen{At: time.UnixMilli(5), Body: json.RawMessage(c.body)})
		got.at = 0
		if ok && heard[len(heard)-1] != c.want.words {
			t.Errorf("%s: it was asked with %v", name, heard)
		}
		if ok != c.ok || ok && got != c.want {
			t.Errorf("%s: %+v %v, want %+v %v", name, got, ok, c.want, c.ok)
		}
	}
}

func TestListsAreTheSameOnlyWithoutMoreLessOrTwice(t *testing.T) {
	for have, faults := range map[string]int{"a b": 0, "b a": 0, "a": 1, "": 2, "a b c": 1, "a b b": 1, "c": 3} {
		said := runTrial(t, func(t *trial) { (&scene{t: t}).same("they", strings.Fields(have), []string{"a", "b"}) })
		if len(said) != faults {
			t.Errorf("%q against a, b says %q", have, said)
		}
	}
}

func TestEveryMessageOfAnActMayBeAskedAgainForEachLife(t *testing.T) {
	w := newWorld(harness.Deck{})
	w.may("say-1a-1", 1)
	rounds := []scripted.Round{{When: when("say-1a-1", 1)}, {When: when("say-1a-1", 2)}, wish{token: "wish-1a-2"}.draws(), {}}
	w.mayAgain(rounds, 2)
	if w.asked["say-1a-1"] != 3 || w.asked["wish-1a-2"] != 2 || len(w.asked) != 2 {
		t.Errorf("it may ask %v", w.asked)
	}
}

func TestAScreenForgetsWhatALaterRunToldAgainAndMissesNoMilestone(t *testing.T) {
	event := func(kind agent.EventKind, seq agent.Seq, run int64) agent.Event {
		return agent.Event{Kind: kind, Seq: seq, Run: run, Data: json.RawMessage(`{}`)}
	}
	begun, text := event(agent.EventTurnStarted, 1, 1), event(agent.EventTextDelta, 2, 1)
	for name, c := range map[string]struct {
		told   []agent.Event
		seqs   int
		faults int
	}{
		"nothing lost":     {[]agent.Event{begun, text}, 2, 0},
		"text told again":  {[]agent.Event{begun, text, event(agent.EventStepRestarted, 2, 2), event(agent.EventTextDelta, 3, 2)}, 3, 0},
		"a milestone lost": {[]agent.Event{begun, event(agent.EventPreview, 2, 1), event(agent.EventStepRestarted, 2, 2)}, 2, 1},
	} {
		var screen harness.Events
		said := runTrial(t, func(t *trial) {
			screen = (&reader{c: client{t: t}, stream: &harness.Stream{Events: c.told}}).seen()
		})
		if len(screen) != c.seqs || len(said) != c.faults {
			t.Errorf("%s: %d events, %q", name, len(screen), said)
		}
	}
}
