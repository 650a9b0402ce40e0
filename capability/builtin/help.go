package builtin

import (
	"context"
	_ "embed"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/capability"
)

//go:embed help.md
var helpWords string

type helpInput struct {
	About string `json:"about,omitempty" jsonschema:"a word that the name, title or description must contain"`
}

type helpEntry struct {
	Name        string `json:"name"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Effect      string `json:"effect"`
}

type helpOutput struct {
	Capabilities []helpEntry `json:"capabilities"`
	Note         string      `json:"note,omitempty"`
}

// Help makes capability.help: what the caller can ask for in this turn, from the
// registry, in words. What the turn's list, tier or policy takes away is not
// among it.
func Help(reg *capability.Registry) agent.Capability {
	return capability.Func(capability.Spec{
		Name: "capability.help", Title: "What you can ask for", Description: helpWords,
		Kind: agent.KindRead, Tier: agent.TierViewer, Shared: true,
	}, func(ctx context.Context, _ *agent.Call, in helpInput) (helpOutput, error) {
		out := helpOutput{Capabilities: []helpEntry{}}
		for _, c := range reg.All() {
			if capability.Callable(ctx, c) && mentions(c, in.About) {
				out.Capabilities = append(out.Capabilities, helpEntry{c.Name, c.Title, c.Description, effect(c)})
			}
		}
		if len(out.Capabilities) == 0 {
			out.Note = "Nothing here has to do with that. Call again without about to see everything."
		}
		return out, nil
	})
}

func mentions(c agent.Capability, about string) bool {
	text := strings.ToLower(c.Name + " " + c.Title + " " + c.Description)
	return strings.Contains(text, strings.ToLower(strings.TrimSpace(about)))
}

func effect(c agent.Capability) string {
	switch {
	case c.RequiresConfirmation:
		return "shows a preview first; nothing changes until the user accepts"
	case c.Kind == agent.KindMutate:
		return "changes something at once"
	default:
		return "only looks"
	}
}
