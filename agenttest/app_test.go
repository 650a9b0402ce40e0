package agenttest_test

import (
	"context"
	"encoding/json"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/agenttest"
	"github.com/lossless-group/in-app-agent/capability"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

// set is a capability that changes a word once its preview is accepted.
func set(to *string) agent.Capability {
	return capability.Confirming(capability.Spec{Name: "word.set", Title: "Set the word", Description: "Sets it.", Kind: agent.KindMutate, Tier: agent.TierUser},
		capability.Confirm[word, word]{
			Resources: func(context.Context, *agent.Call, word) ([]agent.Resource, error) {
				return []agent.Resource{{ID: "word", Version: *to}}, nil
			},
			Preview: func(_ context.Context, _ *agent.Call, in word) (agent.Preview, error) {
				return agent.Preview{Summary: "Sets the word to " + in.Word}, nil
			},
			Apply: func(_ context.Context, _ *agent.Call, in word, _ agent.Receipt) (word, error) {
				*to = in.Word
				return in, nil
			},
		})
}

func TestAPreviewWaitsAndIsDecided(t *testing.T) {
	now := "old"
	app := agenttest.New(t, func() agenttest.Parts {
		return agenttest.Parts{Capabilities: []agent.Capability{set(&now)},
			Brain: scripted.BrainFunc(func(req agent.ModelRequest) (scripted.Round, error) {
				if last := req.Messages[len(req.Messages)-1]; last.Blocks[0].Kind == agent.BlockResult {
					return scripted.Round{Text: scripted.Text{"Done."}}, nil
				}
				return scripted.Round{Calls: []scripted.Call{{Name: "word.set", Input: json.RawMessage(`{"word":"new"}`)}}}, nil
			})}
	})
	turn := app.Say("", "Set it.")
	if len(turn.Previews) != 1 || now != "old" || turn.Text != "" {
		t.Fatalf("%+v, the word is %s", turn, now)
	}
	if turn = app.Decide(turn, "accept"); now != "new" || turn.Text != "Done." || len(turn.Previews) != 0 {
		t.Fatalf("%+v, the word is %s", turn, now)
	}
	app.Restart()
	if next := app.Decide(app.Say(turn.Thread, "Again."), "discard"); next.Text != "Done." || now != "new" {
		t.Fatalf("%+v", next)
	}
}
