package dididecks

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/capability"
	"github.com/lossless-group/in-app-agent/examples/dididecks/deck"
	"github.com/lossless-group/in-app-agent/examples/dididecks/export"
	"github.com/lossless-group/in-app-agent/examples/dididecks/look"
)

type deckOGImageIn struct {
	DeckID string `json:"deck_id,omitempty" jsonschema:"id of the deck; leave out for the open one"`
	Count  int    `json:"count" jsonschema:"how many variants, 1 to 6"`
	Style  string `json:"style,omitempty" jsonschema:"a look such as chroma; leave out for the brand kit's colours"`
}

func (a *App) deckOGImage() agent.Capability {
	return capability.Confirming(capability.Spec{
		Name: "deck.og_image", Title: "Make share images", Description: describe("deck.og_image"),
		Kind: agent.KindMutate, Tier: agent.TierUser, Timeout: rewriteTime,
	}, capability.Confirm[deckOGImageIn, agent.Result]{
		Resources: func(ctx context.Context, call *agent.Call, in deckOGImageIn) ([]agent.Resource, error) {
			d, snap, err := a.cardDeck(ctx, call, in)
			if err != nil {
				return nil, err
			}
			return resources(d, snap, cardPaths(in)...), nil
		},
		Preview: a.previewCards,
		Apply: func(ctx context.Context, call *agent.Call, _ deckOGImageIn, r agent.Receipt) (agent.Result, error) {
			return a.accept(ctx, call, r)
		},
		Discard: func(ctx context.Context, call *agent.Call, _ deckOGImageIn, r agent.Receipt) error {
			return a.discard(ctx, call, r)
		},
		Undo: func(ctx context.Context, call *agent.Call, _ deckOGImageIn, r agent.Receipt) (agent.Result, error) {
			return a.undo(ctx, call, r)
		},
		UndoFor: a.undoFor(),
		Verify: func(ctx context.Context, call *agent.Call, in deckOGImageIn) (bool, agent.Result, error) {
			d, err := a.deckOf(call, in.DeckID)
			if err != nil {
				return false, agent.Result{}, err
			}
			return a.verify(ctx, call, d, "")
		},
	})
}

func (a *App) cardDeck(ctx context.Context, call *agent.Call, in deckOGImageIn) (*Deck, *deck.Snapshot, error) {
	if in.Count < 1 || in.Count > export.MaxCards {
		return nil, nil, badInput("/count", "Between 1 and %d share images can be made at once.", export.MaxCards)
	}
	if len(in.Style) > maxStyle {
		return nil, nil, badInput("/style", "Name the style in at most %d characters.", maxStyle)
	}
	d, err := a.deckOf(call, in.DeckID)
	if err != nil {
		return nil, nil, err
	}
	snap, err := d.Snapshot(ctx)
	return d, snap, err
}

func cardPaths(in deckOGImageIn) []string {
	style := "brand"
	if strings.TrimSpace(in.Style) != "" {
		style = deck.Slug(in.Style)
	}
	paths := make([]string, in.Count)
	for i := range paths {
		paths[i] = fmt.Sprintf("og/%s-%d.png", style, i+1)
	}
	return paths
}

func (a *App) previewCards(ctx context.Context, call *agent.Call, in deckOGImageIn) (agent.Preview, error) {
	d, snap, err := a.cardDeck(ctx, call, in)
	if err != nil {
		return agent.Preview{}, err
	}
	if snap.Manifest.IsPublished(d.Working) {
		return agent.Preview{}, publishedError(d.Working)
	}
	if _, err := a.chrome.Find(); err != nil {
		return agent.Preview{}, err
	}
	paths := cardPaths(in)
	if err := d.repo.CheckCommitted(ctx, d.Working, paths...); err != nil {
		return agent.Preview{}, err
	}
	files := map[string][]byte{}
	var artifacts []agent.Artifact
	for i, p := range paths {
		progress(call, fmt.Sprintf("Drawing image %d of %d", i+1, len(paths)))
		png, err := a.drawCard(ctx, cardOf(snap, in.Style, i))
		if err != nil {
			return agent.Preview{}, err
		}
		files[p] = png
		artifacts = append(artifacts, agent.Artifact{
			Kind: agent.ArtifactImage, Title: fmt.Sprintf("Share image %d", i+1), Path: p, MIME: "image/png",
			Data: png, Bytes: int64(len(png)),
		})
	}
	word := fmt.Sprintf("%d share images", in.Count)
	if in.Count == 1 {
		word = "One share image"
	}
	p, err := a.propose(ctx, call, d, snap.Commit, "og-"+strings.TrimPrefix(strings.TrimSuffix(paths[0], "-1.png"), "og/"), word, files)
	if err != nil {
		return agent.Preview{}, err
	}
	return preview(p, word+" for "+snap.Title(), artifacts)
}

func (a *App) drawCard(ctx context.Context, c export.Card) ([]byte, error) {
	a.rating.Lock()
	defer a.rating.Unlock()
	return a.chrome.PNG(ctx, c.Document(), export.CardWidth, export.CardHeight)
}

// cardOf gives the i-th share image of a deck: in a named look, or in the colours
// of its brand kit.
func cardOf(snap *deck.Snapshot, style string, i int) export.Card {
	l := look.Of(style)
	if strings.TrimSpace(style) == "" {
		l = look.Of("light")
		if kit, err := snap.Kit(""); err == nil && kit.Variables() != "" {
			l.Paper, l.Ink = cmp.Or(kit.Value("paper"), l.Paper), cmp.Or(kit.Value("ink"), l.Ink)
			l.Accent, l.Second = cmp.Or(kit.Value("accent"), l.Accent), cmp.Or(kit.Value("second"), kit.Value("accent"), l.Second)
			l.Muted = cmp.Or(kit.Value("muted"), l.Ink)
			l.Display, l.Text = cmp.Or(kit.Font("display"), l.Display), cmp.Or(kit.Font("text"), l.Text)
		}
	}
	subtitle, _ := short(cmp.Or(snap.Manifest.Subtitle, snap.Manifest.Description), 160)
	return export.Card{Title: snap.Title(), Subtitle: subtitle, Foot: fmt.Sprintf("%d slides", len(snap.Slides)), Look: l, Layout: i}
}
