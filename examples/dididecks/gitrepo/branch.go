package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

// Branch is a branch with its tip. When is in seconds since the epoch; Ours
// reports whether the tip is a proposal that this package wrote.
type Branch struct {
	Name string
	Tip  string
	When int64
	Ours bool
}

// Branches gives the branches below a prefix such as "chat/", by name.
func (r *Repo) Branches(ctx context.Context, prefix string) ([]Branch, error) {
	const format = "--format=%(refname:lstrip=2)%00%(objectname)%00%(committerdate:unix)%00%(contents:trailers:key=" +
		TrailerCapability + ",valueonly)%00"
	out, err := r.git(ctx, "for-each-ref", format, "refs/heads/"+prefix)
	if err != nil {
		return nil, fmt.Errorf("list branches: %w", err)
	}
	fields := strings.Split(string(out), "\x00")
	var branches []Branch
	for i := 0; i+4 <= len(fields); i += 4 {
		when, err := strconv.ParseInt(fields[i+2], 10, 64)
		if err != nil {
			continue
		}
		branches = append(branches, Branch{
			Name: strings.TrimSpace(fields[i]), Tip: fields[i+1], When: when, Ours: strings.TrimSpace(fields[i+3]) != "",
		})
	}
	return branches, nil
}

// ClonedBranch gives the branch that a clone follows by default, "" where the repository
// is no clone or does not say.
func (r *Repo) ClonedBranch(ctx context.Context) (string, error) {
	out, err := r.git(ctx, "symbolic-ref", "-q", "refs/remotes/origin/HEAD")
	var f *failure
	if errors.As(err, &f) && f.code == quietly {
		return "", nil
	}
	return strings.TrimPrefix(strings.TrimSpace(string(out)), "refs/remotes/origin/"), err
}

// FastForward moves a branch to a commit that holds all of it, and its work tree with
// it. It reports false and moves nothing where the branch has commits of its own.
func (r *Repo) FastForward(ctx context.Context, branch, to string) (bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	tip, err := r.Tip(ctx, branch)
	if err != nil || tip == to {
		return err == nil, err
	}
	holds := func(part, whole string) (bool, error) {
		_, err := r.git(ctx, "merge-base", "--is-ancestor", part, whole)
		var f *failure
		if errors.As(err, &f) && f.code == quietly {
			return false, nil
		}
		return err == nil, err
	}
	if ahead, err := holds(to, tip); err != nil || ahead {
		return ahead, err
	}
	behind, err := holds(tip, to)
	if err != nil || !behind {
		return false, err
	}
	place, err := r.checkoutOf(ctx, branch)
	if err != nil {
		return false, err
	}
	return true, r.advance(ctx, place, branch, tip, to)
}

// Propose writes files over a base commit on a new side branch. A branch name
// that is taken gets a number. It gives the branch and its commit.
func (r *Repo) Propose(ctx context.Context, base, name string, files map[string][]byte, m Message) (branch, commit string, err error) {
	if commit, err = r.Write(ctx, base, files, m); err != nil {
		return "", "", err
	}
	for n := 1; n <= 100; n++ {
		branch = name
		if n > 1 {
			branch = fmt.Sprintf("%s-%d", name, n)
		}
		err = r.SetBranch(ctx, branch, "", commit)
		if agent.ErrorCode(err) != agent.CodeConflict {
			return branch, commit, err
		}
	}
	return "", "", err
}
