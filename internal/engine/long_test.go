package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/engine"
	"github.com/lossless-group/in-app-agent/internal/prompt"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

// reader is a model with a window of 32k tokens that reads notes as the person asks
// for, and looks at every request that it gets.
type reader struct {
	faults   []string
	before   []agent.ModelMessage
	changes  int // how often the prefix was not the one before
	largest  int // request, in tokens as providers count them
	requests int
}

func (r *reader) fault(format string, args ...any) {
	if len(r.faults) < 10 {
		r.faults = append(r.faults, fmt.Sprintf("request %d: ", r.requests)+fmt.Sprintf(format, args...))
	}
}

// Round asks for as many notes one after the other as the message has the word note.
func (r *reader) Round(req agent.ModelRequest) (scripted.Round, error) {
	r.requests++
	r.look(req)
	asked, done := 0, 0
	for _, m := range slices.Backward(req.Messages) {
		if m.Role == agent.RoleUser && m.Blocks[0].Kind == agent.BlockResult {
			done++
		} else if m.Role == agent.RoleUser {
			asked = strings.Count(m.Blocks[len(m.Blocks)-1].Text, "note")
			break
		}
	}
	if done < asked {
		return calls("note.read", `{"id":"a"}`), nil
	}
	return says("I read ", fmt.Sprint(done), " of them."), nil
}

func (r *reader) look(req agent.ModelRequest) {
	size := 0
	for _, t := range req.Tools {
		size += len(t.Description) + len(t.Schema)
	}
	for _, s := range req.System {
		size += len(s.Text)
	}
	for i, m := range req.Messages {
		size += len(m.Raw)
		var made, answered []string
		for _, b := range m.Blocks {
			size += len(b.Text) + len(b.Input)
			if b.Kind == agent.BlockCall {
				made = append(made, b.WireID)
			}
		}
		if i+1 < len(req.Messages) {
			for _, b := range req.Messages[i+1].Blocks {
				if b.Kind == agent.BlockResult {
					answered = append(answered, b.WireID)
				}
			}
		}
		if !slices.Equal(made, answered) {
			r.fault("message %d calls %v and gets %v", i, made, answered)
		}
	}
	if r.largest = max(r.largest, size/4+req.MaxTokens); size/4+req.MaxTokens > 32_768 {
		r.fault("%d tokens with the answer", size/4+req.MaxTokens)
	}
	same := len(req.Messages) >= len(r.before)
	for i := 0; same && i < len(r.before); i++ {
		a, b := r.before[i], req.Messages[i]
		a.Cache, b.Cache = false, false
		same = reflect.DeepEqual(a, b)
	}
	if !same {
		r.changes++
	}
	r.before = req.Messages
}

func TestAThreadOfTwoThousandTurnsKeepsWorkingOnASmallWindow(t *testing.T) {
	turns := 2000
	switch {
	case underRace:
		turns = 100
	case testing.Short():
		turns = 200
	}
	model := &reader{}
	w := newWorld(t, func(w *world) {
		w.model.raw = scripted.New(model, scripted.Options{})
		w.notes.notes["a"] = "HEAD " + strings.Repeat("all of the note ", 2000) + "TAIL"
	})
	var thread agent.ThreadID
	var told []compacted
	for i := range turns {
		message := fmt.Sprintf("Message %d: read a note.", i)
		long := i%50 == 49 // this turn alone is more than the model can read
		if long {
			message = fmt.Sprintf("Message %d: %s", i, strings.Repeat("a note, ", 9))
		}
		turn := w.say(thread, message)
		thread = turn.ThreadID
		events := w.end(turn.ID)
		gapless(t, events)
		if end := events[len(events)-1]; end.Kind != agent.EventTurnCompleted {
			t.Fatalf("turn %d ended with %s %s", i, end.Kind, end.Data)
		}
		for _, ev := range events {
			if ev.Kind == agent.EventContextCompacted {
				var c agent.ContextCompacted
				must(t, ev.Decode(&c))
				told = append(told, compacted{c, long})
			}
		}
		if i == turns/2 {
			w.restart() // what was compacted is read, not made again
		}
	}
	for _, f := range model.faults {
		t.Error(f)
	}
	compactionsAreOnceAThreshold(t, w, told)
	if model.changes != len(told) {
		t.Errorf("the prefix changed %d times with %d compactions", model.changes, len(told))
	}
	nothingIsLost(t, w, thread, turns)
	t.Logf("%d turns, %d requests, %d compactions, the largest request %d tokens of 32768", turns, model.requests, len(told), model.largest)
}

// compacted is a compaction as it was told, in a turn that is long by itself or not.
type compacted struct {
	agent.ContextCompacted
	long bool
}

// compactionsAreOnceAThreshold compares what was told with what is stored.
func compactionsAreOnceAThreshold(t *testing.T, w *world, told []compacted) {
	t.Helper()
	const high, low = (32_768 - 8192) * 4 / 5, (32_768 - 8192) / 2
	stored, through, cuts := 0, -1, 0
	for i, c := range told {
		if c.TokensBefore <= high {
			t.Errorf("compaction %d came at %d tokens, the threshold is %d", i, c.TokensBefore, high)
		}
		cuts += c.Results
		if c.Turns == 0 {
			continue
		}
		stored++
		if c.Turns <= through {
			t.Errorf("compaction %d goes through turn %d, the one before through %d", i, c.Turns, through)
		}
		through = c.Turns
		if !c.long && c.TokensAfter > low || c.TokensAfter >= c.TokensBefore {
			t.Errorf("compaction %d left %d tokens of %d, more than %d", i, c.TokensAfter, c.TokensBefore, low)
		}
	}
	var rows, distinct int
	must(t, w.database().QueryRow(`SELECT count(*), count(DISTINCT through_turn_id) FROM compactions`).Scan(&rows, &distinct))
	if rows != stored || distinct != stored || stored == 0 || cuts == 0 {
		t.Errorf("%d compactions told, %d stored through %d turns; %d results cut", stored, rows, distinct, cuts)
	}
}

// nothingIsLost reads and searches an old turn, and asks the cache doctor.
func nothingIsLost(t *testing.T, w *world, thread agent.ThreadID, turns int) {
	t.Helper()
	rows, err := w.store.Transcripts(me(), thread)
	must(t, err)
	if len(rows) != turns {
		t.Fatalf("%d transcript rows of %d turns", len(rows), turns)
	}
	var results []struct{ Output struct{ Text string } }
	must(t, json.Unmarshal(rows[3].ToolResults, &results))
	if len(results) != 1 || results[0].Output.Text != w.notes.get("a") {
		t.Error("the result of an old turn cannot be read in full")
	}
	found, err := w.store.ThreadRowList(me(), agent.ThreadQuery{Q: "Message 3: read"})
	must(t, err)
	if len(found.Items) != 1 || found.Items[0].ID != thread {
		t.Errorf("a search for an old message found %d threads", len(found.Items))
	}
	steps, ids, err := w.store.StepTraces(me(), thread, "", turns)
	must(t, err)
	expected := map[agent.CacheCause]int{}
	for _, s := range prompt.Report(thread, steps, ids, turns).Steps {
		for _, f := range s.Findings {
			expected[f.Cause]++
			if !f.Expected {
				t.Fatalf("turn %d, step %d: %s", s.TurnIndex, s.Step, f.Message)
			}
		}
	}
	if expected[agent.CacheFirstCall] != 1 || expected[agent.CacheHistoryCompacted] == 0 {
		t.Errorf("the doctor found %v", expected)
	}
}

func TestABranchFromBeforeACompactionHasItsOwnHistory(t *testing.T) {
	model := &reader{}
	w := newWorld(t, func(w *world) {
		w.model.raw = scripted.New(model, scripted.Options{})
		w.notes.notes["a"] = strings.Repeat("x", 30_000)
	})
	root := w.say("", "Message 0: read a note.")
	w.end(root.ID)
	compacted := false
	for i := 1; i < 12; i++ {
		events := w.end(w.say(root.ThreadID, fmt.Sprintf("Message %d: read a note.", i)).ID)
		compacted = compacted || slices.Contains(kinds(events), agent.EventContextCompacted)
	}
	if !compacted {
		t.Fatal("nothing was compacted")
	}
	turn, err := w.engine.StartTurn(me(), agent.TurnRequest{ProjectID: "book", ThreadID: root.ThreadID, Parent: root.ID, Message: agent.Message{Text: "Another way."}})
	must(t, err)
	w.end(turn.ID)
	first := model.before[0].Blocks
	if strings.Contains(first[0].Text, "<earlier>") || !strings.Contains(first[len(first)-1].Text, "Message 0") || len(model.before) != 5 {
		t.Fatalf("the branch begins with %.100q and has %d messages", first[0].Text, len(model.before))
	}
	if len(model.faults) > 0 {
		t.Error(model.faults)
	}
}

func TestAMessageThatTheModelCannotReadIsRefusedInWords(t *testing.T) {
	w := newWorld(t)
	events := w.end(w.say("", strings.Repeat("long ", 39_000)).ID)
	failed := last[agent.TurnFailedData](t, events, agent.EventTurnFailed)
	if failed.Code != agent.CodeTooLarge || !strings.Contains(failed.Hint, "larger context window") || len(w.model.seen()) != 0 {
		t.Fatalf("%+v after %d requests", failed, len(w.model.seen()))
	}
	if end := w.end(w.say(events[0].Thread, "Short.").ID); end[len(end)-1].Kind != agent.EventTurnCompleted {
		t.Fatalf("the thread does not go on: %v", kinds(end))
	}
}

// busyCompacting is a store that is busy for the first write of a compaction, and
// breaks off after the second.
type busyCompacting struct {
	engine.Store
	tries *int
}

func (b busyCompacting) Commit(ctx context.Context, m agent.Milestone) error {
	busy := agent.Errorf(agent.CodeStorageBusy, "busy")
	if m.Compaction == nil {
		return b.Store.Commit(ctx, m)
	}
	switch *b.tries++; *b.tries {
	case 1:
		return busy
	case 2:
		if err := b.Store.Commit(ctx, m); err != nil {
			return err
		}
		return busy
	default:
		return b.Store.Commit(ctx, m)
	}
}

func TestACompactionIsToldOnceThoughTheStoreIsBusy(t *testing.T) {
	model, tries := &reader{}, 0
	w := newWorld(t, func(w *world) {
		w.model.raw = scripted.New(model, scripted.Options{})
		w.notes.notes["a"] = strings.Repeat("x", 30_000)
		w.wrap = func(s engine.Store) engine.Store { return busyCompacting{s, &tries} }
	})
	var thread agent.ThreadID
	told := 0
	for i := 0; told == 0; i++ {
		if i > 20 {
			t.Fatal("nothing was compacted")
		}
		turn := w.say(thread, fmt.Sprintf("Message %d: read a note.", i))
		thread = turn.ThreadID
		events := w.end(turn.ID)
		gapless(t, events)
		for _, k := range kinds(events) {
			if k == agent.EventContextCompacted {
				told++
			}
		}
	}
	var rows int
	must(t, w.database().QueryRow(`SELECT count(*) FROM compactions`).Scan(&rows))
	if told != 1 || rows != 1 || tries != 2 {
		t.Fatalf("told %d times, %d stored, %d tries", told, rows, tries)
	}
}
