package dididecks

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/examples/dididecks/deck"
)

// The kinds of nouns that a user can attach.
const (
	NounSlide    = "slide"
	NounBrandKit = "brand-kit"
)

// maxNounBytes bounds the content of an attached noun.
const maxNounBytes = 60 << 10

// OpenProject opens a deck for the principal of the context. Errors: not_found,
// also for a deck of another org and for another kind; unauthenticated.
func (a *App) OpenProject(ctx context.Context, kind, id string) (agent.Project, error) {
	if kind != "" && kind != ProjectKind {
		return agent.Project{}, agent.NotFound("deck")
	}
	d, err := a.deckIn(ctx, id)
	if err != nil {
		return agent.Project{}, err
	}
	snap, err := d.Snapshot(ctx)
	if err != nil {
		return agent.Project{}, err
	}
	return agent.Project{ID: d.ID, Kind: ProjectKind, Title: snap.Title()}, nil
}

// deckIn finds a deck for the principal of the context.
func (a *App) deckIn(ctx context.Context, id string) (*Deck, error) {
	p, err := agent.PrincipalFrom(ctx)
	if err != nil {
		return nil, err
	}
	return a.deck(p, id)
}

// ResolveNoun gives a slide's source or a brand kit's values. Errors: not_found.
func (a *App) ResolveNoun(ctx context.Context, p agent.Project, kind, id string) (agent.Noun, error) {
	d, err := a.deckIn(ctx, p.ID)
	if err != nil {
		return agent.Noun{}, err
	}
	snap, err := d.Snapshot(ctx)
	if err != nil {
		return agent.Noun{}, err
	}
	switch kind {
	case NounSlide:
		return slideNoun(ctx, snap, id)
	case NounBrandKit:
		if id == "" {
			return agent.Noun{}, agent.NotFound("brand kit")
		}
		kit, err := snap.Kit(id)
		if err != nil {
			return agent.Noun{}, err
		}
		content := kit.Description + "\n" + kit.Variables()
		if kit.CSSPath != "" {
			css, err := snap.Read(ctx, kit.CSSPath, maxNounBytes)
			if err != nil {
				return agent.Noun{}, err
			}
			content += string(css)
		}
		content, _ = short(content, maxNounBytes)
		return agent.Noun{Kind: kind, ID: kit.Name, Title: kit.Title, Version: kit.Version, Content: content}, nil
	}
	return agent.Noun{}, agent.NotFound("thing in this deck")
}

func slideNoun(ctx context.Context, snap *deck.Snapshot, id string) (agent.Noun, error) {
	sl, err := snap.Find(id)
	if err != nil {
		return agent.Noun{}, err
	}
	src, css, err := snap.Source(ctx, sl)
	if err != nil {
		return agent.Noun{}, err
	}
	content := "Path: " + sl.Path + "\n" + string(src)
	if len(css) > 0 {
		content += "\n\nStyle sheet " + sl.CSS + ":\n" + string(css)
	}
	content, cut := short(content, maxNounBytes)
	if cut {
		content += "\n[cut here]"
	}
	return agent.Noun{Kind: NounSlide, ID: sl.ID, Title: sl.Title, Version: sl.Blob + sl.CSSBlob, Content: content}, nil
}

// Facts gives what the app knows about a deck: its shape, where it stands, and
// what its owner wrote into deck.yaml.
func (a *App) Facts(ctx context.Context, p agent.Project) ([]agent.Fact, error) {
	d, err := a.deckIn(ctx, p.ID)
	if err != nil {
		return nil, err
	}
	snap, err := d.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	var titles, kits []string
	for _, sl := range snap.Slides[:min(len(snap.Slides), 60)] {
		titles = append(titles, sl.ID+" "+sl.Title)
	}
	for _, k := range snap.Kits {
		kits = append(kits, k.Name)
	}
	facts := []agent.Fact{
		{Name: "Deck", Value: snap.Title()},
		{Name: "Slides", Value: strconv.Itoa(len(snap.Slides)) + ": " + strings.Join(titles, "; ")},
		{Name: "Brand kits", Value: cmp.Or(strings.Join(kits, ", "), "none")},
		{Name: "Working branch", Value: d.Working},
	}
	if last, err := snap.LastChange(ctx); err == nil {
		facts = append(facts, agent.Fact{
			Name:  "Last change",
			Value: fmt.Sprintf("%s (%s, %s)", last.Subject, last.Author, time.Unix(last.When, 0).UTC().Format(time.DateOnly)),
		})
	}
	for _, name := range slices.Sorted(maps.Keys(snap.Manifest.Facts)) {
		facts = append(facts, agent.Fact{Name: name, Value: snap.Manifest.Facts[name]})
	}
	return facts, nil
}
