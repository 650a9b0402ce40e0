package server

import (
	"strings"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

func catalog(t *testing.T, change func(*Config)) (*catalogue, error) {
	t.Helper()
	c := Config{Now: time.Now, Providers: DefaultProviders(nil), Scripted: scripted.New(scripted.NewScript(), scripted.Options{})}
	if change != nil {
		change(&c)
	}
	return newCatalogue(c)
}

func TestTheProviderFollowsFromTheModel(t *testing.T) {
	cat, err := catalog(t, func(c *Config) {
		c.Providers = append([]Provider{{ID: "local", Kind: "openai", BaseURL: "http://127.0.0.1:1/v1/", Models: []string{"qwen3", "gpt-oss*"}, Keyless: true}}, c.Providers...)
	})
	if err != nil {
		t.Fatal(err)
	}
	for model, want := range map[string]string{
		"claude-sonnet-4-6": "anthropic", "claude-next": "anthropic", "gpt-5.2": "openai", "o3-mini": "openai",
		"llama-3.3-70b-versatile": "groq", "qwen3": "local", "gpt-oss-20b": "local", "scripted": "scripted",
		"nope": "", "": "", "claude": "", "CLAUDE-sonnet-4-6": "", "claude-*": "anthropic",
	} {
		route, err := cat.Route(model)
		if want == "" {
			if agent.ErrorCode(err) != agent.CodeInvalidInput {
				t.Errorf("%q is served by %s", model, route.Provider)
			}
			continue
		}
		if err != nil || route.Provider != want || route.Model == nil {
			t.Errorf("%q: %s, %v", model, route.Provider, err)
		}
		if keyless := want == "local" || want == "scripted"; route.NeedsKey == keyless {
			t.Errorf("%q needs a key: %v", model, route.NeedsKey)
		}
	}
	for _, m := range cat.List() {
		if strings.Contains(m.Name, "*") {
			t.Errorf("the list shows the glob %s", m.Name)
		}
	}
	if r, err := cat.RouteProvider("groq"); err != nil || r.Name != "openai/gpt-oss-120b" {
		t.Errorf("groq's keys are tested with %s, %v", r.Name, err)
	}
	for _, none := range []string{"local", "scripted", "nope"} {
		if _, err := cat.RouteProvider(none); agent.ErrorCode(err) != agent.CodeInvalidInput {
			t.Errorf("%s takes keys", none)
		}
	}
}

func TestAConfigurationThatCannotWorkIsRefusedWithASentence(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"stands twice":           func(c *Config) { c.Providers = append(c.Providers, c.Providers[0]) },
		"neither anthropic nor":  func(c *Config) { c.Providers[0].Kind = "carrier-pigeon" },
		"not a name or a glob":   func(c *Config) { c.Providers[0].Models = []string{"["} },
		"no configured provider": func(c *Config) { c.DefaultModel = "nope" },
		"refused":                func(c *Config) { c.Providers[0].BaseURL = "ftp://example.test" },
		"is empty":               func(c *Config) { c.Providers[0].ID = "" },
		"a b\" is none":          func(c *Config) { c.Providers[0].ID = "a b" },
		"A\" is none":            func(c *Config) { c.Providers[0].ID = "A" },
		"-a\" is none":           func(c *Config) { c.Providers[0].ID = "-a" },
		"at most 64":             func(c *Config) { c.Providers[0].ID = strings.Repeat("a", 65) },
		"has no models":          func(c *Config) { c.Providers[0].Models = nil },
		"model \"\" is not":      func(c *Config) { c.Providers[0].Models = []string{""} },
	} {
		if _, err := catalog(t, change); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestIdsSortByAgeAndNeverRepeat(t *testing.T) {
	at := time.UnixMilli(1_800_000_000_000)
	mint := newID(func() time.Time { return at })
	first := mint("turn")
	at = at.Add(time.Millisecond)
	second := mint("turn")
	if first >= second || !strings.HasPrefix(first, "turn_") || len(first) != len("turn_")+26 {
		t.Fatalf("%s, %s", first, second)
	}
	seen := map[string]bool{}
	for range 10_000 {
		id := mint("x")
		if seen[id] {
			t.Fatal("an id repeats")
		}
		seen[id] = true
	}
}
