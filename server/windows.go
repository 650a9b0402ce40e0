package server

import (
	"fmt"
	"path"

	agent "github.com/lossless-group/in-app-agent"
)

// ModelWindow says how many tokens a model can read at once, its answer included.
type ModelWindow struct {
	// Model is a name or a glob; of several that fit the first counts.
	Model  string `koanf:"model"`
	Tokens int    `koanf:"tokens"`
}

// minWindow is the smallest context window that a turn can be held in.
const minWindow = 8192

// DefaultWindows are the windows of models that the makers publish, smaller where a
// model has several. An operator's own stand before them; a model that none fits has
// agent.DefaultWindow.
var DefaultWindows = []ModelWindow{
	{"claude-*", 200_000},
	{"gpt-5*", 400_000}, {"gpt-4.1*", 1_000_000}, {"gpt-4o*", 128_000}, {"o3*", 200_000}, {"o4*", 200_000},
	{"openai/gpt-oss-*", 131_072}, {"llama-3.*", 131_072},
	{"scripted", 200_000},
}

// windowOf gives what a model can read at once.
func windowOf(own []ModelWindow, model string) int {
	for _, list := range [][]ModelWindow{own, DefaultWindows} {
		for _, w := range list {
			if ok, _ := path.Match(w.Model, model); ok || w.Model == model {
				return w.Tokens
			}
		}
	}
	return agent.DefaultWindow
}

// checkWindows refuses what no turn could be held in.
func checkWindows(p Provider) error {
	for _, w := range p.Windows {
		if _, err := path.Match(w.Model, ""); err != nil || w.Model == "" {
			return fmt.Errorf("provider %s: the window of %q needs the name of a model or a glob", p.ID, w.Model)
		}
		if w.Tokens < minWindow {
			return fmt.Errorf("provider %s: the window of %s is %d tokens, and less than %d holds no turn", p.ID, w.Model, w.Tokens, minWindow)
		}
	}
	return nil
}
