package crash

import (
	"net/http"
	"slices"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

// branch is a message of a tree, and the place of the one that it follows in the list
// of them all: -1 is the beginning.
type branch struct {
	words, text string
	after       int
}

// tree says some things in one thread, each behind any turn before: branches that the
// model must not hear of each other.
func (a *actor) tree() act {
	var plan []branch
	var rounds []scripted.Round
	for i := range 3 + a.rng.IntN(3) {
		b := branch{words: a.words(), text: a.prose(6), after: a.rng.IntN(i+1) - 1}
		plan = append(plan, b)
		rounds = append(rounds, a.answers(b.words, 0, b.text))
	}
	return act{rounds: rounds, play: func() {
		var thread agent.ThreadID
		var turns []agent.TurnID
		for i, b := range plan {
			parent := agent.TurnID(agent.RootTurn)
			switch {
			case b.after == i-1:
				parent = "" // the newest, or none
			case b.after >= 0:
				parent = turns[b.after]
			}
			r := a.beginAfter(thread, parent, b.words, 1, agent.TurnComplete)
			a.reads(r.completed(), b.text)
			turns = append(turns, r.turn)
			thread = r.stream.Events[0].Thread
		}
		a.showsPath(thread, turns[len(turns)-1])
	}}
}

// showsPath checks that a thread shows the path to its newest turn and no other.
func (a *actor) showsPath(thread agent.ThreadID, head agent.TurnID) {
	var view agent.ThreadView
	answer, _ := a.ask("GET /threads/"+string(thread), nil, http.StatusOK)
	answer.Into(a.t, &view)
	var shown []agent.TurnID
	for _, v := range view.Turns {
		shown = append(shown, v.Turn.ID)
	}
	if want := a.world.path(head); view.Thread.Head != head || !slices.Equal(shown, want) {
		a.t.Errorf("the thread shows %v up to %s, want %v", shown, view.Thread.Head, want)
	}
}
