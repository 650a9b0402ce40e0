package gitrepo

import (
	"bytes"
	"context"
	"errors"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/examples/dididecks/plant"
)

// Revert asks for a merge to be taken back. Of is the key of the merge, Key the
// value that the new commit's trailer will carry.
type Revert struct {
	Branch  string
	Of      string
	Key     string
	Message Message
}

// Revert takes a merge back: exactly one new commit for a key, or none, which gives
// every file that the merge changed the bytes it had before, and keeps everything
// else. When a commit with the key is there already it is given and nothing is done.
// Errors: stale_undo (a file of the merge is not as the merge left it, or has changes
// that are not committed; the merge is not on the branch), conflict (the branch never
// stood still), not_found (the branch is gone).
func (r *Repo) Revert(ctx context.Context, v Revert) (commit string, paths []string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.followAll(ctx)
	for range maxMoves {
		commit, paths, err = r.revertOnce(ctx, v)
		if !errors.Is(err, errMoved) {
			return commit, paths, err
		}
	}
	return "", nil, agent.Errorf(agent.CodeConflict, "The deck is being changed too quickly. Please try again.")
}

func (r *Repo) revertOnce(ctx context.Context, v Revert) (string, []string, error) {
	tip, err := r.Tip(ctx, v.Branch)
	if err != nil {
		return "", nil, err
	}
	merge, err := r.merged(ctx, v.Of, tip)
	if err != nil {
		return "", nil, err
	}
	if merge == "" {
		return "", nil, staleUndo("The change is not on the branch any more.")
	}
	changed, err := r.changes(ctx, merge+"^1", merge)
	if err != nil {
		return "", nil, err
	}
	if done, err := r.revertedAt(ctx, v.Key, merge+".."+tip); err != nil || done != "" {
		return done, pathsOf(changed), err
	}
	records, err := r.restoring(ctx, tip, changed)
	if err != nil {
		return "", nil, err
	}
	place, err := r.checkoutOf(ctx, v.Branch)
	if err != nil {
		return "", nil, err
	}
	if path, err := r.uncommitted(ctx, place, pathsOf(changed)); err != nil || path != "" {
		if err != nil {
			return "", nil, err
		}
		return "", nil, r.uncommittedError(ctx, v.Branch, agent.CodeStaleUndo, path, "taking the change back")
	}
	msg := v.Message
	msg.Trailers = withKey(msg.Trailers, v.Key)
	commit, err := r.commitIndex(ctx, tip, records, []string{tip}, msg)
	if err != nil {
		return "", nil, err
	}
	return commit, pathsOf(changed), r.advance(ctx, place, v.Branch, tip, commit)
}

// restoring gives the index records that put files back as they were before their
// change, where they are still as it left them.
func (r *Repo) restoring(ctx context.Context, tip string, changed []change) ([]byte, error) {
	tree, err := r.Tree(ctx, tip)
	if err != nil {
		return nil, err
	}
	var records bytes.Buffer
	for _, c := range changed {
		now, there := tree[c.path]
		if plant.Planted("undo_overwrites") {
			record(&records, c.path, c.was, c.before)
			continue
		}
		if now.Blob != c.after || there && now.Exec != (c.mode == executable) {
			return nil, staleUndo(c.path + " has changed since.")
		}
		if !there && blocked(tree, c.path) {
			return nil, staleUndo("There is something else at " + c.path + " now.")
		}
		record(&records, c.path, c.was, c.before)
	}
	return records.Bytes(), nil
}

// executable is git's mode of a file that may be run.
const executable = "100755"

// Reverted finds the commit that took a merge back under a key on a branch, "" when
// there is none.
func (r *Repo) Reverted(ctx context.Context, branch, key string) (string, error) {
	r.FollowUp(ctx)
	tip, err := r.Tip(ctx, branch)
	if err != nil {
		return "", err
	}
	return r.revertedAt(ctx, key, tip)
}

func (r *Repo) revertedAt(ctx context.Context, key, revisions string) (string, error) {
	if key == "" {
		return "", errors.New("taking back needs a key")
	}
	return r.keyed(ctx, "--no-merges", key, revisions)
}

func staleUndo(message string) *agent.Error {
	return &agent.Error{Code: agent.CodeStaleUndo, Message: message, Hint: "Ask for the opposite change instead."}
}
