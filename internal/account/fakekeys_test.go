package account

import (
	"context"
	"iter"

	agent "github.com/lossless-group/in-app-agent"
)

// fakeVault keeps keys of one user in memory.
type fakeVault struct {
	keys    []agent.KeyRef
	labels  map[string]string
	org     map[string]agent.KeyRef
	revoked []string
	err     error
	orgErr  error
}

func (v *fakeVault) Put(_ context.Context, provider, label string, key agent.Secret) (agent.KeyInfo, error) {
	if v.err != nil {
		return agent.KeyInfo{}, v.err
	}
	id := "ky" + label
	v.keys = append(v.keys, agent.KeyRef{ID: id, Provider: provider, Source: agent.KeySourceUser, Secret: key})
	v.labels[id] = label
	return agent.KeyInfo{ID: id, Provider: provider, Label: label, LastFour: key.LastFour()}, nil
}

func (v *fakeVault) Find(_ context.Context, provider string) (agent.KeyRef, error) {
	for _, k := range v.keys {
		if k.Provider == provider {
			return k, v.err
		}
	}
	return agent.KeyRef{}, agent.NotFound("key")
}

func (v *fakeVault) Open(_ context.Context, id string) (agent.KeyRef, error) {
	for _, k := range v.keys {
		if k.ID == id {
			return k, v.err
		}
	}
	return agent.KeyRef{}, agent.NotFound("key")
}

func (v *fakeVault) FindOrg(_ context.Context, provider string) (agent.KeyRef, error) {
	if v.orgErr != nil {
		return agent.KeyRef{}, v.orgErr
	}
	if k, ok := v.org[provider]; ok {
		return k, nil
	}
	return agent.KeyRef{}, agent.NotFound("key")
}

func (v *fakeVault) PutOrg(context.Context, string, agent.Secret) error { return nil }

func (v *fakeVault) List(context.Context) ([]agent.KeyInfo, error) {
	var list []agent.KeyInfo
	for _, k := range v.keys {
		list = append(list, agent.KeyInfo{ID: k.ID, Provider: k.Provider, Label: v.labels[k.ID]})
	}
	return list, nil
}

func (v *fakeVault) Revoke(_ context.Context, id string) error {
	v.revoked = append(v.revoked, id)
	return nil
}
func (v *fakeVault) Touch(context.Context, string) error { return nil }

// fakeModel answers a key test with one error, or well.
type fakeModel struct {
	err    error
	silent bool
	asked  []agent.ModelRequest
	during func()
}

func (m *fakeModel) Stream(_ context.Context, req agent.ModelRequest) iter.Seq2[agent.Delta, error] {
	return func(yield func(agent.Delta, error) bool) {
		m.asked = append(m.asked, req)
		if m.during != nil {
			m.during()
		}
		switch {
		case m.err != nil:
			yield(agent.Delta{}, m.err)
		case m.silent:
			yield(agent.Delta{Kind: agent.DeltaOpened}, nil)
		default:
			_ = yield(agent.Delta{Kind: agent.DeltaOpened}, nil) && yield(agent.Delta{Kind: agent.DeltaDone, Answer: &agent.Answer{}}, nil)
		}
	}
}

// fakeModels is a catalogue of anthropic, openai, a keyless endpoint and scripted.
type fakeModels struct{ model agent.Model }

var catalogue = []agent.ModelInfo{
	{Name: "claude-sonnet-4-6", Provider: "anthropic"}, {Name: "claude-opus-4-6", Provider: "anthropic"},
	{Name: "gpt-5.2", Provider: "openai"}, {Name: "llama", Provider: "ollama"}, {Name: "scripted", Provider: "scripted", Scripted: true},
}

func (f fakeModels) find(match func(agent.ModelInfo) bool, pointer string) (agent.ModelRoute, error) {
	for _, m := range catalogue {
		if match(m) {
			return agent.ModelRoute{ModelInfo: m, Model: f.model, NeedsKey: m.Provider == "anthropic" || m.Provider == "openai"}, nil
		}
	}
	return agent.ModelRoute{}, invalid(pointer, "There is none.")
}

func (f fakeModels) Route(name string) (agent.ModelRoute, error) {
	return f.find(func(m agent.ModelInfo) bool { return m.Name == name }, "/model")
}

func (f fakeModels) RouteProvider(provider string) (agent.ModelRoute, error) {
	return f.find(func(m agent.ModelInfo) bool { return m.Provider == provider }, "/provider")
}

func (f fakeModels) List() []agent.ModelInfo { return catalogue }
func (f fakeModels) Default() string         { return "claude-sonnet-4-6" }
