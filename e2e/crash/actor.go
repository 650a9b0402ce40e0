package crash

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/e2e/harness"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

// actor plays acts: each is a user with a wish, the model's answers to it, and what
// must come of it. Two actors play at once on slides of their own.
type actor struct {
	client
	name   string
	rng    *rand.Rand
	world  *world
	editor editor
	slides []harness.Slide
	spoken int
}

// act is one of them: the rounds that the model plays, and the user's part.
type act struct {
	name   string
	rounds []scripted.Round
	play   func()
}

// words gives a message that nobody said before.
func (a *actor) words() string {
	a.spoken++
	return fmt.Sprintf("say-%s-%d", a.name, a.spoken)
}

// wish is a change of a slide that somebody asks for.
type wish struct {
	token      string
	capability string
	slide      harness.Slide
	seed       uint64 // of the slide that the model draws
}

func (a *actor) wish(slide harness.Slide) wish {
	a.spoken++
	return wish{
		token: fmt.Sprintf("wish-%s-%d", a.name, a.spoken), capability: harness.Pick(a.rng, []string{"slide.edit", "slide.variant"}),
		slide: slide, seed: a.rng.Uint64(),
	}
}

// again is the same wish in other words.
func (a *actor) again(w wish) wish {
	other := a.wish(w.slide)
	other.capability = w.capability
	return other
}

// drawn is the slide that the wish leads to.
func (w wish) drawn() string { return scripted.HTML{Seed: w.seed}.Slide() }

// input is the wish as a capability's arguments.
func (w wish) input() json.RawMessage {
	member := map[string]string{"slide.edit": "instruction", "slide.variant": "style"}[w.capability]
	raw, err := json.Marshal(map[string]string{"slide_id": w.slide.ID, member: w.token})
	if err != nil {
		panic(err)
	}
	return raw
}

// pick gives n different slides of the actor's own.
func (a *actor) pick(n int) []harness.Slide {
	list := slices.Clone(a.slides)
	a.rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list[:min(n, len(list))]
}

// prose makes an answer of some words.
func (a *actor) prose(words int) string {
	list := strings.Fields("margin 東京 naïve \"quoted\" orchard 🦊 & <b> retention éclair line\\n")
	var b strings.Builder
	for range words {
		b.WriteString(harness.Pick(a.rng, list) + " ")
	}
	return b.String() + "end"
}

// slow lets an answer come in pieces, so that there is time to die in its middle.
func slow(r scripted.Round, ms int) scripted.Round {
	r.Fault = &scripted.Fault{Kind: scripted.FaultSlow, Ms: ms}
	return r
}

func when(words string, step int) *scripted.When {
	return &scripted.When{LastUser: "^" + regexp.QuoteMeta(words) + "$", Purpose: "step", Step: step}
}

// answers is an answer in words to a message, at a step.
func (a *actor) answers(words string, step int, text string) scripted.Round {
	return slow(scripted.Round{When: when(words, step), Text: scripted.Text{text}}, 1+a.rng.IntN(2))
}

// proposals are the rounds that turn a message into previews of wishes, and close.
func (a *actor) proposals(words, closing string, wishes ...wish) []scripted.Round {
	first := scripted.Round{When: when(words, 1), Text: scripted.Text{a.prose(3)}}
	for _, w := range wishes {
		first.Calls = append(first.Calls, scripted.Call{Name: w.capability, Input: w.input()})
	}
	rounds := []scripted.Round{slow(first, 1), a.answers(words, 2, closing)}
	for _, w := range wishes {
		rounds = append(rounds, w.draws())
	}
	return rounds
}

// draws answers the question for the slide itself.
func (w wish) draws() scripted.Round {
	return slow(scripted.Round{When: &scripted.When{Purpose: "generate", LastUser: regexp.QuoteMeta(w.token) + `\b`}, HTML: &scripted.HTML{Seed: w.seed}}, 1)
}

// begin says something in a thread, "" for a new one, and follows its turn, whose
// steps may take so many model calls each and which may end in the states.
func (a *actor) begin(thread agent.ThreadID, words string, calls int, states ...agent.TurnState) *reader {
	return a.beginAfter(thread, "", words, calls, states...)
}

// beginAfter is begin behind a turn of the thread that need not be its newest.
func (a *actor) beginAfter(thread agent.ThreadID, parent agent.TurnID, words string, calls int, states ...agent.TurnState) *reader {
	message := harness.Say(words).In(thread)
	message.MessageID, message.ParentID = "msg-"+words, parent
	turn := a.say(message)
	r := a.follow(a.rng, turn.ID)
	a.world.turn(turn.ID, expected{thread: turn.ThreadID, parent: parent, message: message.MessageID, words: words, states: states, reader: r})
	a.world.may(words, calls)
	return r
}

// followUp proves that a thread takes another message and answers it.
func (a *actor) followUp() (rounds []scripted.Round, play func(*reader)) {
	words, text := a.words(), a.prose(2)
	return []scripted.Round{{When: when(words, 0), Text: scripted.Text{text}}}, func(r *reader) {
		thread := r.stream.Events[0].Thread
		a.reads(a.begin(thread, words, 1, agent.TurnComplete).completed(), text)
	}
}

// reads checks what a completed turn says.
func (a *actor) reads(done agent.TurnCompleted, text string) {
	if done.Text != text {
		a.t.Errorf("the answer is %q, want %q", done.Text, text)
	}
}

// shown reads to a preview of one of the wishes and tells whose it is.
func (a *actor) shown(r *reader, wishes ...wish) (agent.PreviewShown, wish) {
	p := r.preview()
	for _, w := range wishes {
		if regexp.MustCompile(regexp.QuoteMeta(w.token) + `\b`).Match(p.Input) {
			a.world.may(w.token, 1)
			return p, w
		}
	}
	a.t.Fatalf("a preview of nobody's wish: %s", p.Input)
	return p, wish{}
}

// answer decides one preview and checks the answer.
func (a *actor) answer(r *reader, p agent.PreviewShown, decision string, input json.RawMessage) agent.Outcome {
	d := harness.Decision(r.turn, decision, p)
	d.Decisions[0].Input = input
	o := a.decide(d)[0]
	if o.CallID != p.CallID || o.ReceiptID != p.ReceiptID {
		a.t.Fatalf("the outcome of %s %s is %+v", p.CallID, p.ReceiptID, o)
	}
	return o
}

// taken decides and checks that the decision was taken as it was given.
func (a *actor) taken(r *reader, p agent.PreviewShown, decision string, input json.RawMessage) {
	want := map[string]agent.Verdict{agent.AnswerAccept: agent.VerdictAccepted, agent.AnswerDiscard: agent.VerdictDiscarded, agent.AnswerEdit: agent.VerdictEdited}[decision]
	if o := a.answer(r, p, decision, input); o.Outcome != agent.OutcomeTaken || o.Decision != want {
		a.t.Errorf("the answer %s to %s was taken as %+v", decision, p.CallID, o)
	}
}

// accept accepts a preview whose slide did not move, to its effect.
func (a *actor) accept(r *reader, p agent.PreviewShown, w wish) {
	a.taken(r, p, agent.AnswerAccept, nil)
	a.took(r, p, w)
}

// took reads that an accepted change was applied.
func (a *actor) took(r *reader, p agent.PreviewShown, w wish) {
	if done := r.effect(p.CallID); !done.OK || done.State != agent.EffectApplied || done.Phase != agent.PhaseApply {
		a.t.Fatalf("an accepted change ended as %+v", done)
	}
	a.world.applied(r.turn, p.CallID, w.slide.Path, w.drawn())
}

// discard discards a preview, to the word that it is gone.
func (a *actor) discard(r *reader, p agent.PreviewShown) {
	a.taken(r, p, agent.AnswerDiscard, nil)
	a.world.settled(r.turn, p.CallID, agent.PhaseDiscard)
	if done := r.effect(p.CallID); !done.OK || done.State != agent.EffectDiscarded {
		a.t.Fatalf("a discarded change ended as %+v", done)
	}
}

// rewrites gives a slide another text by the editor's hand.
func (a *actor) rewrites(path string) string {
	text := fmt.Sprintf("<section>\n  <h2>By hand %d</h2>\n</section>\n", a.rng.Uint64())
	a.world.edited(a.editor.commit(path, text, true), path, text)
	return text
}
