package engine_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/engine"
	"github.com/lossless-group/in-app-agent/provider/scripted"
	"github.com/lossless-group/in-app-agent/store/sqlite/faultydisk"
)

var errFault = errors.New("the connection broke")

// storeFaults are the ways in which an operation goes wrong. After means that it
// was done and that the answer got lost.
var storeFaults = []struct {
	name  string
	fault func(op func() error) error
	exact bool // nothing fails, and no step is asked twice, because of it
}{
	{"busy before", func(func() error) error { return busy() }, true},
	{"busy after", func(op func() error) error { _ = op(); return busy() }, true},
	{"broken before", func(func() error) error { return errFault }, false},
	{"broken after", func(op func() error) error { _ = op(); return errFault }, false},
	{"late before", func(func() error) error { return context.DeadlineExceeded }, false},
	{"late after", func(op func() error) error { _ = op(); return context.DeadlineExceeded }, false},
	{"slow", func(op func() error) error {
		err := op()
		<-time.After(5 * time.Millisecond)
		return err
	}, true},
}

func busy() error {
	return &agent.Error{Code: agent.CodeStorageBusy, Message: "The database is locked.", Retryable: true}
}

// TestAStoreThatFailsAtAnyOperationLosesAndDoublesNothing plays one story (a read, a
// change that is accepted, an effect without a preview, the change taken back) and
// lets every operation of it go wrong once, and three in a row, in every way.
func TestAStoreThatFailsAtAnyOperationLosesAndDoublesNothing(t *testing.T) {
	plain := &faulty{}
	playStory(t, story{store: plain, exact: true})
	total := plain.ops()
	if total < 30 {
		t.Fatalf("the story takes %d operations", total)
	}
	step := 1
	if quick() {
		step = 17
	}
	var trials []*faulty
	t.Run("each", func(t *testing.T) {
		for i, kind := range storeFaults {
			for _, width := range []int{1, 3} {
				for at := 1 + i%step; at <= total; at += step {
					f := &faulty{at: at, width: width, fault: kind.fault}
					trials = append(trials, f)
					t.Run(fmt.Sprintf("%s, %d at %d", kind.name, width, at), func(t *testing.T) {
						t.Parallel()
						playStory(t, story{store: f, exact: kind.exact})
						if t.Failed() {
							t.Logf("it went wrong in %s", f.hit)
						}
					})
				}
			}
		}
	})
	seen := map[string]int{}
	for _, f := range trials {
		seen[f.hit]++
	}
	t.Log(seen)
	for _, method := range []string{"StartTurn", "Commit", "Take", "Record", "EventsAfter", "Turn"} {
		if seen[method] == 0 && !quick() {
			t.Errorf("%s never went wrong", method)
		}
	}
}

// story is what goes wrong while it is played; exact says that nothing fails, and no
// step is asked twice, because of it.
type story struct {
	store *faulty
	disk  *faultydisk.Disk
	exact bool
}

// playStory plays it as a person with a patient client, and checks what is left. It
// tells whether the story came to its end: a turn may also fail, honestly.
func playStory(t *testing.T, s story) bool {
	w := newWorld(t, func(w *world) {
		if s.store != nil {
			w.wrap = func(inner engine.Store) engine.Store {
				s.store.store = inner
				return s.store
			}
		}
		if s.disk != nil {
			t.Cleanup(s.disk.Watch(w.dir))
		}
	})
	answer := func(req agent.ModelRequest) (scripted.Round, error) {
		switch len(req.Messages) {
		case 1:
			return scripted.Round{Text: scripted.Text{"First ", "a ", "look."}, Calls: []scripted.Call{
				{Name: "note.read", Input: []byte(`{"id":"b"}`)}, {Name: "note.write", Input: []byte(`{"id":"a","text":"new"}`)}}}, nil
		case 3:
			return calls("book.export", `{}`), nil
		default:
			return says("All ", "done."), nil
		}
	}
	for range 8 {
		w.model.playFunc(answer)
	}
	if s.store != nil {
		s.store.begin()
	}
	if s.disk != nil {
		s.disk.Begin()
	}
	p := &patient{w: w, t: t}
	turn := p.say("Change a")
	preview := p.until(turn.ID, agent.EventPreview)
	if !s.exact && preview[len(preview)-1].Kind == agent.EventTurnFailed {
		return false // what a store says that is no trouble of storage
	}
	p.accept(turn.ID, last[agent.PreviewShown](t, preview, agent.EventPreview))
	events := p.until(turn.ID, agent.EventTurnCompleted)
	if !s.exact && events[len(events)-1].Kind == agent.EventTurnFailed {
		return false
	}
	if got := last[agent.TurnCompleted](t, events, agent.EventTurnCompleted).Text; got != "All done." {
		t.Errorf("the answer is %q", got)
	}
	if w.notes.get("a") != "new" {
		t.Errorf("the note is %q", w.notes.get("a"))
	}
	p.undo(turn.ThreadID, last[agent.PreviewShown](t, preview, agent.EventPreview).CallID)
	if s.disk != nil {
		s.disk.Heal()
		w.restart() // what was told must stand in the files, and they must be sound
		w.sound()
	}
	checkStory(t, w, turn, s.exact)
	return true
}

func checkStory(t *testing.T, w *world, turn agent.Turn, exact bool) {
	if w.notes.get("a") != "alpha" {
		t.Errorf("after the undo the note is %q", w.notes.get("a"))
	}
	w.notes.mu.Lock()
	for key, n := range w.notes.effects {
		if n != 1 {
			t.Errorf("%s took effect %d times", key, n)
		}
	}
	if len(w.notes.effects) != 3 {
		t.Errorf("effects: %v", w.notes.effects)
	}
	w.notes.mu.Unlock()
	if n := len(w.model.seen()); n < 3 || (exact && n > 3) || n > 7 {
		t.Errorf("%d model calls", n)
	}
	page, err := w.store.TurnList(me(), agent.TurnQuery{ThreadID: turn.ThreadID})
	must(t, err)
	asked := 0
	for _, one := range page.Items {
		<-w.engine.Idle(one.ID) // its end is told a moment before it is let go
		if one.By == "user" {
			asked++ // of those by hand there are two where the client's own look failed and it asked again
		}
		if one.State != agent.TurnComplete {
			t.Errorf("turn %s is %s", one.ID, one.State)
		}
		stored, err := w.store.EventsAfter(me(), one.ID, 0, 1000)
		must(t, err)
		gapless(t, stored)
		rec, err := w.store.Record(me(), one.ID)
		must(t, err)
		for _, l := range rec.Ledger {
			if l.State != agent.LedgerSettled {
				t.Errorf("ledger row %s is %s", l.Key(), l.State)
			}
		}
	}
	if asked != 1 {
		t.Errorf("the message became %d turns", asked)
	}
	if n := w.engine.Live(); n != 0 {
		t.Errorf("%d turns are held in memory", n)
	}
}
