package account

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	agent "github.com/lossless-group/in-app-agent"
)

// Limits of a key.
const (
	minKeyBytes = 8
	maxKeyBytes = 512
)

// CheckProvider finds the model that a provider's keys are for. Every way in asks
// it: a person's key over HTTP and an org's from the keys verb. Errors:
// invalid_input, with the providers that take a key.
func CheckProvider(models agent.Models, provider string) (agent.ModelRoute, error) {
	route, err := models.RouteProvider(provider)
	if err == nil && route.NeedsKey {
		return route, nil
	}
	fault := invalid("/provider", "This provider takes no key here.")
	if known := KeyProviders(models); len(known) > 0 {
		fault.Hint = "Those that take one: " + strings.Join(known, ", ") + "."
	}
	return agent.ModelRoute{}, fault
}

// CheckKey refuses what cannot be a key of a provider, before it goes anywhere.
// Errors: invalid_input, which quotes nothing of the key.
func CheckKey(provider string, key agent.Secret) error {
	if fault := keyFault(provider, key.Reveal()); fault != "" {
		return invalid("/key", fault)
	}
	return nil
}

// KeyProviders lists the providers that take a key, in the operator's order.
func KeyProviders(models agent.Models) []string {
	var providers []string
	for _, m := range models.List() {
		if slices.Contains(providers, m.Provider) {
			continue
		}
		if route, err := models.RouteProvider(m.Provider); err == nil && route.NeedsKey {
			providers = append(providers, m.Provider)
		}
	}
	return providers
}

// keyFault says in a sentence why a text cannot be a key of a provider, and quotes
// nothing of it.
func keyFault(provider, key string) string {
	switch {
	case len(key) < minKeyBytes:
		return "This is too short for a key. Copy the whole of it."
	case len(key) > maxKeyBytes:
		return "This is too long for a key. A key has at most 512 characters."
	case !utf8.ValidString(key) || strings.ContainsFunc(key, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }):
		return "A key has no spaces and no line breaks. Copy it again."
	}
	if owner := keyOwner(key); owner != "" && owner != provider && !strings.HasPrefix(provider, owner+"-") {
		return "This looks like a key of " + makerOf(owner) + ", but the provider chosen is " + makerOf(provider) + ". It was not sent anywhere."
	}
	return ""
}

// keyOwners are the beginnings that tell a provider for sure. A bare sk- does not:
// many have it.
var keyOwners = []struct{ prefix, owner string }{
	{"sk-ant-", "anthropic"},
	{"sk-proj-", "openai"},
	{"sk-svcacct-", "openai"},
	{"gsk_", "groq"},
}

// makers are how the providers write themselves.
var makers = map[string]string{"anthropic": "Anthropic", "openai": "OpenAI", "groq": "Groq"}

// makerOf names a provider as people know it; an operator's own id stands for itself.
func makerOf(provider string) string {
	if name, ok := makers[provider]; ok {
		return name
	}
	return provider
}

func keyOwner(key string) string {
	for _, o := range keyOwners {
		if strings.HasPrefix(key, o.prefix) {
			return o.owner
		}
	}
	return ""
}
