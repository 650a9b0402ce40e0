package dididecks

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/capability"
	"github.com/lossless-group/in-app-agent/examples/dididecks/deck"
	"github.com/lossless-group/in-app-agent/examples/dididecks/export"
)

type deckExportIn struct {
	DeckID   string `json:"deck_id,omitempty" jsonschema:"id of the deck; leave out for the open one"`
	Format   string `json:"format" jsonschema:"html, pdf or md"`
	BrandKit string `json:"brand_kit,omitempty" jsonschema:"name of a brand kit; leave out for the deck's own"`
}

type deckExportOut struct {
	URL      string `json:"url"`
	Name     string `json:"name"`
	Bytes    int64  `json:"bytes"`
	Format   string `json:"format"`
	BrandKit string `json:"brand_kit,omitempty"`
	Note     string `json:"note,omitempty"`
}

func (a *App) deckExport() agent.Capability {
	c := capability.Func(capability.Spec{
		Name: "deck.export", Title: "Export the deck", Description: describe("deck.export"),
		Kind: agent.KindMutate, Tier: agent.TierUser, Timeout: rewriteTime,
	}, a.exportDeck)
	c.Verify = a.verifyExport
	return c
}

var exportFormats = map[string]string{"html": "text/html; charset=utf-8", "pdf": "application/pdf", "md": "text/markdown; charset=utf-8"}

// exportName derives a file's name from the call's key, so that the same call
// writes the same file however often it runs.
func exportName(deckID, key, format string) string {
	sum := sha256.Sum256([]byte(key))
	return deck.Slug(deckID) + "-" + hex.EncodeToString(sum[:8]) + "." + format
}

var validExport = regexp.MustCompile(`^[a-z0-9-]{1,40}-[0-9a-f]{16}\.(html|pdf|md)$`)

// exportDir is where the exports of a deck are kept; decks of two orgs with the
// same id keep theirs apart.
func (a *App) exportDir(d *Deck) string {
	sum := sha256.Sum256([]byte(d.repo.Dir()))
	return filepath.Join(a.opts.DataDir, "exports", d.ID+"-"+hex.EncodeToString(sum[:6]))
}

func (a *App) exportDeck(ctx context.Context, call *agent.Call, in deckExportIn) (deckExportOut, error) {
	if exportFormats[in.Format] == "" {
		return deckExportOut{}, badInput("/format", "A deck is exported as html, pdf or md.")
	}
	if call.Key == "" {
		return deckExportOut{}, agent.Errorf(agent.CodeInternal, "An export needs a key.")
	}
	d, err := a.deckOf(call, in.DeckID)
	if err != nil {
		return deckExportOut{}, err
	}
	snap, err := d.Snapshot(ctx)
	if err != nil {
		return deckExportOut{}, err
	}
	kit, err := snap.Kit(in.BrandKit)
	if err != nil {
		return deckExportOut{}, err
	}
	progress(call, "Exporting "+snap.Title())
	data, err := a.exported(ctx, snap, kit, in)
	if err != nil {
		return deckExportOut{}, err
	}
	if err := writeFile(a.exportDir(d), exportName(d.ID, call.Key, in.Format), data); err != nil {
		return deckExportOut{}, err
	}
	return a.exportOutput(d, call.Key, in, snap, kit, int64(len(data))), nil
}

func (a *App) exported(ctx context.Context, snap *deck.Snapshot, kit deck.Kit, in deckExportIn) ([]byte, error) {
	switch in.Format {
	case "md":
		return export.Text(ctx, snap)
	case "html":
		if snap.Manifest.Reveal != nil {
			return export.Source(ctx, snap)
		}
		return export.Page(ctx, snap, kit)
	}
	if _, err := a.chrome.Find(); err != nil {
		return nil, err
	}
	page, err := export.Page(ctx, snap, kit)
	if err != nil {
		return nil, err
	}
	a.rating.Lock()
	defer a.rating.Unlock()
	return a.chrome.PDF(ctx, page)
}

func (a *App) exportOutput(d *Deck, key string, in deckExportIn, snap *deck.Snapshot, kit deck.Kit, size int64) deckExportOut {
	name := exportName(d.ID, key, in.Format)
	out := deckExportOut{
		URL: "/api/decks/" + d.ID + "/exports/" + name, Name: name, Bytes: size, Format: in.Format, BrandKit: kit.Name,
	}
	if in.Format == "html" && snap.Manifest.Reveal != nil {
		out.BrandKit = ""
		out.Note = "This is the imported page with its slides as they are now. Put it beside the files of the original."
	}
	return out
}

// verifyExport tells whether the file of a call was written.
func (a *App) verifyExport(ctx context.Context, call *agent.Call) (bool, agent.Result, error) {
	var done bool
	check := capability.Func(capability.Spec{Name: "deck.export"}, func(ctx context.Context, call *agent.Call, in deckExportIn) (deckExportOut, error) {
		d, err := a.deckOf(call, in.DeckID)
		if err != nil {
			return deckExportOut{}, err
		}
		info, err := os.Stat(filepath.Join(a.exportDir(d), exportName(d.ID, call.Key, in.Format)))
		if errors.Is(err, fs.ErrNotExist) {
			return deckExportOut{}, nil // it did not happen
		}
		if err != nil {
			return deckExportOut{}, err
		}
		snap, err := d.Snapshot(ctx)
		if err != nil {
			return deckExportOut{}, err
		}
		kit, err := snap.Kit(in.BrandKit)
		if err != nil {
			return deckExportOut{}, err
		}
		done = true
		return a.exportOutput(d, call.Key, in, snap, kit, info.Size()), nil
	})
	result, err := check.Handler(ctx, call)
	if err != nil || !done {
		return false, agent.Result{}, err
	}
	return true, result, nil
}

// writeFile puts a file in place whole or not at all.
func writeFile(dir, name string, data []byte) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return storageError(err)
	}
	f, err := os.CreateTemp(dir, ".new-")
	if err != nil {
		return storageError(err)
	}
	defer func() { _ = os.Remove(f.Name()) }()
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(dir, name))
	}
	if err != nil {
		return storageError(err)
	}
	return nil
}

func storageError(err error) error {
	return fmt.Errorf("write an export: %w", err)
}
