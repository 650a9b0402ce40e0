package dididecks

import (
	"context"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/examples/dididecks/gitrepo"
)

// DefaultUndoFor is how long an accepted change can be taken back.
const DefaultUndoFor = 24 * time.Hour

// undoFor is the operator's window, or the default.
func (a *App) undoFor() time.Duration {
	if a.opts.UndoFor > 0 {
		return a.opts.UndoFor
	}
	return DefaultUndoFor
}

// undo takes an accepted proposal back: one commit for the call's key, however often
// it is asked, that gives the files of the merge the bytes they had before it.
// Errors: stale_undo, policy_denied (the branch is published by now), conflict.
func (a *App) undo(ctx context.Context, call *agent.Call, r agent.Receipt) (agent.Result, error) {
	d, p, err := a.proposalOf(call, r)
	if err != nil {
		return agent.Result{}, err
	}
	snap, err := d.Snapshot(ctx)
	if err != nil {
		return agent.Result{}, err
	}
	if snap.Manifest.IsPublished(d.Working) {
		return agent.Result{}, publishedError(d.Working)
	}
	commit, paths, err := d.repo.Revert(ctx, gitrepo.Revert{
		Branch: d.Working, Of: agent.LedgerKey(r.TurnID, r.CallID, agent.PhaseApply), Key: call.Key,
		Message: gitrepo.Message{
			Subject: "Undo: " + r.Preview.Summary, Author: call.Principal.UserName, When: call.Now(),
			Trailers: map[string]string{gitrepo.TrailerCall: string(call.ID)},
		},
	})
	if err != nil {
		return agent.Result{}, err
	}
	return show(applied{
		SlideID: p.SlideID, Paths: paths, Branch: d.Working, Commit: commit, Summary: "Taken back: " + r.Preview.Summary,
		Notice: d.follower.behind(ctx, commit),
	}, d.ID, p.SlideID)
}

// verifyUndo tells whether a change was taken back under the call's key.
func (a *App) verifyUndo(ctx context.Context, call *agent.Call, d *Deck, slideID string) (bool, agent.Result, error) {
	commit, err := d.repo.Reverted(ctx, d.Working, call.Key)
	if err != nil || commit == "" {
		return false, agent.Result{}, err
	}
	out, err := show(applied{SlideID: slideID, Branch: d.Working, Commit: commit, Summary: "The change is taken back.",
		Notice: d.follower.behind(ctx, commit)}, d.ID, slideID)
	return err == nil, out, err
}
