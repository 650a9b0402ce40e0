package account

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

// sketch draws events in short: kind, what they cover, and the text of deltas.
func sketch(events []agent.Event) string {
	var b strings.Builder
	for _, e := range events {
		short := map[agent.EventKind]string{agent.EventTextDelta: "text", agent.EventReasoningDelta: "think", agent.EventCapabilityDone: "done",
			agent.EventCapabilityProgress: "progress", agent.EventCast: "cast", agent.EventTurnCompleted: "end", agent.EventTurnStarted: "start"}[e.Kind]
		cover := fmt.Sprint(e.Seq)
		if e.From != 0 {
			cover = fmt.Sprintf("%d-%d", e.From, e.Seq)
		}
		b.WriteString(" " + short + cover)
		var d agent.TextDelta
		if strings.HasSuffix(string(e.Kind), "delta") && json.Unmarshal(e.Data, &d) == nil {
			fmt.Fprintf(&b, "[%d:%s]", d.Block, d.Text)
		}
	}
	return strings.TrimSpace(b.String())
}

func text(seq agent.Seq, block int, s string) agent.Event {
	return event(seq, agent.EventTextDelta, agent.TextDelta{Block: block, Text: s})
}

func TestTheDeltasOfABlockBecomeOne(t *testing.T) {
	start, done, end := event(1, agent.EventTurnStarted, 0), event(4, agent.EventCapabilityDone, 0), event(9, agent.EventTurnCompleted, 0)
	progress := func(seq agent.Seq) agent.Event { return event(seq, agent.EventCapabilityProgress, 0) }
	cast := func(seq agent.Seq) agent.Event { return event(seq, agent.EventCast, 0) }
	stored := text(6, 1, "de")
	stored.From = 5
	other := text(3, 0, "c")
	other.Run = 2
	broken := text(3, 0, "")
	broken.Data = json.RawMessage(`7`)
	think := event(3, agent.EventReasoningDelta, agent.TextDelta{Text: "hm"})
	cases := []struct {
		name   string
		ended  bool
		events []agent.Event
		want   string
	}{
		{"nothing", true, nil, ""},
		{"two deltas", true, []agent.Event{start, text(2, 0, "a"), text(3, 0, "b"), done}, "start1 text2-3[0:ab] done4"},
		{"one delta stays as it is", true, []agent.Event{start, text(2, 0, "a"), event(3, agent.EventCapabilityDone, 0)}, "start1 text2[0:a] done3"},
		{"two blocks", true, []agent.Event{text(1, 0, "a"), text(2, 1, "b"), text(3, 1, "c")}, "text1[0:a] text2-3[1:bc]"},
		{"text and reasoning", true, []agent.Event{text(1, 0, "a"), text(2, 0, "b"), think}, "text1-2[0:ab] think3[0:hm]"},
		{"compacted before", true, []agent.Event{done, stored, text(7, 1, "f")}, "done4 text5-7[1:def]"},
		{"another run", true, []agent.Event{text(1, 0, "a"), text(2, 0, "b"), other}, "text1-2[0:ab] text3[0:c]"},
		{"a delta that cannot be read", true, []agent.Event{text(1, 0, "a"), text(2, 0, "b"), broken, done}, "text1-2[0:ab] text3 done4"},
		{"progress within text", true, []agent.Event{text(1, 0, "a"), cast(2), text(3, 0, "b"), cast(4), progress(5), event(6, agent.EventTurnCompleted, 0)}, "text1-3[0:ab] end4-6"},
		{"progress before a result", true, []agent.Event{start, cast(2), progress(3), done, cast(5), text(6, 1, "x"), cast(7), progress(8), end}, "start1 done2-4 cast5 text6[1:x] end7-9"},
		{"nothing after", true, []agent.Event{text(1, 0, "a"), cast(2), progress(3)}, "text1[0:a] progress2-3"},
		{"between two blocks", true, []agent.Event{text(1, 0, "a"), cast(2), cast(3), text(4, 1, "b")}, "text1[0:a] cast2-3 text4[1:b]"},
		{"a running turn keeps progress", false, []agent.Event{start, text(2, 0, "a"), text(3, 0, "b"), cast(4), text(5, 0, "c"), progress(6)}, "start1 text2-3[0:ab] cast4 text5[0:c] progress6"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := sketch(compact(c.events, c.ended)); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// randomTurn makes the events of a turn, gapless, with a terminal event at its end.
func randomTurn(rng *rand.Rand) []agent.Event {
	kinds := []agent.EventKind{agent.EventTextDelta, agent.EventTextDelta, agent.EventTextDelta, agent.EventReasoningDelta,
		agent.EventCast, agent.EventCapabilityProgress, agent.EventCapabilityDone}
	events := []agent.Event{event(1, agent.EventTurnStarted, 0)}
	run, block := int64(1), 0
	for seq := agent.Seq(2); len(events) < 2+rng.IntN(40); seq++ {
		k := kinds[rng.IntN(len(kinds))]
		if rng.IntN(9) == 0 {
			run++
		}
		if rng.IntN(5) == 0 {
			block++
		}
		e := event(seq, k, agent.TextDelta{Block: block, Text: fmt.Sprint(seq, ";")})
		e.Run = run
		if n := agent.Seq(rng.IntN(3)); n > 0 && k.Live() {
			e.From, e.Seq = seq, seq+n
			seq += n
		}
		events = append(events, e)
	}
	return append(events, event(events[len(events)-1].Seq+1, agent.EventTurnCompleted, 0))
}

// spoken is all text of a turn, by block and kind.
func spoken(events []agent.Event) map[string]string {
	out := make(map[string]string)
	for _, e := range events {
		var d agent.TextDelta
		if strings.HasSuffix(string(e.Kind), "delta") && json.Unmarshal(e.Data, &d) == nil {
			out[fmt.Sprint(e.Kind, d.Block)] += d.Text
		}
	}
	return out
}

func TestEverySeqStaysCoveredOnceAndNoWordIsLost(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 2_000 {
		events := randomTurn(rng)
		for _, ended := range []bool{true, false} {
			out := compact(events, ended)
			next := agent.Seq(1)
			for _, e := range out {
				if first(e) != next || e.Seq < first(e) {
					t.Fatalf("a gap or a double before %d:\n%s\n%s", e.Seq, sketch(events), sketch(out))
				}
				next = e.Seq + 1
			}
			if next != events[len(events)-1].Seq+1 {
				t.Fatalf("it ends at %d:\n%s\n%s", next-1, sketch(events), sketch(out))
			}
			if !reflect.DeepEqual(spoken(events), spoken(out)) {
				t.Fatalf("words were lost:\n%s\n%s", sketch(events), sketch(out))
			}
			if again := compact(out, ended); !reflect.DeepEqual(again, out) && ended {
				t.Fatalf("compacting twice is not compacting once:\n%s\n%s", sketch(out), sketch(again))
			}
		}
	}
}

func TestATurnIsReadPageByPage(t *testing.T) {
	o := newOffice(t)
	for _, n := range []int{eventPage - 1, eventPage, eventPage + 1, 3*eventPage + 7} {
		var all []agent.Event
		for seq := range n {
			all = append(all, text(agent.Seq(seq+1), seq, "x"))
		}
		o.store.events["tn1"] = all
		if got, err := o.Account.events(alice, "tn1"); err != nil || !reflect.DeepEqual(got, all) {
			t.Errorf("%d events: %d, %v", n, len(got), err)
		}
	}
}

func TestARestartVoidsTheSameTextAfterCompaction(t *testing.T) {
	cast := func(seq agent.Seq) agent.Event { return event(seq, agent.EventCast, 0) }
	for name, events := range map[string][]agent.Event{
		"the step began with text":   {event(1, agent.EventTurnStarted, 0), cast(2), text(3, 0, "void"), event(4, agent.EventStepRestarted, agent.StepRestarted{From: 3}), text(5, 0, "good")},
		"the step began with a cast": {text(1, 0, "good"), cast(2), text(3, 1, "void"), cast(4), event(5, agent.EventStepRestarted, agent.StepRestarted{From: 2})},
		"a cast before the restart":  {text(1, 0, "go"), text(2, 0, "od"), cast(3), event(4, agent.EventStepRestarted, agent.StepRestarted{From: 3})},
	} {
		for _, got := range [][]agent.Event{told(events), told(compact(events, true)), told(compact(events, false))} {
			if said := spoken(got); len(said) != 1 || said["text.delta0"] != "good" {
				t.Errorf("%s: %v in %s", name, said, sketch(got))
			}
		}
	}
}
