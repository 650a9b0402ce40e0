package dididecks

import (
	"context"
	"fmt"
	"strings"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/capability"
	"github.com/lossless-group/in-app-agent/examples/dididecks/deck"
	"github.com/lossless-group/in-app-agent/examples/dididecks/rewrite"
)

// Limits of what may be asked of a slide.
const (
	maxInstruction = 8 << 10
	maxStyle       = 60
	rewriteTime    = 3 * time.Minute
)

type slideEditIn struct {
	DeckID      string `json:"deck_id,omitempty" jsonschema:"id of the deck; leave out for the open one"`
	SlideID     string `json:"slide_id" jsonschema:"the slide's number or name, such as 04"`
	Instruction string `json:"instruction" jsonschema:"what to change, in plain words"`
}

type slideVariantIn struct {
	DeckID  string `json:"deck_id,omitempty" jsonschema:"id of the deck; leave out for the open one"`
	SlideID string `json:"slide_id" jsonschema:"the slide's number or name, such as 04"`
	Style   string `json:"style" jsonschema:"the look, in a word or two, such as chroma"`
	Notes   string `json:"notes,omitempty" jsonschema:"what the house's notes say about the style, if you found any"`
}

func (a *App) slideEdit() agent.Capability {
	return capability.Confirming(capability.Spec{
		Name: "slide.edit", Title: "Edit a slide", Description: describe("slide.edit"),
		Kind: agent.KindMutate, Tier: agent.TierUser, Timeout: rewriteTime,
	}, slideProposal(a, func(in slideEditIn) (ask, error) {
		if strings.TrimSpace(in.Instruction) == "" || len(in.Instruction) > maxInstruction {
			return ask{}, badInput("/instruction", "Say what to change, in at most %d KiB.", maxInstruction>>10)
		}
		return ask{deckID: in.DeckID, slideID: in.SlideID, purpose: "slide.edit", wish: in.Instruction, stem: "edit"}, nil
	}))
}

func (a *App) slideVariant() agent.Capability {
	return capability.Confirming(capability.Spec{
		Name: "slide.variant", Title: "Make a variant of a slide", Description: describe("slide.variant"),
		Kind: agent.KindPreview, Tier: agent.TierUser, Timeout: rewriteTime,
	}, slideProposal(a, func(in slideVariantIn) (ask, error) {
		style := strings.Join(strings.Fields(in.Style), " ")
		if style == "" || len(style) > maxStyle {
			return ask{}, badInput("/style", "Name the style in at most %d characters.", maxStyle)
		}
		if len(in.Notes) > maxInstruction {
			return ask{}, badInput("/notes", "The notes are over %d KiB.", maxInstruction>>10)
		}
		wish := "Make a " + style + "-style variant: the same content and facts, another look."
		if in.Notes != "" {
			wish += "\nNotes of the house on this style:\n" + in.Notes
		}
		return ask{deckID: in.DeckID, slideID: in.SlideID, purpose: "slide.variant", wish: wish, style: style, stem: deck.Slug(style)}, nil
	}))
}

func badInput(pointer, format string, args ...any) *agent.Error {
	e := agent.Errorf(agent.CodeInvalidInput, format, args...)
	e.Pointer = pointer
	return e
}

// ask is what both capabilities come down to.
type ask struct {
	deckID, slideID, purpose, wish, style, stem string
}

// slideProposal gives the functions of a capability that rewrites a slide.
func slideProposal[In any](a *App, read func(In) (ask, error)) capability.Confirm[In, agent.Result] {
	find := func(ctx context.Context, call *agent.Call, in In) (q ask, d *Deck, snap *deck.Snapshot, sl deck.Slide, err error) {
		if q, err = read(in); err != nil {
			return
		}
		if d, err = a.deckOf(call, q.deckID); err != nil {
			return
		}
		if snap, err = d.Snapshot(ctx); err != nil {
			return
		}
		sl, err = snap.Find(q.slideID)
		return
	}
	return capability.Confirm[In, agent.Result]{
		Resources: func(ctx context.Context, call *agent.Call, in In) ([]agent.Resource, error) {
			_, d, snap, sl, err := find(ctx, call, in)
			if err != nil {
				return nil, err
			}
			return resources(d, snap, sl.Path, sl.CSS), nil
		},
		Preview: func(ctx context.Context, call *agent.Call, in In) (agent.Preview, error) {
			q, d, snap, sl, err := find(ctx, call, in)
			if err != nil {
				return agent.Preview{}, err
			}
			return a.rewriteSlide(ctx, call, q, d, snap, sl)
		},
		Apply: func(ctx context.Context, call *agent.Call, _ In, r agent.Receipt) (agent.Result, error) {
			return a.accept(ctx, call, r)
		},
		Discard: func(ctx context.Context, call *agent.Call, _ In, r agent.Receipt) error {
			return a.discard(ctx, call, r)
		},
		Undo: func(ctx context.Context, call *agent.Call, _ In, r agent.Receipt) (agent.Result, error) {
			return a.undo(ctx, call, r)
		},
		UndoFor: a.undoFor(),
		Verify: func(ctx context.Context, call *agent.Call, in In) (bool, agent.Result, error) {
			q, err := read(in)
			if err != nil {
				return false, agent.Result{}, err
			}
			d, err := a.deckOf(call, q.deckID)
			if err != nil {
				return false, agent.Result{}, err
			}
			return a.verify(ctx, call, d, q.slideID)
		},
	}
}

// rewriteSlide asks for a new version of a slide, checks it, and shows it on a
// side branch.
func (a *App) rewriteSlide(ctx context.Context, call *agent.Call, q ask, d *Deck, snap *deck.Snapshot, sl deck.Slide) (agent.Preview, error) {
	if snap.Manifest.IsPublished(d.Working) {
		return agent.Preview{}, publishedError(d.Working)
	}
	files := []string{sl.Path}
	if sl.CSS != "" {
		files = append(files, sl.CSS)
	}
	if err := d.repo.CheckCommitted(ctx, d.Working, files...); err != nil {
		return agent.Preview{}, err
	}
	src, css, err := snap.Source(ctx, sl)
	if err != nil {
		return agent.Preview{}, err
	}
	if len(src)+len(css) > rewrite.MaxSourceBytes {
		return agent.Preview{}, agent.Errorf(agent.CodeTooLarge, "%s is over %d KiB, too long to be rewritten.", sl.Path, rewrite.MaxSourceBytes>>10)
	}
	kit, err := snap.Kit("")
	if err != nil {
		return agent.Preview{}, err
	}
	req := rewrite.Request{
		Path: sl.Path, Format: string(sl.Format), Reveal: snap.Manifest.Reveal != nil, Title: sl.Title,
		Wish: q.wish, Style: q.style, Source: string(src), CSS: string(css), Kit: kit.Variables(),
	}
	progress(call, "Writing slide "+sl.ID)
	text, err := call.Generate(ctx, agent.GenerateRequest{
		Purpose: q.purpose, System: rewrite.System, Prompt: req.Prompt(), MaxTokens: max(4096, len(src)+len(css)+2048),
	})
	if err != nil {
		return agent.Preview{}, err
	}
	answer := rewrite.Read(src, text)
	if err := rewrite.Check(req, answer); err != nil {
		return agent.Preview{}, err
	}
	changed, diffs := changes(sl, src, css, answer)
	if len(changed) == 0 {
		return agent.Preview{}, agent.Errorf(agent.CodeToolError, "The slide came back as it was. Say more exactly what should change.")
	}
	progress(call, "Drawing slide "+sl.ID)
	p, err := a.propose(ctx, call, d, snap.Commit, "slide-"+deck.Slug(sl.ID)+"-"+q.stem, req.Describe(), changed)
	if err != nil {
		return agent.Preview{}, err
	}
	p.SlideID = sl.ID
	artifacts, err := a.showProposal(ctx, d, p, sl)
	if err != nil {
		a.withdraw(ctx, d, p)
		return agent.Preview{}, err
	}
	return preview(p, summary(q, sl, p.Paths), append(artifacts, diffs...))
}

func progress(call *agent.Call, message string) {
	if call.Progress != nil {
		call.Progress(agent.CapabilityProgress{CallID: call.ID, Message: message})
	}
}

// summary names the change in words that fit before it is made, after it, and after
// "Undo:".
func summary(q ask, sl deck.Slide, paths []string) string {
	where := strings.Join(paths, " and ")
	if q.style != "" {
		return fmt.Sprintf("Slide %s in the %s look (%s)", sl.ID, q.style, where)
	}
	return fmt.Sprintf("Edit of slide %s (%s)", sl.ID, where)
}
