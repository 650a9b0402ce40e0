package server

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strings"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/outbound"
	"github.com/lossless-group/in-app-agent/provider/anthropic"
	"github.com/lossless-group/in-app-agent/provider/openai"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

// catalogue implements agent.Models over the operator's providers.
type catalogue struct {
	endpoints []endpoint
	def       string
}

type endpoint struct {
	Provider
	model    agent.Model
	scripted bool
}

var _ agent.Models = (*catalogue)(nil)

// validProvider is what key rows carry, and what people type after --provider.
var validProvider = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`)

func newCatalogue(c Config) (*catalogue, error) {
	cat, err := openCatalogue(c)
	if err != nil {
		return nil, err
	}
	if _, err := cat.Route(cat.def); err != nil {
		return nil, fmt.Errorf("model.default is %q, which no configured provider serves", cat.def)
	}
	return cat, nil
}

// openCatalogue is newCatalogue without the check of the default model, which a
// verb that stores keys does not ask.
func openCatalogue(c Config) (*catalogue, error) {
	cat := &catalogue{def: orElse(c.DefaultModel, DefaultModel)}
	if c.Scripted != nil {
		cat.endpoints = append(cat.endpoints, endpoint{
			Provider: Provider{ID: scripted.Provider, Models: []string{scripted.Provider}, Keyless: true}, model: c.Scripted, scripted: true,
		})
	}
	seen := map[string]bool{scripted.Provider: true}
	for _, p := range c.Providers {
		if seen[p.ID] || p.ID == "" {
			return nil, fmt.Errorf("the provider id %q is empty or stands twice in the configuration", p.ID)
		}
		if !validProvider.MatchString(p.ID) {
			return nil, fmt.Errorf("the provider id %.70q is none: it is at most 64 lower-case letters, digits, dots, hyphens and underscores, and begins with a letter or digit", p.ID)
		}
		if len(p.Models) == 0 {
			return nil, fmt.Errorf("provider %s: it has no models, so nobody could ask it; name some under models", p.ID)
		}
		seen[p.ID] = true
		for _, m := range p.Models {
			if _, err := path.Match(m, ""); err != nil || m == "" || m != strings.TrimSpace(m) {
				return nil, fmt.Errorf("provider %s: the model %q is not a name or a glob", p.ID, m)
			}
		}
		if err := checkWindows(p); err != nil {
			return nil, err
		}
		model, err := p.open(c.Now)
		if err != nil {
			return nil, fmt.Errorf("provider %s: %w", p.ID, err)
		}
		cat.endpoints = append(cat.endpoints, endpoint{Provider: p, model: model})
	}
	return cat, nil
}

// open makes the adapter with a client that reaches its own address only.
func (p Provider) open(now func() time.Time) (agent.Model, error) {
	base, private := p.BaseURL, p.BaseURL != ""
	if base == "" {
		switch p.Kind {
		case "anthropic":
			base = "https://api.anthropic.com/"
		default:
			base = openai.DefaultBaseURL
		}
	}
	host, err := outbound.HostOf(base, private)
	if err != nil {
		return nil, p.badAddress(err)
	}
	client := outbound.NewClient(outbound.Policy{Hosts: []outbound.Host{host}, Purpose: "model", Now: now, Record: recordEgress})
	return p.adapter(client, now)
}

// badAddress says which address cannot be used and where it was given. Credentials and
// queries of it are not repeated.
func (p Provider) badAddress(err error) error {
	var refused *outbound.RefusedError
	if !errors.As(err, &refused) {
		return err
	}
	shown := p.BaseURL
	if u, err := url.Parse(shown); err != nil || u.User != nil || u.RawQuery != "" || strings.Contains(shown, "@") {
		shown = ""
	}
	from := p.From
	if from == "" {
		from = "baseUrl"
	}
	if shown == "" {
		return fmt.Errorf("the address in %s is refused: %s", from, refused.Reason)
	}
	return fmt.Errorf("the address %.100q in %s is refused: %s", shown, from, refused.Reason)
}

func (p Provider) adapter(client *http.Client, now func() time.Time) (agent.Model, error) {
	switch p.Kind {
	case "anthropic":
		return anthropic.New(anthropic.Config{BaseURL: p.BaseURL, HTTP: client, Now: now}), nil
	case "openai":
		return openai.New(openai.Config{ProviderID: p.ID, BaseURL: p.BaseURL, API: p.API, HTTP: client, Now: now}), nil
	default:
		return nil, fmt.Errorf("the kind %q is neither anthropic nor openai", p.Kind)
	}
}

// Route finds the socket of a model: a plain name first, then globs, both in the
// operator's order.
func (c *catalogue) Route(name string) (agent.ModelRoute, error) {
	for _, glob := range []bool{false, true} {
		for _, e := range c.endpoints {
			for _, m := range e.Models {
				isGlob := strings.ContainsAny(m, "*?[")
				if isGlob != glob {
					continue
				}
				ok := m == name
				if isGlob {
					ok, _ = path.Match(m, name)
				}
				if ok && name != "" {
					return e.route(name), nil
				}
			}
		}
	}
	return agent.ModelRoute{}, &agent.Error{Code: agent.CodeInvalidInput, Pointer: "/model",
		Message: "No provider here serves that model.", Hint: "Choose one of the models in the settings."}
}

// RouteProvider finds the model that a provider's keys are tested with.
func (c *catalogue) RouteProvider(provider string) (agent.ModelRoute, error) {
	for _, e := range c.endpoints {
		if e.ID != provider || e.Keyless {
			continue
		}
		for _, m := range e.Models {
			if !strings.ContainsAny(m, "*?[") {
				return e.route(m), nil
			}
		}
	}
	return agent.ModelRoute{}, &agent.Error{Code: agent.CodeInvalidInput, Pointer: "/provider",
		Message: "That provider takes no key here.", Hint: "Choose one of the providers in the settings."}
}

func (e endpoint) route(name string) agent.ModelRoute {
	return agent.ModelRoute{
		ModelInfo: agent.ModelInfo{Name: name, Provider: e.ID, Scripted: e.scripted},
		Model:     e.model, NeedsKey: !e.Keyless, Window: windowOf(e.Windows, name),
	}
}

// List gives every plain model name.
func (c *catalogue) List() []agent.ModelInfo {
	var out []agent.ModelInfo
	for _, e := range c.endpoints {
		for _, m := range e.Models {
			if !strings.ContainsAny(m, "*?[") {
				out = append(out, agent.ModelInfo{Name: m, Provider: e.ID, Scripted: e.scripted})
			}
		}
	}
	return out
}

// Default is model.default.
func (c *catalogue) Default() string { return c.def }
