package gitrepo_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/examples/dididecks/gitrepo"
)

func revert(of, key string) gitrepo.Revert {
	return gitrepo.Revert{Branch: "work", Of: of, Key: key, Message: gitrepo.Message{Subject: "Undo", When: begun}}
}

func applied(t *testing.T, r *gitrepo.Repo, key string, files map[string]string) {
	t.Helper()
	s := propose(t, r, tip(t, r, "work"), "chat/"+filepath.Base(filepath.Dir(key)), files)
	_, err := r.Apply(t.Context(), merge(key, s))
	must(t, err)
}

func TestATakenBackMergeGivesItsFilesTheirBytesAndKeepsEverythingElse(t *testing.T) {
	r := newRepo(t, map[string]string{"slides/04.html": "old\n\r\n\x00", "other": "o"})
	applied(t, r, "t/c/apply", map[string]string{"slides/04.html": "new", "og/deep/1.png": "picture"})
	must(t, os.WriteFile(filepath.Join(r.Dir(), "other"), []byte("committed since"), 0o644))
	plainGit(t, r, "commit", "-qam", "other")
	before := tip(t, r, "work")
	commit, paths, err := r.Revert(t.Context(), revert("t/c/apply", "u/d/undo"))
	must(t, err)
	if tip(t, r, "work") != commit || plainGit(t, r, "rev-parse", "work^") != before || fmt.Sprint(paths) != "[og/deep/1.png slides/04.html]" {
		t.Fatalf("the branch is at %s, want %s over %s; the paths are %v", tip(t, r, "work"), commit, before, paths)
	}
	for path, want := range map[string]string{"slides/04.html": "old\n\r\n\x00", "og/deep/1.png": "(none)", "other": "committed since"} {
		if got := content(t, r, "work", path); got != want {
			t.Errorf("%s holds %q, want %q", path, got, want)
		}
	}
	if _, err := os.Stat(filepath.Join(r.Dir(), "og")); !os.IsNotExist(err) {
		t.Errorf("what the merge added is still on disk: %v", err)
	}
	if onDisk(t, r, "slides/04.html") != "old\n\r\n\x00" || plainGit(t, r, "status", "--porcelain") != "" {
		t.Error("the work tree did not follow")
	}
	plainGit(t, r, "fsck", "--strict")
}

func TestARevertIsFoundByItsWholeKeyAndIsNoMerge(t *testing.T) {
	r := newRepo(t, map[string]string{"a": "1"})
	applied(t, r, "t/c/apply", map[string]string{"a": "2"})
	if found, err := r.Reverted(t.Context(), "work", "u/d/undo"); err != nil || found != "" {
		t.Fatalf("before: %q, %v", found, err)
	}
	commit, _, err := r.Revert(t.Context(), revert("t/c/apply", "u/d/undo"))
	must(t, err)
	for key, want := range map[string]string{"u/d/undo": commit, "u/d/und": "", "t/c/apply": ""} {
		if found, err := r.Reverted(t.Context(), "work", key); err != nil || found != want {
			t.Errorf("%s is found as %q, %v, want %q", key, found, err, want)
		}
	}
	if found, err := r.Merged(t.Context(), "work", "u/d/undo"); err != nil || found != "" {
		t.Errorf("a revert was taken for a merge: %q, %v", found, err)
	}
	if _, err := r.Reverted(t.Context(), "work", ""); err == nil {
		t.Error("an empty key was looked for")
	}
}

func TestAMergeWhoseFilesMovedIsNotTakenBack(t *testing.T) {
	write := func(t *testing.T, r *gitrepo.Repo, path, text string) {
		t.Helper()
		full := filepath.Join(r.Dir(), path)
		must(t, os.MkdirAll(filepath.Dir(full), 0o755))
		must(t, os.WriteFile(full, []byte(text), 0o644))
	}
	for name, move := range map[string]func(t *testing.T, r *gitrepo.Repo){
		"committed by the user": func(t *testing.T, r *gitrepo.Repo) {
			write(t, r, "a", "mine")
			plainGit(t, r, "commit", "-qam", "mine")
		},
		"one of several files only": func(t *testing.T, r *gitrepo.Repo) {
			write(t, r, "new/x", "mine")
			plainGit(t, r, "commit", "-qam", "mine")
		},
		"removed": func(t *testing.T, r *gitrepo.Repo) {
			plainGit(t, r, "rm", "-q", "a")
			plainGit(t, r, "commit", "-qm", "gone")
		},
		"made executable": func(t *testing.T, r *gitrepo.Repo) {
			plainGit(t, r, "update-index", "--chmod=+x", "a")
			plainGit(t, r, "commit", "-qm", "x")
			plainGit(t, r, "checkout", "-q", "--", "a")
		},
		"changed and not committed": func(t *testing.T, r *gitrepo.Repo) { write(t, r, "a", "mine") },
		"changed and staged": func(t *testing.T, r *gitrepo.Repo) {
			write(t, r, "a", "mine")
			plainGit(t, r, "add", "a")
		},
		"changed by another merge": func(t *testing.T, r *gitrepo.Repo) {
			applied(t, r, "t/e/apply", map[string]string{"a": "3"})
		},
		"taken back already, by another key": func(t *testing.T, r *gitrepo.Repo) {
			_, _, err := r.Revert(t.Context(), revert("t/c/apply", "u/before/undo"))
			must(t, err)
		},
		"the merge was reset away": func(t *testing.T, r *gitrepo.Repo) { plainGit(t, r, "reset", "-q", "--hard", "HEAD~1") },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t, map[string]string{"a": "1", "b": "2"})
			applied(t, r, "t/c/apply", map[string]string{"a": "2", "new/x": "n"})
			move(t, r)
			before, disk, status := tip(t, r, "work"), onDisk(t, r, "a"), plainGit(t, r, "status", "--porcelain")
			_, _, err := r.Revert(t.Context(), revert("t/c/apply", "u/d/undo"))
			if !errors.Is(err, agent.ErrStaleUndo) {
				t.Fatalf("got %v, want stale_undo", err)
			}
			if tip(t, r, "work") != before || onDisk(t, r, "a") != disk || plainGit(t, r, "status", "--porcelain") != status {
				t.Fatal("a refused undo changed something")
			}
		})
	}
}

func TestARemovedFileComesBackUnlessSomethingStandsThere(t *testing.T) {
	for name, block := range map[string]bool{"nothing stands there": false, "a folder stands there": true} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t, map[string]string{"a": "1", "b": "2"})
			base := tip(t, r, "work")
			side, err := r.Write(t.Context(), base, map[string][]byte{"a": nil}, gitrepo.Message{Subject: "remove", When: begun})
			must(t, err)
			_, err = r.Apply(t.Context(), gitrepo.Merge{Branch: "work", Base: base, Side: side, Key: "t/c/apply", Message: gitrepo.Message{Subject: "Accept", When: begun}})
			must(t, err)
			if block {
				must(t, os.MkdirAll(filepath.Join(r.Dir(), "a"), 0o755))
				must(t, os.WriteFile(filepath.Join(r.Dir(), "a", "inside"), nil, 0o644))
				plainGit(t, r, "add", ".")
				plainGit(t, r, "commit", "-qm", "folder")
			}
			_, _, err = r.Revert(t.Context(), revert("t/c/apply", "u/d/undo"))
			if block != errors.Is(err, agent.ErrStaleUndo) || !block && (err != nil || onDisk(t, r, "a") != "1") {
				t.Fatalf("got %v, a holds %q", err, content(t, r, "work", "a"))
			}
		})
	}
}

func TestTwentyUndosWithOneKeyAreOneCommitAmongOtherAccepts(t *testing.T) {
	r := newRepo(t, map[string]string{"a": "1", "b": "1"})
	applied(t, r, "t/c/apply", map[string]string{"a": "2"})
	base := tip(t, r, "work")
	problems, commits := make([]error, 20), make([]string, 20)
	var group sync.WaitGroup
	for i := range 20 {
		// Another handle, as another replica of the process would have.
		other, err := gitrepo.Open(t.Context(), r.Dir())
		must(t, err)
		s := propose(t, r, base, fmt.Sprintf("chat/%d", i), map[string]string{fmt.Sprintf("f%d", i): "x"})
		group.Go(func() { commits[i], _, problems[i] = other.Revert(t.Context(), revert("t/c/apply", "u/d/undo")) })
		group.Go(func() {
			if _, err := r.Apply(t.Context(), merge(fmt.Sprintf("t/%d/apply", i), s)); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	must(t, errors.Join(problems...))
	for _, c := range commits {
		if c != commits[0] {
			t.Fatalf("two commits, %s and %s", c, commits[0])
		}
	}
	if n := merges(t, r); n != 21 || content(t, r, "work", "a") != "1" || content(t, r, "work", "f19") != "x" {
		t.Errorf("%d merges, a holds %q, f19 %q", n, content(t, r, "work", "a"), content(t, r, "work", "f19"))
	}
	if status := plainGit(t, r, "status", "--porcelain"); status != "" {
		t.Errorf("the work tree is not clean: %s", status)
	}
}

func TestAWorkTreeFollowsAfterACrashBetweenUndoAndCheckout(t *testing.T) {
	r := newRepo(t, map[string]string{"a": "1"})
	applied(t, r, "t/c/apply", map[string]string{"a": "2"})
	lock := filepath.Join(r.Dir(), ".git", "index.lock")
	must(t, os.WriteFile(lock, nil, 0o644)) // an editor holds the index
	_, _, err := r.Revert(t.Context(), revert("t/c/apply", "u/d/undo"))
	must(t, err)
	must(t, os.Remove(lock))
	if found, err := r.Reverted(t.Context(), "work", "u/d/undo"); err != nil || found == "" {
		t.Fatalf("Reverted gives %q, %v", found, err)
	}
	if onDisk(t, r, "a") != "1" || plainGit(t, r, "status", "--porcelain") != "" {
		t.Fatalf("the work tree did not follow: %q", onDisk(t, r, "a"))
	}
}
