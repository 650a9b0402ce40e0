package server

import (
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

func TestAModelHasTheWindowOfTheOperatorElseTheMakers(t *testing.T) {
	cat, err := openCatalogue(Config{Providers: []Provider{
		{ID: "anthropic", Kind: "anthropic", Models: []string{"claude-*"}, Windows: []ModelWindow{{"claude-opus-4-6", 1_000_000}, {"claude-small-*", 32_768}}},
		{ID: "local", Kind: "openai", BaseURL: "http://127.0.0.1:1/", Models: []string{"own", "gpt-5-*", "openai/gpt-oss-20b", "x*"}, Keyless: true,
			Windows: []ModelWindow{{"x*", 8192}, {"xy", 9000}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for model, want := range map[string]int{
		"claude-sonnet-4-6": 200_000, "claude-opus-4-6": 1_000_000, "claude-small-1": 32_768, "own": agent.DefaultWindow,
		"gpt-5-mini": 400_000, "openai/gpt-oss-20b": 131_072, "xy": 8192,
	} {
		if route, err := cat.Route(model); err != nil || route.Window != want {
			t.Errorf("%s: %d tokens, want %d (%v)", model, route.Window, want, err)
		}
	}
}

func TestAWindowThatHoldsNoTurnIsRefused(t *testing.T) {
	for _, c := range []struct {
		w    ModelWindow
		want string
	}{{ModelWindow{"m", minWindow}, ""}, {ModelWindow{"m", minWindow - 1}, "holds no turn"}, {ModelWindow{"", 32_768}, "name of a model"}, {ModelWindow{"[", 32_768}, "name of a model"}} {
		_, err := openCatalogue(Config{Providers: []Provider{{ID: "p", Kind: "openai", Models: []string{"m"}, Windows: []ModelWindow{c.w}}}})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c.w, err)
		}
	}
}
