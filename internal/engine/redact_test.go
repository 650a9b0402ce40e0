package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

const keepAll = `redaction = '{"kinds":["email","phone","card","iban","national_id","secret"],"patterns":[{"name":"project_code","pattern":"PRJ-[0-9]{4}"}]}'`

const (
	mail  = "ann.example@mail.test"
	phone = "+49 151 23456789"
)

// outgoing gives everything that reached the model, as bytes.
func (w *world) outgoing() string {
	w.t.Helper()
	data, err := json.Marshal(w.model.seen())
	must(w.t, err)
	return string(data)
}

func TestDetailsStayHereAndComeBackInWordsAndArguments(t *testing.T) {
	w := newWorld(t)
	w.policy(keepAll)
	w.model.play(calls("note.write", `{"id":"a","text":"Call [PHONE_1], mail [EMAIL_1] about [PROJECT_CODE_1] and [EMAIL_9]"}`), says("Written to [EM", "AIL_1", "], not [EMAIL_9]."))
	turn := w.say("", "Note that "+mail+" has "+phone+" and PRJ-1234")
	events := w.read(turn.ID, agent.EventPreview)
	full := "Call " + phone + ", mail " + mail + " about PRJ-1234 and [EMAIL_9]"
	shown := last[agent.PreviewShown](t, events, agent.EventPreview)
	if shown.Artifacts[0].Text != full || !strings.Contains(string(shown.Input), mail) {
		t.Errorf("the preview shows %q, %s", shown.Artifacts[0].Text, shown.Input)
	}
	w.restart() // what the placeholders mean is on the disk
	_, err := w.decide(events, agent.AnswerAccept)
	must(t, err)
	events = w.end(turn.ID)
	done := last[agent.TurnCompleted](t, events, agent.EventTurnCompleted)
	if want := "Written to " + mail + ", not [EMAIL_9]."; done.Text != want || text(events) != want {
		t.Errorf("told %q, completed %q", text(events), done.Text)
	}
	if w.notes.get("a") != full {
		t.Errorf("the note says %q", w.notes.get("a"))
	}
	rows, err := w.store.Transcripts(me(), turn.ThreadID)
	must(t, err)
	if !strings.Contains(rows[0].ModelMessage, mail) || !strings.Contains(string(rows[0].ToolCalls), phone) {
		t.Errorf("the transcript says %q, %s", rows[0].ModelMessage, rows[0].ToolCalls)
	}
	for _, detail := range []string{mail, phone, "PRJ-1234"} {
		if strings.Contains(w.outgoing(), detail) {
			t.Errorf("%s left in %s", detail, w.outgoing())
		}
	}
}

func TestTheSameThreadSendsTheSameBytesAfterARestart(t *testing.T) {
	w := newWorld(t)
	w.policy(keepAll)
	thread := w.say("", "I am "+mail).ThreadID
	w.end(w.turnOf(thread))
	w.end(w.say(thread, "or b@mail.test, and "+phone).ID)
	before := w.model.seen()
	w.restart()
	w.end(w.say(thread, "again "+mail+", c@mail.test").ID)
	after := w.model.seen()[len(before)].Messages
	for i, m := range before[len(before)-1].Messages {
		m.Cache = false
		if !reflect.DeepEqual(m, after[i]) {
			t.Errorf("message %d was sent as\n%+v\nand after a restart as\n%+v", i, m, after[i])
		}
	}
	if got := after[len(after)-1].Blocks; got[len(got)-1].Text != "again [EMAIL_1], [EMAIL_3]" {
		t.Errorf("the new message is sent as %+v", got)
	}
}

func (w *world) turnOf(thread agent.ThreadID) agent.TurnID {
	w.t.Helper()
	page, err := w.engine.Turns(me(), agent.TurnQuery{ThreadID: thread})
	must(w.t, err)
	return page.Items[0].ID
}

func TestResultsAndOneShotCallsAreKeptFromTheModelToo(t *testing.T) {
	w := newWorld(t)
	w.policy(keepAll)
	w.notes.notes["a"] = "card 4111 1111 1111 1111 of \"" + mail + "\""
	w.model.play(calls("note.read", `{"id":"a"}`), calls("note.draft", `{"id":"for [EMAIL_1]"}`), says("Dear [EMAIL_1] with [CARD_1]"), says("done"))
	turn := w.say("", "read it")
	events := w.end(turn.ID)
	if out := w.outgoing(); strings.Contains(out, mail) || strings.Contains(out, "4111 1111") {
		t.Errorf("a detail left in %s", out)
	}
	done := last[agent.CapabilityDone](t, events, agent.EventCapabilityDone)
	// The one-shot call was given the address and not the card.
	if string(done.Output) != `"Dear `+mail+` with [CARD_1]"` {
		t.Errorf("the capability read %s", done.Output)
	}
}

func TestWhatLeftSaysHowManyDetailsWereReplaced(t *testing.T) {
	w := newWorld(t)
	w.policy(keepAll)
	w.model.raw = streams(func(ctx context.Context, req agent.ModelRequest, yield func(agent.Delta, error) bool) {
		agent.RecordEgress(ctx, agent.EgressLine{Host: "api.test", Purpose: "step", Requests: 1, FirstAt: 1, At: 1})
		answers("fine")(ctx, req, yield)
	})
	turn := w.say("", "I am "+mail+", "+mail+" and "+phone+", not [EMAIL_9]")
	w.end(turn.ID)
	lines, err := w.store.EgressOf(me(), turn.ThreadID)
	must(t, err)
	if len(lines) != 1 || lines[0].Redactions != 2 {
		t.Errorf("%+v", lines)
	}
}

func TestALongResultIsCutBesideADetail(t *testing.T) {
	for shift := range 4 {
		w := newWorld(t)
		w.policy(keepAll)
		w.notes.notes["a"] = strings.Repeat("x", 7*shift) + strings.Repeat(" "+mail, 8_000)
		w.model.play(calls("note.read", `{"id":"a"}`), says("done"))
		w.end(w.say("", "read it").ID)
		out := w.outgoing()
		if !strings.Contains(out, "[cut here") || !strings.Contains(out, "[EMAIL_1]") {
			t.Fatalf("nothing was cut and replaced in %.200s", out)
		}
		if strings.Contains(out, "ann") || strings.Contains(out, "mail.test") {
			t.Errorf("half of an address left, shifted by %d", 7*shift)
		}
	}
}

func TestATurnWithoutDetailsWritesNoMap(t *testing.T) {
	w := newWorld(t)
	w.policy(keepAll)
	turn := w.say("", "Make it bolder [1]")
	w.end(turn.ID)
	if _, err := w.store.RedactionRow(me(), turn.ThreadID); agent.ErrorCode(err) != agent.CodeNotFound {
		t.Errorf("a map was stored: %v", err)
	}
	m := w.model.seen()[0].Messages[0]
	if m.Blocks[len(m.Blocks)-1].Text != "Make it bolder [1]" {
		t.Errorf("sent as %+v", m)
	}
}

func TestWhatIsToldMeanwhileIsCutAnywhereAndIsTheSame(t *testing.T) {
	w := newWorld(t)
	w.policy(keepAll)
	const answer = "To [EMAIL_1] and [x] and [EMAIL_1"
	w.model.raw = streams(func(_ context.Context, _ agent.ModelRequest, yield func(agent.Delta, error) bool) {
		for _, kind := range []agent.DeltaKind{agent.DeltaReasoning, agent.DeltaText} {
			index := 0
			if kind == agent.DeltaText {
				index = 1
			}
			for i := range len(answer) {
				if !yield(agent.Delta{Kind: kind, Index: index, Text: answer[i : i+1]}, nil) {
					return
				}
			}
		}
		yield(agent.Delta{Kind: agent.DeltaDone, Answer: &agent.Answer{Stop: agent.StopEnd, Raw: json.RawMessage(`["` + answer + `"]`),
			Blocks: []agent.Block{{Kind: agent.BlockReasoning, Text: answer}, {Kind: agent.BlockText, Text: answer}}}}, nil)
	})
	turn := w.say("", "I am "+mail)
	events := w.end(turn.ID)
	want := "To " + mail + " and [x] and [EMAIL_1"
	var thought strings.Builder
	for _, ev := range events {
		var d agent.ReasoningDelta
		if ev.Kind == agent.EventReasoningDelta && ev.Decode(&d) == nil {
			thought.WriteString(d.Text)
		}
	}
	if text(events) != want || thought.String() != want || last[agent.TurnCompleted](t, events, agent.EventTurnCompleted).Text != want {
		t.Errorf("told %q, thought %q", text(events), thought.String())
	}
	rec, err := w.store.Record(me(), turn.ID)
	must(t, err)
	if string(rec.Steps[0].Raw) != `["`+answer+`"]` || rec.Steps[0].Blocks[1].Text != want {
		t.Errorf("kept as %s and %+v", rec.Steps[0].Raw, rec.Steps[0].Blocks)
	}
}

func TestAPartialAnswerKeepsWhatWasHeldBack(t *testing.T) {
	w := newWorld(t)
	w.policy(keepAll)
	w.model.raw = streams(func(_ context.Context, _ agent.ModelRequest, yield func(agent.Delta, error) bool) {
		_ = yield(agent.Delta{Kind: agent.DeltaText, Text: "To [EMAIL_1] [EMA"}, nil) &&
			yield(agent.Delta{}, agent.Errorf(agent.CodeProviderError, "cut"))
	})
	events := w.end(w.say("", "I am "+mail).ID)
	if got := text(events); got != "To "+mail+" [EMA" || events[len(events)-1].Kind != agent.EventTurnFailed {
		t.Errorf("told %q", got)
	}
}

func TestRulesThatCannotBeUsedLetNothingOut(t *testing.T) {
	w := newWorld(t)
	w.policy(`redaction = '{"kinds":["email"],"patterns":[{"name":"a","pattern":"("}]}'`)
	events := w.end(w.say("", "I am "+mail).ID)
	failed := last[agent.TurnFailedData](t, events, agent.EventTurnFailed)
	if failed.Code != agent.CodePolicyDenied || len(w.model.seen()) != 0 {
		t.Errorf("%+v, %d requests", failed, len(w.model.seen()))
	}
}

func TestSecretsAreKeptWhereAnOrgDecidedNothing(t *testing.T) {
	w := newWorld(t)
	const secret = "sk-ant-api03-abcDEF123456ghiJKL789012"
	w.end(w.say("", "use "+secret+" of "+mail).ID)
	if out := w.outgoing(); strings.Contains(out, secret) || !strings.Contains(out, "[SECRET_1]") || !strings.Contains(out, mail) {
		t.Errorf("sent %s", out)
	}
}

func TestAnOrgThatKeepsNothingSendsWhatIsThere(t *testing.T) {
	w := newWorld(t)
	w.policy(`redaction = '{"kinds":[]}'`)
	w.model.play(says("[EMAIL_1] it is"))
	events := w.end(w.say("", "I am "+mail+" [EMAIL_1]").ID)
	if out := w.outgoing(); !strings.Contains(out, mail+" [EMAIL_1]") || text(events) != "[EMAIL_1] it is" {
		t.Errorf("sent %s, told %q", out, text(events))
	}
}

// trapped is a store whose maps fail in a way that a test chooses.
type trapped struct {
	agent.RedactionMaps
	fail func(m agent.RedactionMap) error
}

func (s trapped) PutRedactionMap(ctx context.Context, m agent.RedactionMap) error {
	if err := s.fail(m); err != nil {
		return err
	}
	return s.RedactionMaps.PutRedactionMap(ctx, m)
}

// remapped lets the world's engine keep its maps behind a trap.
func (w *world) remapped(fail func(m agent.RedactionMap) error) {
	w.t.Helper()
	w.engine.Close(context.Background())
	w.trap = func(maps agent.RedactionMaps) agent.RedactionMaps { return trapped{maps, fail} }
	w.start()
}

func TestNothingLeavesBeforeItsMapIsOnTheDisk(t *testing.T) {
	w := newWorld(t)
	w.policy(keepAll)
	var busy atomic.Int64
	w.remapped(func(agent.RedactionMap) error {
		if len(w.model.seen()) != 0 {
			return errors.New("a request left before")
		}
		if busy.Add(1) <= 3 {
			return agent.Errorf(agent.CodeStorageBusy, "The store is busy.")
		}
		return nil
	})
	w.model.play(says("[EMAIL_1]"))
	if got := text(w.end(w.say("", mail).ID)); got != mail || busy.Load() != 4 {
		t.Errorf("told %q after %d tries", got, busy.Load())
	}
}

func TestAMapThatAnotherProcessWroteIsReadAgain(t *testing.T) {
	w := newWorld(t)
	w.policy(keepAll)
	thread := w.say("", "hello").ThreadID
	w.end(w.turnOf(thread))
	var once atomic.Bool
	w.remapped(func(m agent.RedactionMap) error {
		if !once.CompareAndSwap(false, true) {
			return nil
		}
		other := agent.RedactionMap{ThreadID: thread, Entries: []agent.RedactionEntry{{Placeholder: "[EMAIL_1]", Value: agent.NewSecret("other@mail.test")}}}
		return maps(t, w.store).PutRedactionMap(me(), other)
	})
	w.model.play(says("[EMAIL_2] and [EMAIL_1]"))
	events := w.end(w.say(thread, mail).ID)
	if got := text(events); got != mail+" and [EMAIL_1]" || strings.Contains(w.outgoing(), mail) {
		t.Errorf("told %q", got)
	}
}
