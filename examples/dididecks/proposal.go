package dididecks

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/examples/dididecks/deck"
	"github.com/lossless-group/in-app-agent/examples/dididecks/gitrepo"
	"github.com/lossless-group/in-app-agent/examples/dididecks/plant"
)

// SidePrefix is where the branches of proposals stand.
const SidePrefix = "chat/"

// proposal is what a preview leaves for its accept or discard: the side branch,
// the commit it began at and the one it holds. It is the State of the preview.
type proposal struct {
	DeckID  string   `json:"deckId"`
	Branch  string   `json:"branch"`
	Base    string   `json:"base"`
	Commit  string   `json:"commit"`
	Paths   []string `json:"paths"`
	SlideID string   `json:"slideId,omitempty"`
}

// applied is the output of an accepted proposal.
type applied struct {
	SlideID string   `json:"slide_id,omitempty"`
	Paths   []string `json:"paths,omitempty"`
	Branch  string   `json:"branch"`
	Commit  string   `json:"commit"`
	Summary string   `json:"summary"`
	// Notice is what else the person should know, such as that the folder on disk has
	// not followed yet.
	Notice string `json:"notice,omitempty"`
}

// propose puts files on a new side branch over a snapshot.
func (a *App) propose(ctx context.Context, call *agent.Call, d *Deck, base string, stem, subject string, files map[string][]byte) (proposal, error) {
	name := SidePrefix + stem + "-" + call.Now().UTC().Format("20060102-150405")
	branch, commit, err := d.repo.Propose(ctx, base, name, files, gitrepo.Message{
		Subject: subject, Author: call.Principal.UserName, When: call.Now(),
		Trailers: map[string]string{gitrepo.TrailerCall: string(call.ID), gitrepo.TrailerCapability: call.Capability},
	})
	if err != nil {
		return proposal{}, err
	}
	p := proposal{DeckID: d.ID, Branch: branch, Base: base, Commit: commit}
	p.Paths = slices.SortedFunc(maps.Keys(files), func(x, y string) int {
		// A slide comes before the style sheet beside it.
		return cmp.Or(cmp.Compare(path.Dir(x), path.Dir(y)), -cmp.Compare(path.Ext(x), path.Ext(y)), cmp.Compare(x, y))
	})
	return p, nil
}

// withdraw removes the side branch of a preview that did not come about.
func (a *App) withdraw(ctx context.Context, d *Deck, p proposal) {
	if err := d.repo.DeleteBranch(context.WithoutCancel(ctx), p.Branch, p.Commit); err != nil {
		a.log.Warn("a side branch stays until the clean-up job", "branch", p.Branch, "error", err)
	}
}

// proposalOf reads the state of a receipt and finds its deck.
func (a *App) proposalOf(call *agent.Call, r agent.Receipt) (*Deck, proposal, error) {
	var p proposal
	if err := json.Unmarshal(r.Preview.State, &p); err != nil {
		return nil, p, agent.Wrap(agent.CodeInternal, err, "The state of the preview cannot be read.")
	}
	d, err := a.deck(call.Principal, p.DeckID)
	return d, p, err
}

// accept merges a proposal into the working branch: one merge commit for the
// call's key, however often it is asked. Errors: stale_preview, policy_denied (the
// branch is published by now), conflict.
func (a *App) accept(ctx context.Context, call *agent.Call, r agent.Receipt) (agent.Result, error) {
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
	if err := unmoved(d, snap, r.Resources); err != nil {
		// The key may be merged already, which is what moved them.
		if done, out, verifyErr := a.verify(ctx, call, d, p.SlideID); verifyErr == nil && done {
			return out, nil
		}
		return agent.Result{}, err
	}
	commit, err := d.repo.Apply(ctx, gitrepo.Merge{
		Branch: d.Working, Base: p.Base, Side: p.Commit, Key: call.Key,
		Message: gitrepo.Message{
			Subject: "Accept: " + r.Preview.Summary, Author: call.Principal.UserName, When: call.Now(),
			Trailers: map[string]string{gitrepo.TrailerCall: string(call.ID)},
		},
	})
	if err != nil {
		return agent.Result{}, err
	}
	a.withdraw(ctx, d, p)
	return show(applied{
		SlideID: p.SlideID, Paths: p.Paths, Branch: d.Working, Commit: commit, Summary: r.Preview.Summary,
		Notice: d.follower.behind(ctx, commit),
	}, d.ID, p.SlideID)
}

// unmoved is the quick answer to whether the preview's resources are as they were;
// the real one is the compare and set of the merge.
func unmoved(d *Deck, snap *deck.Snapshot, resources []agent.Resource) error {
	for _, r := range resources {
		if plant.Planted("no_compare_and_set") || plant.Planted("applied_again") {
			break
		}
		file, ok := strings.CutPrefix(r.ID, resourcePrefix(d.ID))
		if !ok {
			continue
		}
		if now := version(snap, file); now != r.Version {
			return &agent.Error{
				Code: agent.CodeStalePreview, Message: file + " has changed since the preview was made.",
				Hint: "Look at the new preview and decide again.",
			}
		}
	}
	return nil
}

// discard removes the side branch of a proposal.
func (a *App) discard(ctx context.Context, call *agent.Call, r agent.Receipt) error {
	d, p, err := a.proposalOf(call, r)
	if err != nil {
		return err
	}
	return d.repo.DeleteBranch(ctx, p.Branch, p.Commit)
}

// verify tells whether the merge with the call's key happened, or the commit that
// takes one back under it. Where a merge did, and its process died before the side
// branch was removed, that is made good.
func (a *App) verify(ctx context.Context, call *agent.Call, d *Deck, slideID string) (bool, agent.Result, error) {
	commit, err := d.repo.Merged(ctx, d.Working, call.Key)
	if err != nil {
		return false, agent.Result{}, err
	}
	if commit == "" {
		return a.verifyUndo(ctx, call, d, slideID)
	}
	a.withdrawMerged(ctx, d, commit)
	out, err := show(applied{SlideID: slideID, Branch: d.Working, Commit: commit, Summary: "The change is merged.",
		Notice: d.follower.behind(ctx, commit)}, d.ID, slideID)
	return err == nil, out, err
}

// withdrawMerged removes the side branch that a merge took in.
func (a *App) withdrawMerged(ctx context.Context, d *Deck, merge string) {
	side, err := d.repo.MergedSide(ctx, merge)
	if err == nil {
		var branches []gitrepo.Branch
		branches, err = d.repo.Branches(ctx, SidePrefix)
		for _, b := range branches {
			if b.Ours && b.Tip == side {
				a.withdraw(ctx, d, proposal{Branch: b.Name, Commit: b.Tip})
			}
		}
	}
	if err != nil {
		a.log.Warn("a merged side branch stays until the clean-up job", "merge", merge, "error", err)
	}
}

func resourcePrefix(deckID string) string { return "deck/" + deckID + "/" }

// resources gives files of a deck as resources; a file that does not exist has the
// version "none".
func resources(d *Deck, snap *deck.Snapshot, paths ...string) []agent.Resource {
	out := make([]agent.Resource, 0, len(paths))
	for _, p := range paths {
		if p != "" {
			out = append(out, agent.Resource{ID: resourcePrefix(d.ID) + p, Version: version(snap, p)})
		}
	}
	return out
}

func version(snap *deck.Snapshot, file string) string {
	if e, ok := snap.Stat(file); ok {
		return e.Blob
	}
	return "none"
}

// preview puts artifacts and state together.
func preview(p proposal, summary string, artifacts []agent.Artifact) (agent.Preview, error) {
	state, err := json.Marshal(p)
	if err != nil {
		return agent.Preview{}, fmt.Errorf("write the preview's state: %w", err)
	}
	return agent.Preview{Summary: summary, Artifacts: artifacts, State: state}, nil
}
