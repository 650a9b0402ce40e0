package dididecks

import (
	"context"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

// next is the flat map of what one may want after a capability, "" for an opened
// deck. SLIDE stands for a slide of the deck.
var next = map[string][]agent.Suggestion{
	"": {
		{Capability: "slide.variant", Hint: "See a slide in another look", Prefill: "Give me a Chroma-style variant of slide SLIDE"},
		{Capability: "slide.edit", Hint: "Say it more plainly", Prefill: "Make slide SLIDE less corporate"},
		{Capability: "deck.diagnostics", Hint: "Check the deck", Prefill: "Why did the build fail?"},
	},
	"slide.read": {
		{Capability: "slide.edit", Hint: "Change this slide", Prefill: "Make slide SLIDE less corporate"},
		{Capability: "slide.variant", Hint: "Try another look", Prefill: "Give me an editorial variant of slide SLIDE"},
	},
	"slide.edit": {
		{Capability: "slide.variant", Hint: "Try another look", Prefill: "Give me a Chroma-style variant of slide SLIDE"},
		{Capability: "deck.export", Hint: "Export the deck", Prefill: "Export the deck as PDF"},
	},
	"slide.variant": {
		{Capability: "slide.edit", Hint: "Refine the words", Prefill: "Make slide SLIDE less corporate"},
		{Capability: "deck.og_image", Hint: "Make share images", Prefill: "Make three OG images"},
		{Capability: "deck.export", Hint: "Export the deck", Prefill: "Export the deck as PDF"},
	},
	"deck.export": {
		{Capability: "deck.og_image", Hint: "Make share images", Prefill: "Make three OG images"},
		{Capability: "deck.export", Hint: "Another format", Prefill: "Export the deck as Markdown"},
	},
	"deck.og_image":    {{Capability: "deck.export", Hint: "Export the deck", Prefill: "Export the deck as PDF"}},
	"deck.diagnostics": {{Capability: "slide.read", Hint: "Look at the slide", Prefill: "Show slide SLIDE"}},
	"corpus.search":    {{Capability: "slide.variant", Hint: "Use it on a slide", Prefill: "Give me a Chroma-style variant of slide SLIDE"}},
	"facts.list":       {{Capability: "slide.read", Hint: "Look at a slide", Prefill: "Show slide SLIDE"}},
}

// Suggestions gives up to 3 next steps, without a model call.
func (a *App) Suggestions(ctx context.Context, p agent.Project, capability string) ([]agent.Suggestion, error) {
	d, err := a.deckIn(ctx, p.ID)
	if err != nil {
		return nil, err
	}
	snap, err := d.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	slide := snap.Slides[min(3, len(snap.Slides)-1)].ID
	if short := strings.TrimLeft(slide, "0"); short != "" {
		slide = short
	}
	var out []agent.Suggestion
	for _, s := range next[capability] {
		s.Prefill = strings.ReplaceAll(s.Prefill, "SLIDE", slide)
		out = append(out, s)
	}
	return out[:min(len(out), 3)], nil
}
