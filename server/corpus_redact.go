package server

import (
	"context"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/policy"
)

// discreet is an embedder at an endpoint that never sees what the org of the context
// keeps from providers. Where a text is nobody's, such as a document that every org may
// read, the rule for secrets holds.
type discreet struct {
	agent.Embedder
	policies agent.Policies // nil where no org is known
}

// Embed asks the endpoint for the vectors of texts with placeholders. Each text has its
// own numbers, so that it has the same vector whatever it is embedded with.
func (d discreet) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	rules, err := d.rules(ctx)
	if err != nil {
		return nil, err
	}
	out, replaced := make([]string, len(texts)), 0
	for i, text := range texts {
		thread := policy.NewRedaction(rules, nil)
		out[i] = thread.Text(text)
		replaced += len(thread.Entries())
	}
	return d.Embedder.Embed(agent.WithRedactions(ctx, replaced), out)
}

func (d discreet) rules(ctx context.Context) (*policy.Redactor, error) {
	kept := agent.DefaultRedaction()
	if p, err := agent.PrincipalFrom(ctx); err == nil && p.OrgID != "" && d.policies != nil {
		pol, err := d.policies.Policy(ctx)
		if err != nil {
			return nil, err
		}
		kept = pol.Redaction
	}
	rules, err := policy.CompileRedaction(kept)
	if err != nil {
		return nil, agent.Wrap(agent.CodePolicyDenied, err, "The organisation's rules of what to keep from providers cannot be used.")
	}
	return rules, nil
}
