package engine

import (
	"context"
	"sync"

	agent "github.com/lossless-group/in-app-agent"
)

// generated keeps what the one-shot model calls of capabilities used.
type generated struct {
	mu    sync.Mutex
	calls map[agent.CallID][]agent.Usage
}

func (g *generated) add(id agent.CallID, u agent.Usage) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.calls == nil {
		g.calls = map[agent.CallID][]agent.Usage{}
	}
	g.calls[id] = append(g.calls[id], u)
}

// of sums what a call used.
func (g *generated) of(id agent.CallID) agent.Usage {
	g.mu.Lock()
	defer g.mu.Unlock()
	var sum agent.Usage
	for _, u := range g.calls[id] {
		sum = addUsage(sum, u)
	}
	return sum
}

// usages gives the usage events of a call.
func (r *run) usages(id agent.CallID) []agent.Payload {
	r.generated.mu.Lock()
	defer r.generated.mu.Unlock()
	var out []agent.Payload
	for _, u := range r.generated.calls[id] {
		out = append(out, r.usageOf("generate", u))
	}
	return out
}

// generate asks the model once for a capability: on the turn's own key, with the
// same retry loop, and no tools.
func (r *run) generate(ctx context.Context, c agent.CallRecord, g agent.GenerateRequest) (string, error) {
	route, err := r.e.Models.Route(r.rec.Turn.Model)
	if err != nil {
		return "", err
	}
	key, err := r.e.openKey(ctx, r.rec.Turn, false)
	if err != nil {
		return "", err
	}
	req := agent.ModelRequest{
		Model: r.rec.Turn.Model, Key: key.Secret, Purpose: g.Purpose, MaxTokens: g.MaxTokens,
		Messages: []agent.ModelMessage{{Role: agent.RoleUser, Blocks: []agent.Block{{Kind: agent.BlockText, Text: g.Prompt}}}},
	}
	if g.System != "" {
		req.System = []agent.Slab{{Text: g.System}}
	}
	if req.MaxTokens == 0 {
		req.MaxTokens = r.e.Limits.StepTokens
	}
	answer, _, err := r.ask(ctx, route.Model, req, false, c.Capability)
	if err != nil {
		return "", err
	}
	r.generated.add(c.ID, answer.Usage)
	if answer.Stop == agent.StopMaxTokens {
		return "", agent.Errorf(agent.CodeTooLarge, "What the model wrote for this was longer than it may be, and was cut.")
	}
	var text string
	for _, b := range answer.Blocks {
		if b.Kind == agent.BlockText {
			text += b.Text
		}
	}
	if text == "" {
		return "", agent.Errorf(agent.CodeProviderError, "The model wrote nothing for this.")
	}
	return text, nil
}

func addUsage(a, b agent.Usage) agent.Usage {
	sum := func(x, y *int64) *int64 {
		if x == nil {
			return y
		}
		if y == nil {
			return x
		}
		s := *x + *y
		return &s
	}
	return agent.Usage{TokensIn: sum(a.TokensIn, b.TokensIn), TokensOut: sum(a.TokensOut, b.TokensOut),
		CacheRead: sum(a.CacheRead, b.CacheRead), CacheCreation: sum(a.CacheCreation, b.CacheCreation)}
}
