package crash

import (
	"encoding/json"
	"net/http"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/e2e/harness"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

// text is a turn of words alone.
func (a *actor) text() act { return a.tells(20+a.rng.IntN(60), 1+a.rng.IntN(2)) }

// long is text that is written in parts while it is told.
func (a *actor) long() act { return a.tells(150, 4) }

// tells is an answer of so many words, and milliseconds from one delta to the next.
func (a *actor) tells(length, ms int) act {
	words, text := a.words(), a.prose(length)
	answer := slow(scripted.Round{When: when(words, 1), Text: scripted.Text{text}}, ms)
	return act{rounds: []scripted.Round{answer}, play: func() {
		r := a.begin("", words, 1, agent.TurnComplete)
		a.reads(r.completed(), text)
		if spoken := r.seen().Spoken(a.t); spoken != text {
			a.t.Errorf("the deltas are %q, want %q", spoken, text)
		}
	}}
}

// readsMany is a turn with reads and searches in one answer, then words.
func (a *actor) readsMany() act {
	words, text := a.words(), a.prose(10)
	first := scripted.Round{When: when(words, 1), Text: scripted.Text{a.prose(3)}}
	for _, s := range a.pick(1 + a.rng.IntN(3)) {
		first.Calls = append(first.Calls, readsSlide(s))
	}
	first.Calls = append(first.Calls, scripted.Call{Name: "corpus.search", Input: json.RawMessage(`{"query":"bold"}`)})
	last, follow := a.followUp()
	return act{rounds: append(last, slow(first, 1), a.answers(words, 2, text)), play: func() {
		r := a.begin("", words, 1, agent.TurnComplete)
		a.reads(r.completed(), text)
		for _, done := range harness.Of[agent.CapabilityDone](a.t, r.seen()) {
			if !done.OK {
				a.t.Errorf("a read ended as %+v", done.Error)
			}
		}
		follow(r)
	}}
}

func readsSlide(s harness.Slide) scripted.Call {
	raw, err := json.Marshal(map[string]string{"slide_id": s.ID})
	if err != nil {
		panic(err)
	}
	return scripted.Call{Name: "slide.read", Input: raw}
}

// export is a change without a preview: a file, once.
func (a *actor) export() act {
	words, text := a.words(), a.prose(4)
	first := scripted.Round{When: when(words, 1), Calls: []scripted.Call{{Name: "deck.export", Input: json.RawMessage(`{"format":"md"}`)}}}
	last, follow := a.followUp()
	return act{rounds: append(last, slow(first, 1), a.answers(words, 2, text)), play: func() {
		r := a.begin("", words, 1, agent.TurnComplete)
		a.reads(r.completed(), text)
		done := harness.Of[agent.CapabilityDone](a.t, r.seen())
		var out struct{ Name string }
		if len(done) != 1 || !done[0].OK || json.Unmarshal(done[0].Output, &out) != nil || out.Name == "" {
			a.t.Fatalf("an export ended as %+v", done)
		}
		a.world.exported(r.turn, done[0].CallID, out.Name)
		follow(r)
	}}
}

// resend sends a message that was answered again, and another one under its id.
func (a *actor) resend() act {
	words, text := a.words(), a.prose(25)
	return act{rounds: []scripted.Round{a.answers(words, 1, text)}, play: func() {
		r := a.begin("", words, 1, agent.TurnComplete)
		message := harness.Say(words)
		message.MessageID = "msg-" + words
		for range 2 {
			if turn := a.say(message); turn.ID != r.turn {
				a.t.Errorf("a message that was sent again became another turn, %s", turn.ID)
			}
		}
		a.reads(r.completed(), text)
		if turn := a.say(message); turn.ID != r.turn {
			a.t.Errorf("after its end the message became another turn, %s", turn.ID)
		}
		message.Text = "something else"
		a.ask("POST /chat", message, http.StatusConflict)
	}}
}

// stopText stops an answer in its middle. A stop that was answered and whose server
// died before it was written is lost: the turn goes on.
func (a *actor) stopText() act {
	words, text := a.words(), a.prose(80)
	last, follow := a.followUp()
	answer := slow(scripted.Round{When: when(words, 1), Text: scripted.Text{text}}, 4)
	return act{rounds: append(last, answer), play: func() {
		life := a.life.generation()
		r := a.begin("", words, 1, agent.TurnCanceled, agent.TurnComplete)
		for range 3 {
			if ev := r.until(agent.EventTextDelta, agent.EventTurnCompleted); ev.Kind.Terminal() {
				break
			}
		}
		holds := !a.stop(r.turn) && a.life.generation() == life // it was answered by the life that speaks
		if !r.ended() {
			if end := r.finish(); end.Kind != agent.EventTurnCanceled && holds { // whatever died afterwards
				a.t.Errorf("a stopped turn ended with %s %s", end.Kind, end.Data)
			}
		}
		follow(r)
	}}
}

// fault is a turn whose provider fails: what may be tried again is, what was told
// already is kept and said to be incomplete.
func (a *actor) fault() act {
	words, text := a.words(), a.prose(30)
	broken := a.answers(words, 1, text)
	broken.Times = 1
	fatal := true
	switch a.rng.IntN(5) {
	case 0:
		fatal = false
		broken.Fault = &scripted.Fault{Kind: scripted.FaultStatus, Status: []int{429, 529, 500, 503}[a.rng.IntN(4)]}
	case 1:
		fatal = false
		broken.Fault = &scripted.Fault{Kind: scripted.FaultError, Status: 529}
	case 2:
		broken.Fault = &scripted.Fault{Kind: scripted.FaultError, Status: 529, After: 5 + a.rng.IntN(10)}
	case 3:
		broken.Fault = &scripted.Fault{Kind: scripted.FaultReset, Bytes: 1500 + a.rng.Int64N(1000)}
	default:
		broken.Fault = &scripted.Fault{Kind: scripted.FaultEOF, Bytes: 1500 + a.rng.Int64N(1000)}
	}
	last, follow := a.followUp()
	return act{rounds: append(last, broken, a.answers(words, 1, text)), play: func() {
		life := a.life.generation()
		r := a.begin("", words, 2, agent.TurnComplete, agent.TurnFailed)
		end := r.finish()
		switch {
		case end.Kind == agent.EventTurnCompleted:
			a.reads(harness.Decode[agent.TurnCompleted](a.t, end), text)
			if fatal && a.life.generation() == life {
				a.t.Errorf("an answer that was cut is told as whole after %s", broken.Fault.Kind)
			}
		case !fatal || end.Kind != agent.EventTurnFailed:
			a.t.Errorf("after %s %d the turn ended with %s %s", broken.Fault.Kind, broken.Fault.Status, end.Kind, end.Data)
		case !harness.Decode[agent.TurnFailedData](a.t, end).Recoverable:
			a.t.Errorf("a failure of the provider is told as final: %s", end.Data)
		}
		follow(r)
	}}
}
