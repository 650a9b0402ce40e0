package gitrepo

import (
	"context"
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

// uncommittedError says why a file is in the way: changes of the user's own, or a work
// tree that has not followed an earlier change yet.
func (r *Repo) uncommittedError(ctx context.Context, branch string, code agent.Code, path, doing string) *agent.Error {
	if p, ok := r.behindIn(ctx, branch, path); ok {
		return &agent.Error{Code: code, Message: "The deck's folder has not taken up the last change of " + path + " yet. " + p.Reason(), Hint: p.Hint()}
	}
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
		return r.uncommittedError(ctx, branch, agent.CodeConflict, path, "accepting")
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
