package dididecks

import (
	"context"
	"sync"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/examples/dididecks/deck"
	"github.com/lossless-group/in-app-agent/examples/dididecks/gitrepo"
)

// maxSnapshots bounds the commits that are kept read.
const maxSnapshots = 8

// Deck is one deck that is open: a repository, the branch that accepted changes go
// to, and the orgs that may open it.
type Deck struct {
	ID      string
	Working string

	repo     *gitrepo.Repo
	orgs     []string
	follower *follower
	notes    []string

	mu     sync.Mutex
	read   map[string]*deck.Snapshot // by commit
	recent []string
	builds builds
}

// openDeck settles the working branch of a repository and reads its tip once.
func openDeck(ctx context.Context, id string, repo *gitrepo.Repo, orgs []string, f *follower) (*Deck, error) {
	d := &Deck{ID: id, repo: repo, orgs: orgs, follower: f, read: map[string]*deck.Snapshot{}}
	head, err := repo.Head(ctx)
	if err != nil {
		if agent.ErrorCode(err) != agent.CodeNotFound {
			return nil, err
		}
		return nil, &agent.Error{
			Code: agent.CodeInvalidInput, Message: "The repository has no commit yet.",
			Hint: "Commit the deck first: git add . && git commit.", Cause: err,
		}
	}
	snap, err := d.at(ctx, head)
	if err != nil {
		return nil, err
	}
	if err := d.chooseBranch(ctx, snap.Manifest, head); err != nil {
		return nil, err
	}
	if snap, err = d.Snapshot(ctx); err != nil {
		return nil, err
	}
	if len(snap.Slides) == 0 {
		return nil, &agent.Error{
			Code: agent.CodeInvalidInput, Message: "No slides are committed on the branch " + d.Working + ".",
			Hint: "A deck keeps its slides as slides/01-name.html (or .md, .astro). Commit them and start again.",
		}
	}
	return d, nil
}

func publishedError(branch string) *agent.Error {
	return &agent.Error{
		Code: agent.CodePolicyDenied, Message: "The branch " + branch + " is published, and accepted changes never go to a published branch.",
		Hint: "Name another branch as working: in deck.yaml.",
	}
}

// Snapshot gives the deck as its working branch has it now. Whoever looks at the deck
// also lets its folder catch up with the branch, where it is behind.
func (d *Deck) Snapshot(ctx context.Context) (*deck.Snapshot, error) {
	d.follower.now(ctx)
	tip, err := d.repo.Tip(ctx, d.Working)
	if err != nil {
		return nil, err
	}
	return d.at(ctx, tip)
}

// at reads a commit, or gives it from those that were read lately.
func (d *Deck) at(ctx context.Context, commit string) (*deck.Snapshot, error) {
	d.mu.Lock()
	s, ok := d.read[commit]
	d.mu.Unlock()
	if ok {
		return s, nil
	}
	s, err := deck.Load(ctx, d.repo, commit)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, ok := d.read[commit]; !ok {
		d.read[commit] = s
		if d.recent = append(d.recent, commit); len(d.recent) > maxSnapshots {
			delete(d.read, d.recent[0])
			d.recent = d.recent[1:]
		}
	}
	return s, nil
}
