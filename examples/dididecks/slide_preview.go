package dididecks

import (
	"bytes"
	"context"
	"errors"
	"path"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/examples/dididecks/deck"
	"github.com/lossless-group/in-app-agent/examples/dididecks/render"
	"github.com/lossless-group/in-app-agent/examples/dididecks/rewrite"
)

// changes gives the files that an answer changes and their diffs.
func changes(sl deck.Slide, src, css []byte, answer rewrite.Answer) (map[string][]byte, []agent.Artifact) {
	files := map[string][]byte{}
	var diffs []agent.Artifact
	add := func(p string, before, after []byte) {
		if bytes.Equal(before, after) {
			return
		}
		files[p] = after
		diffs = append(diffs, agent.Artifact{
			Kind: agent.ArtifactDiff, Title: path.Base(p), Path: p, MIME: "text/x-diff",
			Text: udiff.Unified("a/"+p, "b/"+p, string(before), string(after)),
		})
	}
	add(sl.Path, src, answer.Source)
	if answer.CSS != nil {
		sheet := sl.CSS
		if sheet == "" {
			sheet = strings.TrimSuffix(sl.Path, path.Ext(sl.Path)) + ".css"
		}
		add(sheet, css, answer.CSS)
	}
	return files, diffs
}

// showProposal renders a slide as its side branch has it; a slide that cannot be
// rendered has its diff only, and a line that says why.
func (a *App) showProposal(ctx context.Context, d *Deck, p proposal, sl deck.Slide) ([]agent.Artifact, error) {
	side, err := deck.Load(ctx, d.repo, p.Commit)
	if err != nil {
		return nil, err
	}
	now, err := side.Find(sl.Path)
	if err != nil {
		return nil, err
	}
	doc, err := a.renderSlide(ctx, d, side, now, "")
	var e *agent.Error
	if errors.As(err, &e) && e.Code == agent.CodeUnavailable {
		return []agent.Artifact{{Kind: agent.ArtifactMarkdown, Title: "No picture of this slide", Text: e.Message + " " + e.Hint}}, nil
	}
	if err != nil {
		return nil, err
	}
	return []agent.Artifact{{
		Kind: agent.ArtifactHTML, Title: "Slide " + now.ID + ": " + now.Title, Path: now.Path, MIME: "text/html", Text: string(doc),
	}}, nil
}

// renderSlide renders a slide with a brand kit, "" being the deck's own; what only
// a build can render comes from the build.
func (a *App) renderSlide(ctx context.Context, d *Deck, snap *deck.Snapshot, sl deck.Slide, kitName string) ([]byte, error) {
	kit, err := snap.Kit(kitName)
	if err != nil {
		return nil, err
	}
	if sl.Format == deck.Astro && a.opts.AllowBuild && snap.Manifest.Build != "" {
		return a.builtSlide(ctx, d, snap, sl)
	}
	return render.Slide(ctx, snap, sl, render.Options{Kit: kit})
}
