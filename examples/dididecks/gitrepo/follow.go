package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// noteFolder holds, inside the git folder, a note for each change whose work tree has
// not followed yet: a file that is named by the new commit.
const noteFolder = "in-app-agent"

// How long a change waits for another program's lock on the index before it is made
// without the work tree, and how often it looks.
const (
	lockPatience = 500 * time.Millisecond
	lockLook     = 20 * time.Millisecond
)

// Pending is a change that is on its branch and that the branch's work tree has not
// taken up: the index was locked, or the process died between the two.
type Pending struct {
	Branch   string
	From, To string // commits
	Lock     string // the lock of git's that is in the way, "" when it is something else
	Cause    error
}

// Reason says in a sentence what keeps the work tree behind.
func (p Pending) Reason() string {
	if p.Lock != "" {
		return "Another program holds git's lock on the folder."
	}
	return "Files in it have changes of your own."
}

// Hint says what to do about it.
func (p Pending) Hint() string {
	if p.Lock != "" {
		return "Wait until that program is done. If no git is running in the folder, remove " + p.Lock + "."
	}
	return "Set your own changes aside with git stash; the folder then follows by itself, and git stash pop brings them back."
}

// TakenBack is a change that somebody's commit took back, because its work tree had not
// followed when the commit was made. The change is in the index again.
type TakenBack struct{ Change, By string }

// FollowUp lets work trees follow the changes they have not taken up yet. It gives those
// that still wait, and those that a commit took back meanwhile. With nothing to do it
// costs one look into a folder.
func (r *Repo) FollowUp(ctx context.Context) ([]Pending, []TakenBack) {
	if len(r.notes()) == 0 {
		return nil, nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.followAll(ctx)
}

// notes gives the changes that are noted and not done, by commit.
func (r *Repo) notes() []Pending {
	folder := filepath.Join(r.gitDir, noteFolder)
	files, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	var out []Pending
	for _, f := range files {
		raw, err := os.ReadFile(filepath.Join(folder, f.Name()))
		if err != nil {
			continue
		}
		lines := strings.Split(string(raw), "\n")
		if len(lines) < 2 {
			_ = os.Remove(filepath.Join(folder, f.Name()))
			continue
		}
		out = append(out, Pending{Branch: lines[0], From: lines[1], To: f.Name()})
	}
	return out
}

func (r *Repo) note(commit string) string { return filepath.Join(r.gitDir, noteFolder, commit) }

// followAll is FollowUp for a caller who holds the lock.
func (r *Repo) followAll(ctx context.Context) (waiting []Pending, back []TakenBack) {
	for _, p := range r.notes() {
		taken, err := r.followNote(ctx, &p)
		if err != nil {
			p.Cause = err
			waiting = append(waiting, p)
			continue
		}
		if taken != nil {
			back = append(back, *taken)
		}
		_ = os.Remove(r.note(p.To))
	}
	return waiting, back
}

// errLocked says that another program holds the index of a work tree.
var errLocked = errors.New("the index is locked")

func (r *Repo) followNote(ctx context.Context, p *Pending) (*TakenBack, error) {
	if _, err := r.git(ctx, "merge-base", "--is-ancestor", p.To, "refs/heads/"+p.Branch); err != nil {
		var f *failure
		if errors.As(err, &f) {
			return nil, nil // The change never got onto the branch, or left it: nothing to follow.
		}
		return nil, err
	}
	place, err := r.checkoutOf(ctx, p.Branch)
	if err != nil || place == "" {
		return nil, err
	}
	if lock := indexLock(place); exists(lock) {
		p.Lock = lock
		return nil, errLocked
	}
	to, taken, err := r.standing(ctx, *p)
	if err != nil || to == "" {
		return nil, err
	}
	// A git that is stopped half way would leave its own lock behind.
	return taken, r.follow(context.WithoutCancel(ctx), place, p.From, to)
}

// standing gives the commit that a work tree should follow to: the change as far as the
// branch has its files as the change left them, or as they were before it. What somebody
// has committed otherwise since is theirs. "" means that nothing of it is left.
func (r *Repo) standing(ctx context.Context, p Pending) (to string, taken *TakenBack, err error) {
	tip, err := r.Tip(ctx, p.Branch)
	if err != nil || tip == p.To {
		return tip, nil, err
	}
	changed, err := r.changes(ctx, p.From, p.To)
	if err != nil {
		return "", nil, err
	}
	tree, err := r.Tree(ctx, tip)
	if err != nil {
		return "", nil, err
	}
	var records bytes.Buffer
	kept := 0
	for _, c := range changed {
		switch now := tree[c.path].Blob; now {
		case c.before:
			taken = &TakenBack{Change: p.To, By: tip}
		case c.after:
		default:
			continue
		}
		record(&records, c.path, c.mode, c.after)
		kept++
	}
	switch kept {
	case 0:
		return "", nil, nil
	case len(changed):
		return p.To, taken, nil
	}
	to, err = r.commitIndex(ctx, p.From, records.Bytes(), nil, Message{Subject: "A part of " + p.To})
	return to, taken, err
}

// behindIn tells whether a work tree has not taken up a change of a file.
func (r *Repo) behindIn(ctx context.Context, branch, path string) (Pending, bool) {
	for _, p := range r.notes() {
		if p.Branch != branch {
			continue
		}
		changed, err := r.changes(ctx, p.From, p.To)
		if err != nil || !slices.Contains(pathsOf(changed), path) {
			continue
		}
		if place, err := r.checkoutOf(ctx, branch); err == nil && place != "" && exists(indexLock(place)) {
			p.Lock = indexLock(place)
		}
		return p, true
	}
	return Pending{}, false
}

// advance moves the branch with compare and set, then lets its work tree follow.
// The note that is written first lets anyone finish what a crash or a lock leaves half
// done between the two.
func (r *Repo) advance(ctx context.Context, place, branch, from, to string) error {
	if place != "" {
		if err := r.awaitIndex(ctx, place); err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(r.note(to)), 0o755); err != nil {
			return fmt.Errorf("note the checkout: %w", err)
		}
		if err := os.WriteFile(r.note(to), []byte(branch+"\n"+from+"\n"), 0o644); err != nil {
			return fmt.Errorf("note the checkout: %w", err)
		}
	}
	if err := r.SetBranch(ctx, branch, from, to); err != nil {
		if place != "" {
			_ = os.Remove(r.note(to))
		}
		if tip, tipErr := r.Tip(ctx, branch); tipErr == nil && tip != from {
			return errMoved
		}
		return err
	}
	// The change is made. A work tree that could not follow now follows later (FollowUp).
	if place != "" && r.follow(context.WithoutCancel(ctx), place, from, to) == nil {
		_ = os.Remove(r.note(to))
	}
	return nil
}

// awaitIndex lets a program that holds the index for a moment, as an editor does, finish.
// One that holds it for longer is not waited for: the change is made, and the work tree
// follows later.
func (r *Repo) awaitIndex(ctx context.Context, place string) error {
	lock := indexLock(place)
	if !exists(lock) {
		return nil
	}
	patience := time.NewTimer(lockPatience)
	defer patience.Stop()
	look := time.NewTicker(lockLook)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-patience.C:
			return nil
		case <-look.C:
			if !exists(lock) {
				return nil
			}
		}
	}
}

// follow brings index and work tree from one commit to another; files with
// changes of the user's own stay as they are.
func (r *Repo) follow(ctx context.Context, place, from, to string) error {
	_, err := r.run(ctx, command{args: []string{"update-index", "-q", "--refresh"}, dir: place})
	var f *failure
	if err != nil && !errors.As(err, &f) {
		return err // refresh exits with an error when files differ; only others count.
	}
	_, err = r.run(ctx, command{args: []string{"read-tree", "-m", "-u", from, to}, dir: place})
	return err
}

// indexLock gives the file by which git locks the index of a work tree.
func indexLock(place string) string {
	dir := filepath.Join(place, ".git")
	if raw, err := os.ReadFile(dir); err == nil { // a linked work tree has a file that names the folder
		if to, ok := strings.CutPrefix(strings.TrimSpace(string(raw)), "gitdir: "); ok {
			if dir = to; !filepath.IsAbs(dir) {
				dir = filepath.Join(place, dir)
			}
		}
	}
	return filepath.Join(dir, "index.lock")
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
