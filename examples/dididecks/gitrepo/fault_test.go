//go:build unix

package gitrepo_test

import (
	"os"
	"path/filepath"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

// TestAGitThatFailsIsNotTakenForAnAnswer puts another git before the real one: a
// machine that is short of something kills processes, and a branch is there all the same.
func TestAGitThatFailsIsNotTakenForAnAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		code   agent.Code
	}{
		"killed":           {"kill -KILL $$", agent.CodeUnavailable},
		"not a program":    {"", agent.CodeUnavailable},
		"a fault of git's": {"echo fatal: out of memory >&2; exit 128", agent.CodeInternal},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t, map[string]string{"a": "1"})
			must(t, r.SetBranch(t.Context(), "packed", "", tip(t, r, "work")))
			plainGit(t, r, "pack-refs", "--all")
			dir := t.TempDir()
			text := "#!/bin/sh\n" + c.script + "\n"
			if c.script == "" {
				text = "\x7fELF no program"
			}
			if err := os.WriteFile(filepath.Join(dir, "git"), []byte(text), 0o755); err != nil {
				t.Fatal(err)
			}
			t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
			for what, err := range map[string]error{
				"head":   func() error { _, err := r.Head(t.Context()); return err }(),
				"tip":    func() error { _, err := r.Tip(t.Context(), "packed"); return err }(),
				"branch": func() error { _, err := r.HeadBranch(t.Context()); return err }(),
				"delete": r.DeleteBranch(t.Context(), "work", ""),
			} {
				if err == nil || agent.ErrorCode(err) != c.code {
					t.Errorf("%s: got %v, want %s", what, err, c.code)
				}
			}
		})
	}
}
