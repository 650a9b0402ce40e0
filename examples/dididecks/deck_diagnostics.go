package dididecks

import (
	"context"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/capability"
	"github.com/lossless-group/in-app-agent/examples/dididecks/lint"
)

// Limits of a diagnosis.
const (
	maxFindings = 60
	maxLogShown = 8 << 10
)

type deckDiagnosticsIn struct {
	DeckID string `json:"deck_id,omitempty" jsonschema:"id of the deck; leave out for the open one"`
}

type deckDiagnosticsOut struct {
	Commit   string         `json:"commit"`
	Errors   int            `json:"errors"`
	Warnings int            `json:"warnings"`
	Findings []lint.Finding `json:"findings"`
	// More counts the findings that are not listed.
	More  int          `json:"more,omitempty"`
	Build *buildReport `json:"build,omitempty"`
}

func (a *App) deckDiagnostics() agent.Capability {
	return capability.Func(capability.Spec{
		Name: "deck.diagnostics", Title: "Check the deck", Description: describe("deck.diagnostics"),
		Kind: agent.KindRead, Tier: agent.TierUser, Timeout: rewriteTime,
	}, a.diagnose)
}

func (a *App) diagnose(ctx context.Context, call *agent.Call, in deckDiagnosticsIn) (deckDiagnosticsOut, error) {
	d, err := a.deckOf(call, in.DeckID)
	if err != nil {
		return deckDiagnosticsOut{}, err
	}
	return a.diagnosis(ctx, d)
}

func (a *App) diagnosis(ctx context.Context, d *Deck) (deckDiagnosticsOut, error) {
	snap, err := d.Snapshot(ctx)
	if err != nil {
		return deckDiagnosticsOut{}, err
	}
	out := deckDiagnosticsOut{Commit: snap.Commit, Findings: []lint.Finding{}}
	report, err := a.buildOf(ctx, d, snap)
	if err != nil {
		return out, err
	}
	if report != nil {
		shown := *report
		shown.Log = tail(shown.Log, maxLogShown)
		out.Build = &shown
	}
	found, err := lint.Deck(ctx, snap)
	if err != nil {
		return out, err
	}
	repoFound, err := a.repositoryFindings(ctx, d)
	if err != nil {
		return out, err
	}
	for _, f := range append(found, repoFound...) {
		if f.Severity == lint.Error {
			out.Errors++
		} else {
			out.Warnings++
		}
		if len(out.Findings) < maxFindings {
			out.Findings = append(out.Findings, f)
		} else {
			out.More++
		}
	}
	return out, nil
}

// repositoryFindings tells of what stands beside the commit: changes that nobody
// committed and proposals that nobody answered.
func (a *App) repositoryFindings(ctx context.Context, d *Deck) ([]lint.Finding, error) {
	var found []lint.Finding
	waiting := d.follower.now(ctx)
	for _, p := range waiting {
		found = append(found, lint.Finding{
			Severity: lint.Warning, Code: "folder_behind", Path: p.Branch,
			Message: "has an accepted change that the deck's folder has not taken up. " + p.Reason() + " " + p.Hint(),
		})
	}
	path, err := d.repo.Uncommitted(ctx, d.Working, "slides")
	if err != nil {
		return nil, err
	}
	if path != "" && len(waiting) == 0 {
		found = append(found, lint.Finding{
			Severity: lint.Warning, Code: "uncommitted", Path: path,
			Message: "has changes that are not committed; the agent works on what is committed",
		})
	}
	branches, err := d.repo.Branches(ctx, SidePrefix)
	if err != nil {
		return nil, err
	}
	for _, b := range branches {
		if age := a.now().Unix() - b.When; b.Ours && age >= int64(StaleAfter.Seconds()) {
			found = append(found, lint.Finding{
				Severity: lint.Warning, Code: "stale_branch", Path: b.Name,
				Message: "is a proposal that nobody answered in 7 days; the clean-up job removes it",
			})
		}
	}
	return found, nil
}
