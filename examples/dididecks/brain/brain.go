package brain

import (
	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/examples/dididecks/rewrite"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

// Brain gives the scripted brain of the deck app.
func Brain() scripted.Brain { return scripted.BrainFunc(round) }

func round(req agent.ModelRequest) (scripted.Round, error) {
	if scripted.OneShot(req) {
		return generate(req), nil
	}
	return step(read(req)), nil
}

// generate answers the one-shot question of a capability.
func generate(req agent.ModelRequest) scripted.Round {
	prompt := ""
	for _, m := range req.Messages {
		for _, b := range m.Blocks {
			if b.Kind == agent.BlockText {
				prompt += b.Text
			}
		}
	}
	r, ok := rewrite.Parse(prompt)
	if !ok {
		return scripted.Round{Text: scripted.Text{"The scripted model can only rewrite slides."}}
	}
	return scripted.Round{Text: scripted.Text{Rewrite(r)}}
}
