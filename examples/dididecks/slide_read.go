package dididecks

import (
	"context"
	"unicode/utf8"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/capability"
	"github.com/lossless-group/in-app-agent/examples/dididecks/deck"
	"github.com/lossless-group/in-app-agent/examples/dididecks/markup"
	"github.com/lossless-group/in-app-agent/examples/dididecks/render"
	"github.com/lossless-group/in-app-agent/examples/dididecks/reveal"
)

// maxReadBytes bounds what slide.read gives of a source, and of its words.
const maxReadBytes = 24 << 10

type slideReadIn struct {
	DeckID  string `json:"deck_id,omitempty" jsonschema:"id of the deck; leave out for the open one"`
	SlideID string `json:"slide_id" jsonschema:"the slide's number or name, such as 04"`
}

type slideReadOut struct {
	SlideID string `json:"slide_id"`
	Path    string `json:"path"`
	Title   string `json:"title"`
	Format  string `json:"format"`
	Source  string `json:"source"`
	CSS     string `json:"css,omitempty"`
	Text    string `json:"text"`
	Notes   string `json:"notes,omitempty"`
	// Steps counts the sections of a vertical stack.
	Steps int `json:"steps,omitempty"`
	// Cut tells that source or css are longer than what is given.
	Cut bool `json:"cut,omitempty"`
}

func (a *App) slideRead() agent.Capability {
	return capability.Func(capability.Spec{
		Name: "slide.read", Title: "Read a slide", Description: describe("slide.read"),
		Kind: agent.KindRead, Tier: agent.TierViewer,
	}, a.readSlide)
}

func (a *App) readSlide(ctx context.Context, call *agent.Call, in slideReadIn) (agent.Result, error) {
	d, err := a.deckOf(call, in.DeckID)
	if err != nil {
		return agent.Result{}, err
	}
	snap, err := d.Snapshot(ctx)
	if err != nil {
		return agent.Result{}, err
	}
	sl, err := snap.Find(in.SlideID)
	if err != nil {
		return agent.Result{}, err
	}
	out, err := describeSlide(ctx, snap, sl)
	if err != nil {
		return agent.Result{}, err
	}
	return show(out, d.ID, sl.ID)
}

func describeSlide(ctx context.Context, snap *deck.Snapshot, sl deck.Slide) (slideReadOut, error) {
	src, css, err := snap.Source(ctx, sl)
	if err != nil {
		return slideReadOut{}, err
	}
	out := slideReadOut{SlideID: sl.ID, Path: sl.Path, Title: sl.Title, Format: string(sl.Format)}
	_, body := markup.FrontMatter(src)
	if sl.Format == deck.Markdown {
		if body, err = render.FromMarkdown(src); err != nil {
			return slideReadOut{}, err
		}
	}
	if snap.Manifest.Reveal != nil {
		if out.Steps = len(reveal.Steps(src)); out.Steps == 1 {
			out.Steps = 0
		}
	}
	var cut [4]bool
	out.Source, cut[0] = short(string(src), maxReadBytes)
	out.CSS, cut[1] = short(string(css), maxReadBytes/2)
	out.Text, cut[2] = short(markup.Text(body), maxReadBytes/4)
	out.Notes, cut[3] = short(markup.Notes(body), maxReadBytes/4)
	out.Cut = cut[0] || cut[1] || cut[2] || cut[3]
	return out, nil
}

// short cuts a text to a number of bytes at the border of a letter.
func short(s string, limit int) (string, bool) {
	if len(s) <= limit {
		return s, false
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit], true
}
