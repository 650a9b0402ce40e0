package dididecks

import (
	"embed"
	"encoding/json"

	agent "github.com/lossless-group/in-app-agent"
)

//go:embed words/*.md
var words embed.FS

// describe gives the description of a capability, as the model reads it.
func describe(name string) string {
	text, err := words.ReadFile("words/" + name + ".md")
	if err != nil {
		panic("dididecks: " + err.Error()) // the files are built in
	}
	return string(text)
}

// Capabilities gives everything that the agent can do with decks, for a registry.
func (a *App) Capabilities() []agent.Capability {
	return []agent.Capability{
		a.slideRead(), a.slideEdit(), a.slideVariant(),
		a.deckExport(), a.deckOGImage(), a.deckDiagnostics(),
	}
}

// show makes a result that opens a slide on the deck's page.
func show(output any, deckID, slideID string) (agent.Result, error) {
	raw, err := json.Marshal(output)
	if err != nil {
		return agent.Result{}, err
	}
	props, err := json.Marshal(map[string]string{"deckId": deckID, "slideId": slideID})
	if err != nil {
		return agent.Result{}, err
	}
	return agent.Result{OK: true, Output: raw, Display: &agent.Display{Mount: "deck.slide", Props: props, Layout: "panel"}}, nil
}
