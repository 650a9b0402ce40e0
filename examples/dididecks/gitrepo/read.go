package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

// MaxEntries bounds the files of a commit that we work on.
const MaxEntries = 20_000

// Entry is one file of a commit. Links and submodules are no entries: nothing
// of ours follows them.
type Entry struct {
	Path string
	Blob string // object id
	Size int64  // bytes
	Exec bool
}

// Tree gives the files of a commit by path. Errors: too_large (over MaxEntries).
func (r *Repo) Tree(ctx context.Context, commit string) (map[string]Entry, error) {
	out, err := r.git(ctx, "ls-tree", "-r", "-z", "-l", "--full-tree", commit)
	if err != nil {
		return nil, fmt.Errorf("list files: %w", err)
	}
	entries := map[string]Entry{}
	for record := range bytes.SplitSeq(out, []byte{0}) {
		meta, path, ok := strings.Cut(string(record), "\t")
		fields := strings.Fields(meta)
		if !ok || len(fields) != 4 || (fields[0] != "100644" && fields[0] != "100755") {
			continue
		}
		size, err := strconv.ParseInt(fields[3], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("list files: %w", err)
		}
		entries[path] = Entry{Path: path, Blob: fields[2], Size: size, Exec: fields[0] == "100755"}
		if len(entries) > MaxEntries {
			return nil, agent.Errorf(agent.CodeTooLarge, "The repository holds more than %d files.", MaxEntries)
		}
	}
	return entries, nil
}

// Blobs gives the contents of objects by id, in one run of git. Errors:
// not_found (an id is no blob of this repository).
func (r *Repo) Blobs(ctx context.Context, ids []string) (map[string][]byte, error) {
	found := make(map[string][]byte, len(ids))
	var wanted []string
	for _, id := range ids {
		if data, ok := r.blobs.get(id); ok {
			found[id] = data
		} else if !slices.Contains(wanted, id) {
			wanted = append(wanted, id)
		}
	}
	if len(wanted) == 0 {
		return found, nil
	}
	out, err := r.run(ctx, command{args: []string{"cat-file", "--batch"}, stdin: []byte(strings.Join(wanted, "\n") + "\n")})
	if err != nil {
		return nil, fmt.Errorf("read files: %w", err)
	}
	for _, id := range wanted {
		data, rest, err := cutObject(out)
		if err != nil {
			return nil, err
		}
		out = rest
		r.blobs.put(id, data)
		found[id] = data
	}
	return found, nil
}

// cutObject reads one answer of cat-file --batch: "id type size\n" content "\n".
func cutObject(out []byte) (data, rest []byte, err error) {
	header, body, ok := bytes.Cut(out, []byte("\n"))
	fields := bytes.Fields(header)
	if !ok || len(fields) != 3 || string(fields[1]) != "blob" {
		e := agent.NotFound("file")
		e.Cause = fmt.Errorf("cat-file answered %.80q", header)
		return nil, nil, e
	}
	size, err := strconv.Atoi(string(fields[2]))
	if err != nil || size < 0 || size+1 > len(body) {
		return nil, nil, errors.New("cat-file gave a cut answer")
	}
	return slices.Clone(body[:size]), body[size+1:], nil
}

// Commit is one line of a branch's history. When is in seconds since the epoch.
type Commit struct {
	ID      string
	Subject string
	Author  string
	When    int64
	Parents int
	Key     string // value of the key trailer, "" without
}

const logFormat = "--format=%H%x00%s%x00%an%x00%ct%x00%P%x00%(trailers:key=" + TrailerKey + ",valueonly,separator=%x2C)%x1e"

// Log gives the newest commits of a branch, at most limit of them: what happened
// to the branch itself, so a merge and not what it brought.
func (r *Repo) Log(ctx context.Context, branch string, limit int) ([]Commit, error) {
	if err := checkBranch(branch); err != nil {
		return nil, err
	}
	return r.log(ctx, "--first-parent", "-n", strconv.Itoa(limit), "refs/heads/"+branch, "--")
}

// Commit gives one commit.
func (r *Repo) Commit(ctx context.Context, id string) (Commit, error) {
	found, err := r.log(ctx, "-n", "1", id, "--")
	if err == nil && len(found) != 1 {
		err = agent.NotFound("commit")
	}
	if err != nil {
		return Commit{}, err
	}
	return found[0], nil
}

func (r *Repo) log(ctx context.Context, args ...string) ([]Commit, error) {
	out, err := r.git(ctx, append([]string{"log", "--no-show-signature", logFormat}, args...)...)
	if err != nil {
		return nil, fmt.Errorf("read history: %w", err)
	}
	var commits []Commit
	for record := range strings.SplitSeq(string(out), "\x1e") {
		f := strings.Split(strings.TrimLeft(record, "\n"), "\x00")
		if len(f) != 6 {
			continue
		}
		when, err := strconv.ParseInt(f[3], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("read history: %w", err)
		}
		commits = append(commits, Commit{
			ID: f[0], Subject: f[1], Author: f[2], When: when,
			Parents: len(strings.Fields(f[4])), Key: strings.TrimSpace(f[5]),
		})
	}
	return commits, nil
}
