package gitrepo_test

import (
	"os"
	"path/filepath"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/examples/dididecks/gitrepo"
)

func TestATipIsFoundWhereverGitKeepsIt(t *testing.T) {
	r := newRepo(t, map[string]string{"a": "1"})
	ctx := t.Context()
	first := tip(t, r, "work")
	must(t, r.SetBranch(ctx, "side/one", "", first))
	plainGit(t, r, "pack-refs", "--all")
	if got := tip(t, r, "side/one"); got != first {
		t.Errorf("a packed branch is at %s, want %s", got, first)
	}
	second, err := r.Write(ctx, first, map[string][]byte{"a": []byte("2")}, gitrepo.Message{Subject: "go on", When: begun})
	must(t, err)
	must(t, r.SetBranch(ctx, "side/one", first, second))
	if got := tip(t, r, "side/one"); got != second {
		t.Errorf("a branch that moved since it was packed is at %s, want %s", got, second)
	}
	plainGit(t, r, "symbolic-ref", "refs/heads/alias", "refs/heads/side/one")
	if got := tip(t, r, "alias"); got != second {
		t.Errorf("a branch that stands for another one is at %s, want %s", got, second)
	}
	linked := filepath.Join(t.TempDir(), "linked")
	plainGit(t, r, "worktree", "add", "-q", linked, "side/one")
	beside, err := gitrepo.Open(ctx, linked)
	must(t, err)
	if got := tip(t, beside, "work"); got != first {
		t.Errorf("seen from a linked work tree the branch is at %s, want %s", got, first)
	}
	for name, written := range map[string]string{"a word": "hello\n", "cut": first[:39] + "\n", "nothing": ""} {
		must(t, os.WriteFile(filepath.Join(r.Dir(), ".git", "refs", "heads", "spoilt"), []byte(written), 0o600))
		if id, err := r.Tip(ctx, "spoilt"); agent.ErrorCode(err) != agent.CodeNotFound {
			t.Errorf("%s in a branch's file: %q, %v", name, id, err)
		}
	}
}
