package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/examples/dididecks/plant"
)

// Merge asks for a proposal to be merged. Base and Side are commits; Side was
// written over Base. Key is the value that the merge's trailer will carry.
type Merge struct {
	Branch  string
	Base    string
	Side    string
	Key     string
	Message Message
}

// noCompare is a planted fault: what moved is overwritten.
const noCompare = "no_compare_and_set"

// maxMoves bounds how often a merge is made again because the branch moved.
const maxMoves = 200

// Apply merges a proposal: exactly one new merge commit for a key, or none. Files
// that moved elsewhere since are kept. When a merge with the key is there already
// it is given and nothing is done. Errors: stale_preview (a file of the proposal
// moved, or has changes in the work tree that are not committed), conflict (the
// branch never stood still), not_found (the branch or the proposal is gone).
func (r *Repo) Apply(ctx context.Context, m Merge) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.followAll(ctx)
	changed, err := r.changes(ctx, m.Base, m.Side)
	if err != nil {
		return "", err
	}
	for range maxMoves {
		commit, err := r.mergeOnce(ctx, m, changed)
		if !errors.Is(err, errMoved) {
			return commit, err
		}
	}
	return "", agent.Errorf(agent.CodeConflict, "The deck is being changed too quickly. Please try again.")
}

var errMoved = errors.New("the branch moved")

func (r *Repo) mergeOnce(ctx context.Context, m Merge, changed []change) (string, error) {
	tip, err := r.Tip(ctx, m.Branch)
	if err != nil {
		return "", err
	}
	if done, err := r.merged(ctx, m.Key, m.Base+".."+tip); err != nil || done != "" && !plant.Planted(again) {
		return done, err
	}
	tree, err := r.Tree(ctx, tip)
	if err != nil {
		return "", err
	}
	var records bytes.Buffer
	for _, c := range changed {
		if now := tree[c.path].Blob; now != c.before && now != c.after && !plant.Planted(noCompare) {
			return "", stale(c.path + " has changed since the preview was made.")
		}
		if c.before == "" && blocked(tree, c.path) {
			return "", stale("There is something else at " + c.path + " now.")
		}
		record(&records, c.path, c.mode, c.after)
	}
	place, err := r.checkoutOf(ctx, m.Branch)
	if err != nil {
		return "", err
	}
	if path, err := r.uncommitted(ctx, place, pathsOf(changed)); err != nil || path != "" {
		if err != nil {
			return "", err
		}
		return "", r.uncommittedError(ctx, m.Branch, agent.CodeStalePreview, path, "accepting")
	}
	msg := m.Message
	msg.Trailers = withKey(msg.Trailers, m.Key)
	merge, err := r.commitIndex(ctx, tip, records.Bytes(), []string{tip, m.Side}, msg)
	if err != nil {
		return "", err
	}
	return merge, r.advance(ctx, place, m.Branch, tip, merge)
}

// record adds a line for update-index: a file at a path, or none.
func record(records *bytes.Buffer, path, mode, id string) {
	if id == "" {
		mode, id = "0", zeroID
	}
	fmt.Fprintf(records, "%s %s\t%s\x00", mode, id, path)
}

func withKey(trailers map[string]string, key string) map[string]string {
	out := map[string]string{TrailerKey: key}
	for k, v := range trailers {
		out[k] = v
	}
	return out
}

func stale(message string) *agent.Error {
	return &agent.Error{Code: agent.CodeStalePreview, Message: message, Hint: "Look at the new preview and decide again."}
}

// blocked reports whether a new path cannot be made because a file stands where a
// folder is needed, or the other way round.
func blocked(tree map[string]Entry, path string) bool {
	for i, c := range path {
		if c == '/' {
			if _, ok := tree[path[:i]]; ok {
				return true
			}
		}
	}
	for other := range tree {
		if strings.HasPrefix(other, path+"/") {
			return true
		}
	}
	return false
}

// Merged finds the merge that carries a key on a branch, "" when there is none.
func (r *Repo) Merged(ctx context.Context, branch, key string) (string, error) {
	r.FollowUp(ctx)
	tip, err := r.Tip(ctx, branch)
	if err != nil {
		return "", err
	}
	if plant.Planted(again) {
		return "", nil
	}
	return r.merged(ctx, key, tip)
}

// MergedSide gives the proposal's commit that a merge took in. Errors: not_found
// (it is no merge).
func (r *Repo) MergedSide(ctx context.Context, merge string) (string, error) {
	return r.commit(ctx, merge+"^2")
}

func (r *Repo) merged(ctx context.Context, key, revisions string) (string, error) {
	if key == "" {
		return "", errors.New("a merge needs a key")
	}
	return r.keyed(ctx, "--merges", key, revisions)
}

// again names the planted fault that what was merged before a crash is merged anew.
const again = "applied_again"

// keyed finds the commit that carries a key among merges or among the others, as
// the flag says.
func (r *Repo) keyed(ctx context.Context, flag, key, revisions string) (string, error) {
	commits, err := r.log(ctx, flag, "--fixed-strings", "--grep="+TrailerKey+": "+key, revisions, "--")
	if err != nil {
		return "", err
	}
	for _, c := range commits {
		if c.Key == key {
			return c.ID, nil
		}
	}
	return "", nil
}

// change is one file that a proposal changes: its mode and blob before and after.
// An empty blob means no file.
type change struct {
	path          string
	was, mode     string
	before, after string
}

func (r *Repo) changes(ctx context.Context, base, side string) ([]change, error) {
	out, err := r.git(ctx, "diff-tree", "-r", "-z", "--no-renames", "--no-commit-id", base, side)
	var f *failure
	if errors.As(err, &f) {
		e := stale("The proposal is not there any more.")
		e.Cause = err
		return nil, e
	}
	if err != nil {
		return nil, err
	}
	var changes []change
	fields := strings.Split(string(out), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		meta := strings.Fields(strings.TrimPrefix(fields[i], ":"))
		if len(meta) != 5 {
			return nil, fmt.Errorf("diff-tree answered %.80q", fields[i])
		}
		c := change{path: fields[i+1], was: meta[0], mode: meta[1], before: meta[2], after: meta[3]}
		if strings.Trim(c.before, "0") == "" {
			c.before = ""
		}
		if strings.Trim(c.after, "0") == "" {
			c.after = ""
		}
		changes = append(changes, c)
	}
	return changes, nil
}

func pathsOf(changes []change) []string {
	out := make([]string, len(changes))
	for i, c := range changes {
		out[i] = c.path
	}
	return out
}
