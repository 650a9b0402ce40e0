package crash

import (
	"net/http"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/e2e/harness"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

// remembers has an accept remembered and asks for the same again, which the rule
// accepts; what is beyond the rule, or comes when it was revoked, waits for its user.
func (a *actor) remembers() act {
	slides := a.pick(2)
	w := a.wish(slides[0])
	w.capability = "slide.variant" // a change of another kind is not remembered
	beyond, revoked := w, false
	switch a.rng.IntN(3) {
	case 0:
		beyond.slide = slides[1]
	case 1:
		beyond = a.again(w)
	default:
		revoked = true
	}
	words, texts := [3]string{}, [3]string{}
	var rounds []scripted.Round
	for i, one := range []wish{w, w, beyond} {
		words[i], texts[i] = a.words(), a.prose(3)
		rounds = append(rounds, a.proposals(words[i], texts[i], one)...)
	}
	return act{rounds: rounds, play: func() {
		r := a.begin("", words[0], 1, agent.TurnComplete)
		p, _ := a.shown(r, w)
		rule := a.acceptsAlways(r, p, w)
		a.reads(r.completed(), texts[0])
		thread := r.stream.Events[0].Thread

		a.rewrites(w.slide.Path)
		a.byRule(thread, words[1], texts[1], w, rule)

		if revoked {
			a.rewrites(w.slide.Path)
			a.ask("DELETE /permissions/"+rule, nil, http.StatusNoContent, http.StatusNotFound)
		}
		r = a.begin(thread, words[2], 1, agent.TurnComplete)
		p, _ = a.shown(r, beyond)
		a.settledTurn(r)
		a.discard(r, p)
		a.reads(r.completed(), texts[2])
	}}
}

// acceptsAlways accepts a preview for this time and the next ones, and gives the rule.
func (a *actor) acceptsAlways(r *reader, p agent.PreviewShown, w wish) (rule string) {
	d := harness.Decision(r.turn, agent.AnswerAccept, p)
	d.Decisions[0].Remember = true
	for range 2 { // the second one is answered with what the first one made
		o := a.decide(d)[0]
		if o.Outcome != agent.OutcomeTaken || o.PermissionID == "" || rule != "" && o.PermissionID != rule {
			a.t.Fatalf("an accept to be remembered was taken as %+v after the rule %q", o, rule)
		}
		rule = o.PermissionID
	}
	a.world.ruled(rule, 0)
	a.took(r, p, w)
	return rule
}

// byRule asks for what a rule covers. A turn that a restart took up asks its user.
func (a *actor) byRule(thread agent.ThreadID, words, text string, w wish, rule string) {
	life := a.life.generation()
	r := a.begin(thread, words, 1, agent.TurnComplete)
	p, _ := a.shown(r, w)
	if now := a.settled(r.turn); now.State == agent.TurnAwaiting {
		if a.life.generation() == life {
			a.t.Errorf("what the rule %s covers was left to its user", rule)
		}
		a.accept(r, p, w)
		a.reads(r.completed(), text)
		return
	}
	a.took(r, p, w)
	a.reads(r.completed(), text)
	for _, d := range harness.Of[agent.Decided](a.t, r.seen()) {
		if d.By != "rule" || d.PermissionID != rule {
			a.t.Errorf("what the rule %s covers was decided by %s %s", rule, d.By, d.PermissionID)
		}
	}
	a.world.ruled(rule, 1)
}
