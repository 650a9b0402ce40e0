package dididecks

import (
	"context"
	"slices"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/examples/dididecks/deck"
)

// draftBranch is the working branch of a deck where none is named and the one that is
// checked out is not to move.
const draftBranch = "draft"

// sharedBranches are those that others take from, whatever a deck says: accepted changes
// go there only if the deck names one as its working branch.
var sharedBranches = []string{"main", "master"}

// chooseBranch takes the manifest's working branch, else the one that is checked out,
// else "draft" where that one is published or shared. A branch that does not exist yet
// begins at the commit that is checked out.
func (d *Deck) chooseBranch(ctx context.Context, m deck.Manifest, head string) error {
	current, err := d.repo.HeadBranch(ctx)
	if err != nil {
		return err
	}
	kept := current == "" || m.IsPublished(current)
	if !kept {
		if kept, err = d.shared(ctx, current); err != nil {
			return err
		}
	}
	switch {
	case m.Working != "":
		d.Working = m.Working
	case kept:
		d.Working = draftBranch
	default:
		d.Working = current
	}
	if m.IsPublished(d.Working) {
		return publishedError(d.Working)
	}
	_, err = d.repo.Tip(ctx, d.Working)
	if agent.ErrorCode(err) == agent.CodeNotFound {
		err = d.repo.SetBranch(ctx, d.Working, "", head)
	} else if err == nil && m.Working == "" && kept {
		err = d.catchUp(ctx, current, head)
	}
	if err == nil {
		d.noteBranch(current, m.Working == "" && kept)
	}
	return err
}

// shared tells whether a branch is one that others take from: by its name, or because
// the repository was cloned from it.
func (d *Deck) shared(ctx context.Context, branch string) (bool, error) {
	if slices.Contains(sharedBranches, branch) {
		return true, nil
	}
	of, err := d.repo.ClonedBranch(ctx)
	return of == branch, err
}

// catchUp brings a draft that holds no change of its own to where the person's branch is
// by now, so that the agent works on what they see.
func (d *Deck) catchUp(ctx context.Context, current, head string) error {
	moved, err := d.repo.FastForward(ctx, d.Working, head)
	if err != nil || moved || current == "" {
		return err
	}
	d.notes = append(d.notes, "the branch "+d.Working+" lacks commits of "+current+"; to bring them in: git checkout "+d.Working+" && git merge "+current)
	return nil
}

// noteBranch says where accepted changes go.
func (d *Deck) noteBranch(current string, kept bool) {
	switch {
	case kept && current != "":
		d.notes = append(d.notes, "accepted changes go to the branch "+d.Working+"; "+current+" stays as it is (working: in deck.yaml names another branch)")
	case d.Working == current:
		d.notes = append(d.notes, "accepted changes go to the branch "+d.Working+", which is checked out, and into its folder")
	default:
		d.notes = append(d.notes, "accepted changes go to the branch "+d.Working)
	}
}

// Notes are sentences about the decks that whoever starts the app should read: which
// branch accepted changes go to, and what it lacks.
func (a *App) Notes() []string {
	var all []string
	for _, d := range a.decks {
		for _, n := range d.notes {
			if !slices.Contains(all, n) {
				all = append(all, n)
			}
		}
	}
	return all
}
