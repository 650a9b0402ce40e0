package dididecks

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/examples/dididecks/export"
)

// ProjectKind is the kind of our projects.
const ProjectKind = "dididecks-deck"

// DemoDeckID is the id of the deck that Open gives without another id.
const DemoDeckID = "demo-deck"

// Options say what Open opens.
type Options struct {
	// DataDir is the app's own folder: repositories it makes, exports.
	DataDir string
	// Path is a folder with slides, a git repository with slides, or a reveal.js
	// page; "" is the built-in demo deck.
	Path string
	// DeckID is the deck's project id; "" is DemoDeckID.
	DeckID string
	// Orgs are the slugs of the orgs that may open the deck. With a Path they share
	// it; of the demo deck each has a copy of its own.
	Orgs []string
	// AllowBuild lets the deck's build command run. It is the operator's word: a
	// deck's own file cannot give it.
	AllowBuild bool
	// UndoFor is how long an accepted change can be taken back; 0 is DefaultUndoFor.
	UndoFor time.Duration
	// Chromium is the browser that makes PDFs and images; "" looks for one.
	Chromium string
	Log      *slog.Logger     // nil discards
	Now      func() time.Time // nil is time.Now

	after func(time.Duration, func()) // of a test, instead of time.AfterFunc
}

// App is the host app. It is safe for concurrent use.
type App struct {
	opts   Options
	log    *slog.Logger
	now    func() time.Time
	chrome export.Chromium
	decks  []*Deck
	copied bool
	rating sync.Mutex // one browser at a time
}

var _ agent.Host = (*App)(nil)

// deck finds a deck that the principal's org may open; not_found for every other
// one, whether it exists or not.
func (a *App) deck(p agent.Principal, id string) (*Deck, error) {
	for _, d := range a.decks {
		if d.ID == id && d.opensFor(p) {
			return d, nil
		}
	}
	return nil, agent.NotFound("deck")
}

// deckOf finds the deck of a call: the one that it names, else the open project's.
func (a *App) deckOf(call *agent.Call, id string) (*Deck, error) {
	if id = strings.TrimSpace(id); id == "" {
		id = call.Project.ID
	}
	return a.deck(call.Principal, id)
}

func (d *Deck) opensFor(p agent.Principal) bool {
	return (p.OrgSlug != "" && slices.Contains(d.orgs, p.OrgSlug)) || (p.OrgSlug == "" && p.OrgID != "" && slices.Contains(d.orgs, p.OrgID))
}

// Decks gives the ids of the decks that the principal of the context may open.
// Errors: unauthenticated.
func (a *App) Decks(ctx context.Context) ([]string, error) {
	p, err := agent.PrincipalFrom(ctx)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, d := range a.decks {
		if d.opensFor(p) {
			ids = append(ids, d.ID)
		}
	}
	return ids, nil
}
