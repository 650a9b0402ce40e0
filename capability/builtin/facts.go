package builtin

import (
	"context"
	_ "embed"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/capability"
)

//go:embed facts.md
var factsWords string

type factsOutput struct {
	Project agent.Project `json:"project"`
	Facts   []agent.Fact  `json:"facts"`
}

// Facts makes facts.list: the host's own facts about the open project, as the
// host gives them.
func Facts(host agent.Host) agent.Capability {
	return capability.Func(capability.Spec{
		Name: "facts.list", Title: "Facts about the project", Description: factsWords,
		Kind: agent.KindRead, Tier: agent.TierViewer, Shared: true,
	}, func(ctx context.Context, call *agent.Call, _ struct{}) (factsOutput, error) {
		facts, err := host.Facts(ctx, call.Project)
		if err != nil {
			return factsOutput{}, err
		}
		if facts == nil {
			facts = []agent.Fact{}
		}
		return factsOutput{Project: call.Project, Facts: facts}, nil
	})
}
