package account

import (
	"context"
	"strings"
	"unicode/utf8"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/policy"
)

// PreviewRedaction gives a text as a provider would see it under the org's policy, in a
// new conversation.
func (a *Account) PreviewRedaction(ctx context.Context, text string) (agent.RedactionPreview, error) {
	if _, err := agent.PrincipalFrom(ctx); err != nil {
		return agent.RedactionPreview{}, err
	}
	switch {
	case len(text) > agent.MaxMessageBytes:
		return agent.RedactionPreview{}, &agent.Error{Code: agent.CodeTooLarge, Pointer: "/text", Message: "The text is longer than 200 KiB.",
			Hint: "Look at it in parts."}
	case strings.TrimSpace(text) == "" || !utf8.ValidString(text):
		return agent.RedactionPreview{}, invalid("/text", "There is no text to look at.")
	}
	pol, err := a.Policies.Policy(ctx)
	if err != nil {
		return agent.RedactionPreview{}, err
	}
	rules, err := policy.CompileRedaction(pol.Redaction)
	if err != nil {
		e := agent.Wrap(agent.CodePolicyDenied, err, "Your organisation's rules of what to keep from providers cannot be used.")
		e.Hint = "Ask an admin of your organisation to set them again."
		return agent.RedactionPreview{}, e
	}
	shown, found := policy.PreviewRedaction(rules, text)
	if found == nil {
		found = []agent.RedactionCount{}
	}
	return agent.RedactionPreview{Text: shown, Found: found, PolicyVersion: pol.Version}, nil
}
