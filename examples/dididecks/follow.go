package dididecks

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/lossless-group/in-app-agent/examples/dididecks/gitrepo"
)

// followEvery is how often a work tree that is behind its branch is tried again.
const followEvery = time.Second

// follower lets the work tree of a deck take up changes that it could not take up when
// they were accepted: at once when somebody looks at the deck, else every followEvery.
type follower struct {
	repo  *gitrepo.Repo
	log   *slog.Logger
	after func(time.Duration, func()) // time.AfterFunc, but in tests
	ctx   context.Context             // ends the tries with the program

	mu      sync.Mutex
	waiting map[string]string // what was told already, by commit
	timed   bool              // a try is due
}

func newFollower(ctx context.Context, repo *gitrepo.Repo, log *slog.Logger, after func(time.Duration, func())) *follower {
	if after == nil {
		after = func(d time.Duration, f func()) { time.AfterFunc(d, f) }
	}
	return &follower{repo: repo, log: log, after: after, ctx: ctx, waiting: map[string]string{}}
}

// now tries, and gives what is still behind.
func (f *follower) now(ctx context.Context) []gitrepo.Pending {
	waiting, back := f.repo.FollowUp(ctx)
	if ctx.Err() != nil {
		return waiting
	}
	for _, b := range back {
		f.log.Warn("a commit took an accepted change back, because the folder had not followed when it was made; the change is staged again: commit it to keep it",
			"change", b.Change, "commit", b.By)
	}
	f.tell(waiting)
	return waiting
}

// tell logs what is behind once for each reason, and sees to the next try.
func (f *follower) tell(waiting []gitrepo.Pending) {
	f.mu.Lock()
	defer f.mu.Unlock()
	told := map[string]string{}
	for _, p := range waiting {
		told[p.To] = p.Reason()
		if f.waiting[p.To] != p.Reason() {
			f.log.Warn("the deck's folder has not taken up an accepted change yet; until it has, a commit there would take the change back",
				"branch", p.Branch, "change", p.To, "reason", p.Reason(), "hint", p.Hint(), "error", p.Cause)
		}
	}
	for change := range f.waiting {
		if _, still := told[change]; !still {
			f.log.Info("the deck's folder has taken up the change", "change", change)
		}
	}
	f.waiting = told
	if len(waiting) == 0 || f.timed || f.ctx.Err() != nil {
		return
	}
	f.timed = true
	f.after(followEvery, func() {
		f.mu.Lock()
		f.timed = false
		f.mu.Unlock()
		if f.ctx.Err() == nil {
			f.now(f.ctx)
		}
	})
}

// behind says in a sentence that a change has not reached the folder, "" when it has.
func (f *follower) behind(ctx context.Context, change string) string {
	for _, p := range f.now(context.WithoutCancel(ctx)) {
		if p.To == change {
			return "It is on the branch " + p.Branch + ", but not in the deck's folder yet. " + p.Reason() +
				" The folder follows by itself; do not commit there before it has. " + p.Hint()
		}
	}
	return ""
}
