package crash

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/lossless-group/in-app-agent/e2e/harness"
)

// editor is a person who commits to the deck's files beside the agent, as a program
// does that knows git: with compare and set on the branch.
type editor struct {
	t    *trial
	repo harness.Repo
	busy time.Duration // how long a lock of somebody else's may last
}

// commit commits a file on the working branch and gives the commit. tidy brings the
// work tree along.
func (e editor) commit(path, text string, tidy bool) (commit string) {
	blob := strings.TrimSpace(e.repo.GitWith(nil, text, "hash-object", "-w", "--stdin"))
	branch := "refs/heads/" + e.repo.Working()
	index := []string{"GIT_INDEX_FILE=" + filepath.Join(e.t.TempDir(), "index")}
	e.patiently(func() error {
		tip := e.repo.Tip(branch)
		e.repo.GitWith(index, "", "read-tree", tip)
		e.repo.GitWith(index, "", "update-index", "--add", "--cacheinfo", "100644,"+blob+","+path)
		tree := strings.TrimSpace(e.repo.GitWith(index, "", "write-tree"))
		commit = strings.TrimSpace(e.repo.GitWith(index, "", "commit-tree", tree, "-p", tip, "-m", "Edit "+path))
		_, err := e.repo.TryGit(nil, "", "update-ref", branch, commit, tip)
		return err
	})
	if tidy {
		e.tidy(path, text, blob)
	}
	return commit
}

// tidy writes a committed file into work tree and index.
func (e editor) tidy(path, text, blob string) {
	if err := os.WriteFile(filepath.Join(e.repo.Dir, filepath.FromSlash(path)), []byte(text), 0o644); err != nil {
		e.t.Fatal(err)
	}
	e.patiently(func() error {
		_, err := e.repo.TryGit(nil, "", "update-index", "--add", "--cacheinfo", "100644,"+blob+","+path)
		return err
	})
}

// patiently tries again while somebody else holds a lock or was faster.
func (e editor) patiently(try func() error) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for begun := time.Now(); ; <-tick.C {
		err := try()
		if err == nil {
			return
		}
		if time.Since(begun) > e.busy {
			e.t.Fatal(err)
		}
	}
}
