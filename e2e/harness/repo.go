package harness

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Repo looks into the git repository of a deck.
type Repo struct {
	Dir string
	tb  testing.TB
}

// Repo finds the deck's repository in the data folder: that of an org, or, where
// the server was started with --deck, the one that all share.
func (s *Server) Repo(org string) Repo {
	s.tb.Helper()
	var found []string
	root := filepath.Join(s.Data, "decks")
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == ".git" {
			if dir := filepath.Dir(path); s.opts.Deck != "" || filepath.Base(filepath.Dir(dir)) == org {
				found = append(found, dir)
			}
			return filepath.SkipDir
		}
		return err
	})
	if err != nil || len(found) != 1 {
		s.tb.Fatalf("the repositories of %s below %s are %v, %v", org, root, found, err)
	}
	return Repo{Dir: found[0], tb: s.tb}
}

// Git runs git in the repository and gives what it printed.
func (r Repo) Git(args ...string) string { return r.GitWith(nil, "", args...) }

// GitWith is Git with more environment and with input.
func (r Repo) GitWith(env []string, input string, args ...string) string {
	r.tb.Helper()
	out, err := r.TryGit(env, input, args...)
	if err != nil {
		r.tb.Fatal(err)
	}
	return out
}

// TryGit is GitWith for a command that may fail, as when somebody else holds a lock.
func (r Repo) TryGit(env []string, input string, args ...string) (string, error) {
	cmd := exec.CommandContext(r.tb.Context(), "git", args...)
	cmd.Dir = r.Dir
	cmd.Env = append(environment("GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull, "GIT_OPTIONAL_LOCKS=0",
		"GIT_AUTHOR_NAME=T", "GIT_AUTHOR_EMAIL=t@example.invalid", "GIT_COMMITTER_NAME=T", "GIT_COMMITTER_EMAIL=t@example.invalid"), env...)
	cmd.Stdin = strings.NewReader(input)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, errs.String())
	}
	return string(out), nil
}

// Working gives the branch that accepted changes go to: the one checked out.
func (r Repo) Working() string {
	r.tb.Helper()
	return strings.TrimSpace(r.Git("symbolic-ref", "--short", "HEAD"))
}

// Tip gives the commit of a revision.
func (r Repo) Tip(rev string) string {
	r.tb.Helper()
	return strings.TrimSpace(r.Git("rev-parse", "--verify", rev+"^{commit}"))
}

// Branches gives the names of the branches below a prefix.
func (r Repo) Branches(prefix string) []string {
	r.tb.Helper()
	return strings.Fields(r.Git("for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads/"+prefix))
}

// Merge is a merge commit with the ledger key that it carries.
type Merge struct{ Commit, Key string }

// Merges gives the merge commits of the working branch, newest first.
func (r Repo) Merges() (all []Merge) {
	r.tb.Helper()
	out := r.Git("log", "--merges", "--format=%H %(trailers:key=In-App-Agent-Key,valueonly,separator=%x20)", r.Working())
	for line := range strings.Lines(out) {
		commit, key, _ := strings.Cut(strings.TrimSpace(line), " ")
		all = append(all, Merge{commit, strings.TrimSpace(key)})
	}
	return all
}

// Files gives every file of a revision by path.
func (r Repo) Files(rev string) map[string]string {
	r.tb.Helper()
	files := map[string]string{}
	for tr := tar.NewReader(strings.NewReader(r.Git("archive", "--format=tar", rev))); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		var data []byte
		if err == nil && h.Typeflag == tar.TypeReg {
			data, err = io.ReadAll(tr)
			files[h.Name] = string(data)
		}
		if err != nil {
			r.tb.Fatal(err)
		}
	}
}

// Changed gives the paths in which two revisions differ.
func (r Repo) Changed(from, to string) []string {
	r.tb.Helper()
	return strings.Fields(r.Git("diff", "--name-only", from, to))
}
