package engine_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

func TestOfFiftyAcceptsAndFiftyDiscardsOneIsTaken(t *testing.T) {
	for round := range 5 {
		w := newWorld(t)
		w.model.play(calls("note.write", `{"id":"a","text":"new"}`))
		turn := w.say("", "Change a")
		events := w.read(turn.ID, agent.EventPreview)
		type answer struct {
			want string
			out  []agent.Outcome
			err  error
		}
		answers := make([]answer, 100)
		var wg sync.WaitGroup
		gun := make(chan struct{})
		for i := range answers {
			answers[i].want = agent.AnswerAccept
			if i%2 == 1 {
				answers[i].want = agent.AnswerDiscard
			}
			wg.Go(func() {
				<-gun
				answers[i].out, answers[i].err = w.decide(events, answers[i].want)
			})
		}
		close(gun)
		wg.Wait()
		events = w.end(turn.ID)
		gapless(t, events)
		d := last[agent.Decided](t, events, agent.EventDecision)
		for _, a := range answers {
			same := (a.want == agent.AnswerAccept) == (d.Decision == agent.VerdictAccepted)
			if same && a.err != nil || !same && agent.ErrorCode(a.err) != agent.CodeConflict || len(a.out) != 1 || a.out[0].Decision != d.Decision {
				t.Fatalf("round %d: %s while %s was taken gives %+v, %v", round, a.want, d.Decision, a.out, a.err)
			}
		}
		want := 0
		if d.Decision == agent.VerdictAccepted {
			want = 1
		}
		if w.notes.count() != want {
			t.Fatalf("%d effects after %s", w.notes.count(), d.Decision)
		}
	}
}

func TestReadersOfOneTurnAllSeeTheSame(t *testing.T) {
	w := newWorld(t)
	release := make(chan struct{})
	w.model.raw = streams(func(ctx context.Context, _ agent.ModelRequest, yield func(agent.Delta, error) bool) {
		for i := range 200 {
			if i == 50 {
				<-release
			}
			if !yield(agent.Delta{Kind: agent.DeltaText, Text: fmt.Sprintf("%d ", i)}, nil) {
				return
			}
		}
		yield(agent.Delta{Kind: agent.DeltaDone, Answer: &agent.Answer{Stop: agent.StopEnd, Blocks: []agent.Block{{Kind: agent.BlockText, Text: "done"}}}}, nil)
	})
	turn := w.say("", "Count")
	texts := make([]string, 50)
	var wg sync.WaitGroup
	for i := range texts {
		wg.Go(func() {
			var events []agent.Event
			for ev, err := range w.engine.Events(me(), turn.ID, agent.Position{}) {
				if err != nil {
					t.Error(err)
					return
				}
				events = append(events, ev)
				if len(events) == 3 && i == 0 {
					close(release)
				}
			}
			gapless(t, events)
			texts[i] = text(events)
		})
	}
	wg.Wait()
	for i := range texts {
		if texts[i] != texts[0] || len(texts[i]) < 600 {
			t.Fatalf("reader %d saw %d bytes, reader 0 saw %d", i, len(texts[i]), len(texts[0]))
		}
	}
}

func TestAReaderThatComesBackAtEveryIndexMissesAndDoublesNothing(t *testing.T) {
	w := newWorld(t)
	w.model.play(calls("note.read", `{"id":"a"}`), says("One ", "two ", "three."))
	turn := w.say("", "Hi")
	all := w.end(turn.ID)
	whole := text(all)
	for cut := range agent.Seq(len(all)) {
		var seen []agent.Event
		for ev, err := range w.engine.Events(me(), turn.ID, agent.Position{Run: 1, Seq: 0}) {
			must(t, err)
			seen = append(seen, ev)
			if ev.Seq >= cut {
				break
			}
		}
		at := agent.Position{}
		if n := len(seen); n > 0 {
			at = agent.Position{Run: seen[n-1].Run, Seq: seen[n-1].Seq}
		}
		if seen[len(seen)-1].Kind.Terminal() {
			continue
		}
		for ev, err := range w.engine.Events(me(), turn.ID, at) {
			must(t, err)
			seen = append(seen, ev)
		}
		gapless(t, seen)
		if text(seen) != whole {
			t.Fatalf("cut at %d: %q", cut, text(seen))
		}
	}
}

func TestAThreadsStreamTellsEveryTurnAlsoOnesThatOthersStart(t *testing.T) {
	w := newWorld(t)
	first := w.say("", "one")
	ctx, cancel := context.WithCancel(me())
	defer cancel()
	var turns []agent.TurnID
	var cursor agent.Cursor
	for ev, err := range w.engine.ThreadEvents(ctx, first.ThreadID, agent.Cursor{}) {
		must(t, err)
		cursor = agent.Cursor{Turn: ev.Turn, Run: ev.Run, Seq: ev.Seq}
		if ev.Kind == agent.EventTurnStarted {
			turns = append(turns, ev.Turn)
		}
		if ev.Kind == agent.EventTurnCompleted && len(turns) == 3 {
			break
		}
		if ev.Kind == agent.EventTurnCompleted {
			<-w.engine.Idle(ev.Turn)
			w.say(first.ThreadID, "more")
		}
	}
	// The cursor of the end goes on exactly there.
	next := w.say(first.ThreadID, "four")
	for ev, err := range w.engine.ThreadEvents(ctx, first.ThreadID, cursor) {
		must(t, err)
		if ev.Turn != next.ID || ev.Seq != 1 {
			t.Fatalf("goes on at %s %d", ev.Turn, ev.Seq)
		}
		break
	}
	w.engine.ThreadChanged(ctx, first.ThreadID, agent.ThreadChangedData{Title: "x"})
}
