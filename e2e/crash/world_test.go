package crash

import (
	"math/rand/v2"
	"slices"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/e2e/harness"
)

func TestTheModelKnowsThePathToEachTurnOfATree(t *testing.T) {
	w := newWorld(harness.Deck{})
	for _, one := range []struct{ id, parent, words string }{
		{"t1", "", "say-1a-1"}, {"t2", "", "say-1a-2"}, {"t3", "t1", "say-1a-3"}, {"t4", "", ""}, {"t5", agent.RootTurn, "say-1a-5"}, {"t6", "t4", "say-1a-6"},
	} {
		w.turn(agent.TurnID(one.id), expected{thread: "th", parent: agent.TurnID(one.parent), words: one.words})
	}
	w.turn("u1", expected{thread: "other", words: "say-1b-1"})
	for id, want := range map[agent.TurnID][]agent.TurnID{
		"t1": {"t1"}, "t2": {"t1", "t2"}, "t3": {"t1", "t3"}, "t4": {"t1", "t3", "t4"}, "t5": {"t5"}, "t6": {"t1", "t3", "t4", "t6"}, "u1": {"u1"},
	} {
		if got := w.path(id); !slices.Equal(got, want) {
			t.Errorf("the path to %s is %v, want %v", id, got, want)
		}
	}
	if got, want := w.said("say-1a-6"), []string{"say-1a-1", "say-1a-3", "say-1a-6"}; !slices.Equal(got, want) {
		t.Errorf("on it was said %v, want %v", got, want)
	}
	if w.heads["th"] != "t6" || w.heads["other"] != "u1" {
		t.Errorf("the heads are %v", w.heads)
	}
}

func TestTheModelKeepsWhatWasAppliedTakenBackAndEdited(t *testing.T) {
	w := newWorld(harness.Deck{Slides: []harness.Slide{{Path: "a", Source: "0"}, {Path: "b", Source: "0"}}})
	w.applied("t1", "c1", "a", "1")
	w.edited("commit", "b", "2")
	w.undone("t2", "c2", "a", "0")
	w.settled("t3", "c3", agent.PhaseDiscard)
	w.exported("t4", "c4", "deck.md")
	if w.file("a") != "0" || w.file("b") != "2" {
		t.Errorf("the files are %v", w.files)
	}
	for name, lists := range map[string][2][]string{
		"merges": {sortedKeys(w.merges), {"t1/c1/apply"}}, "undos": {sortedKeys(w.undos), {"t2/c2/undo"}},
		"ledger":  {sortedKeys(w.ledger), {"t1/c1/apply", "t2/c2/undo", "t3/c3/discard", "t4/c4/handler"}},
		"commits": {w.commits, {"commit"}}, "exports": {w.exports, {"deck.md"}},
	} {
		if !slices.Equal(lists[0], lists[1]) {
			t.Errorf("%s are %v, want %v", name, lists[0], lists[1])
		}
	}
}

func TestEveryActOfTheDoomsExistsAndProposesSomething(t *testing.T) {
	names := slices.Clone(anyAct)
	for _, p := range points {
		names = append(names, p.acts...)
	}
	faults := runTrial(t, func(tr *trial) {
		a := &actor{client: client{t: tr}, name: "1a", rng: rand.New(rand.NewPCG(1, 1)), world: newWorld(harness.Deck{}),
			slides: []harness.Slide{{ID: "01", Path: "a"}, {ID: "02", Path: "b"}, {ID: "03", Path: "c"}}}
		for _, name := range names {
			if one := a.named(name); len(one.rounds) == 0 || one.play == nil {
				t.Errorf("%s is no act", name)
			}
		}
		a.named("no such act")
	})
	if len(faults) != 1 {
		t.Errorf("it says %q", faults)
	}
}
