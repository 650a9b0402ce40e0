package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

// checkoutOf gives the work tree that has a branch checked out, "" without one.
func (r *Repo) checkoutOf(ctx context.Context, branch string) (string, error) {
	out, err := r.git(ctx, "worktree", "list", "--porcelain")
	if err != nil {
		return "", fmt.Errorf("list work trees: %w", err)
	}
	for block := range strings.SplitSeq(string(out), "\n\n") {
		lines := strings.Split(block, "\n")
		dir, ok := strings.CutPrefix(lines[0], "worktree ")
		if !ok || !slices.Contains(lines, "branch refs/heads/"+branch) {
			continue
		}
		if _, err := os.Stat(dir); err == nil {
			return dir, nil
		}
	}
	return "", nil
}

// uncommitted gives the first of the paths that has changes in a work tree which
// no commit holds, "" when there is none.
func (r *Repo) uncommitted(ctx context.Context, place string, paths []string) (string, error) {
	if place == "" || len(paths) == 0 {
		return "", nil
	}
	args := []string{"--literal-pathspecs", "status", "--porcelain=v1", "-z", "--no-renames", "--ignored", "--untracked-files=all", "--"}
	out, err := r.run(ctx, command{args: append(args, paths...), dir: place})
	if err != nil {
		return "", fmt.Errorf("look at the work tree: %w", err)
	}
	first, _, _ := strings.Cut(string(out), "\x00")
	if len(first) < 4 {
		return "", nil
	}
	return first[3:], nil
}

func uncommittedError(code agent.Code, path, doing string) *agent.Error {
	return &agent.Error{
		Code:    code,
		Message: fmt.Sprintf("%s has changes that are not committed yet, and %s would overwrite them.", path, doing),
		Hint:    "Commit or undo those changes in your editor, then try again.",
	}
}

// CheckCommitted refuses with conflict when one of the paths has changes in the
// work tree of a branch that no commit holds.
func (r *Repo) CheckCommitted(ctx context.Context, branch string, paths ...string) error {
	place, err := r.checkoutOf(ctx, branch)
	if err != nil {
		return err
	}
	path, err := r.uncommitted(ctx, place, paths)
	if err == nil && path != "" {
		return uncommittedError(agent.CodeConflict, path, "accepting")
	}
	return err
}

// Uncommitted gives a path below prefix with changes that no commit holds, "" when
// there is none.
func (r *Repo) Uncommitted(ctx context.Context, branch, prefix string) (string, error) {
	place, err := r.checkoutOf(ctx, branch)
	if err != nil {
		return "", err
	}
	return r.uncommitted(ctx, place, []string{prefix})
}

// advance moves the branch with compare and set, then lets its work tree follow.
// The note that is written first lets the next process finish what a crash
// between the two would leave half done.
func (r *Repo) advance(ctx context.Context, place, branch, from, to string) error {
	var note string
	if place != "" {
		note = filepath.Join(r.gitDir, noteFolder, to)
		if err := os.MkdirAll(filepath.Dir(note), 0o755); err != nil {
			return fmt.Errorf("note the checkout: %w", err)
		}
		if err := os.WriteFile(note, []byte(branch+"\n"+from+"\n"), 0o644); err != nil {
			return fmt.Errorf("note the checkout: %w", err)
		}
	}
	if err := r.SetBranch(ctx, branch, from, to); err != nil {
		if note != "" {
			_ = os.Remove(note)
		}
		if tip, tipErr := r.Tip(ctx, branch); tipErr == nil && tip != from {
			return errMoved
		}
		return err
	}
	if place != "" {
		// The merge is done and told as done; a work tree that could not follow now
		// (an editor holds its index lock) follows at the next occasion.
		if r.follow(context.WithoutCancel(ctx), place, from, to) == nil {
			_ = os.Remove(note)
		}
	}
	return nil
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

const noteFolder = "in-app-agent"

// finishCheckouts lets work trees follow merges whose process did not come to it.
// The caller holds the lock.
func (r *Repo) finishCheckouts(ctx context.Context) {
	folder := filepath.Join(r.gitDir, noteFolder)
	notes, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	for _, n := range notes {
		path := filepath.Join(folder, n.Name())
		raw, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		lines := strings.Split(string(raw), "\n")
		if len(lines) < 2 || r.finishCheckout(ctx, lines[0], lines[1], n.Name()) == nil {
			_ = os.Remove(path)
		}
	}
}

func (r *Repo) finishCheckout(ctx context.Context, branch, from, to string) error {
	if _, err := r.git(ctx, "merge-base", "--is-ancestor", to, "refs/heads/"+branch); err != nil {
		var f *failure
		if errors.As(err, &f) {
			return nil // The merge never got onto the branch: nothing to follow.
		}
		return err
	}
	place, err := r.checkoutOf(ctx, branch)
	if err != nil || place == "" {
		return err
	}
	return r.follow(ctx, place, from, to)
}

// CheckOut lets HEAD name a branch and fills the work tree from it; for a
// repository that was just made.
func (r *Repo) CheckOut(ctx context.Context, branch string) error {
	if err := checkBranch(branch); err != nil {
		return err
	}
	if _, err := r.git(ctx, "symbolic-ref", "HEAD", "refs/heads/"+branch); err != nil {
		return fmt.Errorf("check out: %w", err)
	}
	_, err := r.git(ctx, "read-tree", "-m", "-u", "HEAD")
	return err
}

// Worktree makes a temporary detached work tree of a commit, for a build. The
// caller calls remove.
func (r *Repo) Worktree(ctx context.Context, commit string) (dir string, remove func(), err error) {
	parent, err := os.MkdirTemp("", "deck-build-")
	if err != nil {
		return "", nil, fmt.Errorf("make a work tree: %w", err)
	}
	dir = filepath.Join(parent, "deck")
	remove = func() {
		_ = os.RemoveAll(parent)
		_, _ = r.git(context.WithoutCancel(ctx), "worktree", "prune")
	}
	if _, err := r.git(ctx, "worktree", "add", "-q", "--detach", dir, commit); err != nil {
		remove()
		return "", nil, fmt.Errorf("make a work tree: %w", err)
	}
	return dir, remove, nil
}
