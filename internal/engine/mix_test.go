package engine_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

// TestEveryMixOfDecisionsEndsAsItsParts takes all 3^N ways to answer N previews of
// one message, in a drawn order, with a restart after each answer.
func TestEveryMixOfDecisionsEndsAsItsParts(t *testing.T) {
	most := 4
	if quick() {
		most = 2
	}
	answers := []string{agent.AnswerAccept, agent.AnswerDiscard, agent.AnswerEdit}
	for n := 1; n <= most; n++ {
		total := 1
		for range n {
			total *= len(answers)
		}
		for i := range total {
			mix := make([]string, n)
			for k, rest := 0, i; k < n; k, rest = k+1, rest/len(answers) {
				mix[k] = answers[rest%len(answers)]
			}
			t.Run(strings.Join(mix, "+"), func(t *testing.T) { decideMix(t, mix, rand.New(rand.NewPCG(uint64(n), uint64(i)))) })
		}
	}
}

func decideMix(t *testing.T, mix []string, rng *rand.Rand) {
	w := newWorld(t)
	round := scripted.Round{}
	want := map[string]string{}
	for i, answer := range mix {
		id := fmt.Sprintf("n%d", i)
		w.notes.notes[id], w.notes.version[id] = "old", 1
		round.Calls = append(round.Calls, scripted.Call{Name: "note.write", Input: []byte(fmt.Sprintf(`{"id":%q,"text":"new"}`, id))})
		want[id] = map[string]string{agent.AnswerAccept: "new", agent.AnswerDiscard: "old", agent.AnswerEdit: "mine"}[answer]
	}
	w.model.play(round, says("All seen."))
	turn := w.say("", "Change them")
	w.awaits(turn.ID)
	edited := map[agent.CallID]bool{}
	for open := w.turn(turn.ID).Open; len(open) > 0; {
		o := open[rng.IntN(len(open))]
		d := agent.Decision{CallID: o.CallID, ReceiptID: o.ReceiptID, Decision: agent.AnswerAccept}
		rec, err := w.store.Record(me(), turn.ID)
		must(t, err)
		c := rec.Calls[slices.IndexFunc(rec.Calls, func(c agent.CallRecord) bool { return c.ID == o.CallID })]
		if c.Parent == "" { // the answer of the mix; an edited call is accepted then
			d.Decision = mix[c.Index]
		}
		if d.Decision == agent.AnswerEdit {
			d.Input = []byte(fmt.Sprintf(`{"id":"n%d","text":"mine"}`, c.Index))
			edited[c.ID] = true
		}
		_, err = w.engine.Decide(me(), agent.DecisionRequest{TurnID: turn.ID, Decisions: []agent.Decision{d}})
		must(t, err)
		<-w.engine.Idle(turn.ID)
		w.restart()
		open = w.turn(turn.ID).Open
	}
	events := w.end(turn.ID)
	gapless(t, events)
	if text(events) != "All seen." || len(w.model.seen()) != 2 {
		t.Fatalf("%q after %d model calls", text(events), len(w.model.seen()))
	}
	effects := 0
	for id, text := range want {
		if w.notes.get(id) != text {
			t.Errorf("%s is %q, want %q", id, w.notes.get(id), text)
		}
		if text != "old" {
			effects++
		}
	}
	if w.notes.count() != effects {
		t.Errorf("%d effects, want %d", w.notes.count(), effects)
	}
	rec, err := w.store.Record(me(), turn.ID)
	must(t, err)
	applied := 0
	for _, l := range rec.Ledger {
		if l.State != agent.LedgerSettled {
			t.Errorf("ledger row %s is %s", l.Key(), l.State)
		}
		if l.Phase == agent.PhaseApply {
			applied++
		}
	}
	if applied != effects || len(rec.Ledger) != len(mix)+len(edited) {
		t.Errorf("%d applies of %d ledger rows", applied, len(rec.Ledger))
	}
	results := w.model.seen()[1].Messages
	if blocks := results[len(results)-1].Blocks; len(blocks) != len(mix) {
		t.Errorf("the model reads %d results for %d calls", len(blocks), len(mix))
	}
}
