package gitrepo_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/examples/dididecks/gitrepo"
)

type side struct{ branch, base, commit string }

func propose(tb testing.TB, r *gitrepo.Repo, base, name string, files map[string]string) side {
	tb.Helper()
	content := map[string][]byte{}
	for p, text := range files {
		content[p] = []byte(text)
	}
	branch, commit, err := r.Propose(tb.Context(), base, name, content, gitrepo.Message{
		Subject: "proposal", When: begun, Trailers: map[string]string{gitrepo.TrailerCapability: "slide.edit"},
	})
	must(tb, err)
	return side{branch, base, commit}
}

func merge(key string, s side) gitrepo.Merge {
	return gitrepo.Merge{Branch: "work", Base: s.base, Side: s.commit, Key: key, Message: gitrepo.Message{Subject: "Accept", When: begun}}
}

func merges(tb testing.TB, r *gitrepo.Repo) int {
	tb.Helper()
	log, err := r.Log(tb.Context(), "work", 10_000)
	must(tb, err)
	n := 0
	for _, c := range log {
		if c.Parents == 2 {
			n++
		}
	}
	return n
}

func TestAnAcceptedProposalIsOneMergeAndTheWorkTreeFollows(t *testing.T) {
	r := newRepo(t, map[string]string{"slides/04.html": "old\n", "other": "o"})
	s := propose(t, r, tip(t, r, "work"), "chat/x", map[string]string{"slides/04.html": "new\n", "slides/04.css": "c"})
	commit, err := r.Apply(t.Context(), merge("t/c/apply", s))
	must(t, err)
	if merges(t, r) != 1 || tip(t, r, "work") != commit {
		t.Fatalf("%d merges", merges(t, r))
	}
	for path, want := range map[string]string{"slides/04.html": "new\n", "slides/04.css": "c", "other": "o"} {
		if content(t, r, "work", path) != want || onDisk(t, r, path) != want {
			t.Errorf("%s: %q in git, %q on disk, want %q", path, content(t, r, "work", path), onDisk(t, r, path), want)
		}
	}
	if status := plainGit(t, r, "status", "--porcelain"); status != "" {
		t.Errorf("the work tree is not clean: %s", status)
	}
	found, err := r.Merged(t.Context(), "work", "t/c/apply")
	if err != nil || found != commit {
		t.Errorf("Merged gives %q, %v", found, err)
	}
	if found, _ := r.Merged(t.Context(), "work", "t/c/app"); found != "" {
		t.Error("a part of a key was taken for the key")
	}
	plainGit(t, r, "fsck", "--strict")
}

func TestAFileThatMovedMakesTheProposalStale(t *testing.T) {
	for name, move := range map[string]func(t *testing.T, r *gitrepo.Repo){
		"committed by the user": func(t *testing.T, r *gitrepo.Repo) {
			must(t, os.WriteFile(filepath.Join(r.Dir(), "a"), []byte("mine"), 0o644))
			plainGit(t, r, "commit", "-qam", "mine")
		},
		"removed": func(t *testing.T, r *gitrepo.Repo) {
			plainGit(t, r, "rm", "-q", "a")
			plainGit(t, r, "commit", "-qm", "gone")
		},
		"changed and not committed": func(t *testing.T, r *gitrepo.Repo) {
			must(t, os.WriteFile(filepath.Join(r.Dir(), "a"), []byte("mine"), 0o644))
		},
		"changed and staged": func(t *testing.T, r *gitrepo.Repo) {
			must(t, os.WriteFile(filepath.Join(r.Dir(), "a"), []byte("mine"), 0o644))
			plainGit(t, r, "add", "a")
		},
		"a folder stands where the new file goes": func(t *testing.T, r *gitrepo.Repo) {
			must(t, os.MkdirAll(filepath.Join(r.Dir(), "new", "x"), 0o755))
			must(t, os.WriteFile(filepath.Join(r.Dir(), "new", "x", "y"), []byte("mine"), 0o644))
			plainGit(t, r, "add", ".")
			plainGit(t, r, "commit", "-qm", "folder")
		},
		"a new file is there, not committed": func(t *testing.T, r *gitrepo.Repo) {
			must(t, os.MkdirAll(filepath.Join(r.Dir(), "new"), 0o755))
			must(t, os.WriteFile(filepath.Join(r.Dir(), "new", "x"), []byte("mine"), 0o644))
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t, map[string]string{"a": "1", "b": "2"})
			s := propose(t, r, tip(t, r, "work"), "chat/x", map[string]string{"a": "2", "new/x": "n"})
			move(t, r)
			before, disk := tip(t, r, "work"), onDisk(t, r, "a")
			_, err := r.Apply(t.Context(), merge("t/c/apply", s))
			if !errors.Is(err, agent.ErrStale) {
				t.Fatalf("got %v, want stale_preview", err)
			}
			if tip(t, r, "work") != before || onDisk(t, r, "a") != disk {
				t.Fatal("a refused proposal changed something")
			}
		})
	}
}

func TestFilesThatMovedElsewhereAreKept(t *testing.T) {
	r := newRepo(t, map[string]string{"a": "1", "b": "2", "c": "3"})
	s := propose(t, r, tip(t, r, "work"), "chat/x", map[string]string{"a": "A"})
	must(t, os.WriteFile(filepath.Join(r.Dir(), "b"), []byte("committed"), 0o644))
	plainGit(t, r, "commit", "-qam", "b")
	must(t, os.WriteFile(filepath.Join(r.Dir(), "c"), []byte("not committed"), 0o644))
	must(t, os.WriteFile(filepath.Join(r.Dir(), "d"), []byte("untracked"), 0o644))
	if _, err := r.Apply(t.Context(), merge("t/c/apply", s)); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"a": "A", "b": "committed", "c": "not committed", "d": "untracked"} {
		if got := onDisk(t, r, path); got != want {
			t.Errorf("%s holds %q on disk, want %q", path, got, want)
		}
	}
	if content(t, r, "work", "c") != "3" || content(t, r, "work", "b") != "committed" {
		t.Error("the merge took more or less than it should")
	}
	if status := plainGit(t, r, "status", "--porcelain"); status != "M c\n?? d" && status != " M c\n?? d" {
		t.Errorf("status:\n%s", status)
	}
}

func TestTwentyProposalsAtOnceAreTwentyMerges(t *testing.T) {
	files := map[string]string{}
	for i := range 20 {
		files[fmt.Sprintf("slides/%02d.html", i)] = "old"
	}
	r := newRepo(t, files)
	base := tip(t, r, "work")
	second, err := gitrepo.Open(t.Context(), r.Dir()) // another Repo for the same place
	must(t, err)
	var group sync.WaitGroup
	problems := make([]error, 20)
	for i := range 20 {
		s := propose(t, r, base, fmt.Sprintf("chat/s%d", i), map[string]string{fmt.Sprintf("slides/%02d.html", i): fmt.Sprintf("new %d", i)})
		by := []*gitrepo.Repo{r, second}[i%2]
		group.Go(func() { _, problems[i] = by.Apply(t.Context(), merge(fmt.Sprintf("t/%d/apply", i), s)) })
	}
	group.Wait()
	if err := errors.Join(problems...); err != nil {
		t.Fatal(err)
	}
	if n := merges(t, r); n != 20 {
		t.Fatalf("%d merges, want 20", n)
	}
	for i := range 20 {
		path := fmt.Sprintf("slides/%02d.html", i)
		if want := fmt.Sprintf("new %d", i); content(t, r, "work", path) != want || onDisk(t, r, path) != want {
			t.Errorf("%s holds %q", path, content(t, r, "work", path))
		}
	}
	if status := plainGit(t, r, "status", "--porcelain"); status != "" {
		t.Errorf("the work tree is not clean: %s", status)
	}
}

func TestTwentyAcceptsWithOneKeyAreOneMerge(t *testing.T) {
	r := newRepo(t, map[string]string{"a": "1"})
	s := propose(t, r, tip(t, r, "work"), "chat/x", map[string]string{"a": "2"})
	commits := make([]string, 20)
	problems := make([]error, 20)
	var group sync.WaitGroup
	for i := range 20 {
		group.Go(func() { commits[i], problems[i] = r.Apply(t.Context(), merge("t/c/apply", s)) })
	}
	group.Wait()
	if err := errors.Join(problems...); err != nil {
		t.Fatal(err)
	}
	for _, c := range commits {
		if c != commits[0] {
			t.Fatal("two accepts of one key were told two merges")
		}
	}
	if n := merges(t, r); n != 1 {
		t.Fatalf("%d merges, want 1", n)
	}
}

func TestABranchThatMovesBetweenReadAndWriteIsMergedAgain(t *testing.T) {
	r := newRepo(t, map[string]string{"a": "1", "b": "1"})
	base := tip(t, r, "work")
	other := propose(t, r, base, "chat/other", map[string]string{"b": "2"})
	if err := r.SetBranch(t.Context(), "work", base, other.commit); err != nil {
		t.Fatal(err)
	}
	// Whoever still believes in the old tip is refused by compare and set.
	if err := r.SetBranch(t.Context(), "work", base, base); agent.ErrorCode(err) != agent.CodeConflict {
		t.Fatalf("got %v, want conflict", err)
	}
	plainGit(t, r, "reset", "-q", "--hard")
	s := propose(t, r, base, "chat/x", map[string]string{"a": "2"})
	if _, err := r.Apply(t.Context(), merge("t/c/apply", s)); err != nil {
		t.Fatal(err)
	}
	if content(t, r, "work", "a") != "2" || content(t, r, "work", "b") != "2" {
		t.Fatal("a change was lost")
	}
}

func TestAWorkTreeFollowsAfterACrashBetweenMergeAndCheckout(t *testing.T) {
	r := newRepo(t, map[string]string{"a": "1", "b": "1"})
	lock := filepath.Join(r.Dir(), ".git", "index.lock")
	must(t, os.WriteFile(lock, nil, 0o644)) // an editor holds the index
	s := propose(t, r, tip(t, r, "work"), "chat/x", map[string]string{"a": "2"})
	commit, err := r.Apply(t.Context(), merge("t/c/apply", s))
	must(t, err)
	if tip(t, r, "work") != commit || onDisk(t, r, "a") != "1" {
		t.Fatalf("the merge is not there, or the locked work tree moved: %q", onDisk(t, r, "a"))
	}
	must(t, os.Remove(lock))
	if found, err := r.Merged(t.Context(), "work", "t/c/apply"); err != nil || found != commit {
		t.Fatalf("Merged gives %q, %v", found, err)
	}
	if onDisk(t, r, "a") != "2" || plainGit(t, r, "status", "--porcelain") != "" {
		t.Fatalf("the work tree did not follow: %q", onDisk(t, r, "a"))
	}
	notes, err := os.ReadDir(filepath.Join(r.Dir(), ".git", "in-app-agent"))
	must(t, err)
	if len(notes) != 0 {
		t.Fatalf("%d notes are left", len(notes))
	}
}

func TestANoteOfAMergeThatNeverHappenedIsDropped(t *testing.T) {
	r := newRepo(t, map[string]string{"a": "1"})
	base := tip(t, r, "work")
	s := propose(t, r, base, "chat/x", map[string]string{"a": "2"})
	notes := filepath.Join(r.Dir(), ".git", "in-app-agent")
	must(t, os.MkdirAll(notes, 0o755))
	must(t, os.WriteFile(filepath.Join(notes, s.commit), []byte("work\n"+base+"\n"), 0o644))
	if found, err := r.Merged(t.Context(), "work", "t/c/apply"); err != nil || found != "" {
		t.Fatalf("Merged gives %q, %v", found, err)
	}
	if left, _ := os.ReadDir(notes); len(left) != 0 || onDisk(t, r, "a") != "1" {
		t.Fatalf("%d notes left, a holds %q", len(left), onDisk(t, r, "a"))
	}
}

func TestTheBranchMayBeCheckedOutElsewhereOrNowhere(t *testing.T) {
	r := newRepo(t, map[string]string{"a": "1"})
	plainGit(t, r, "checkout", "-q", "-b", "mine")
	s := propose(t, r, tip(t, r, "work"), "chat/x", map[string]string{"a": "2"})
	if _, err := r.Apply(t.Context(), merge("t/1/apply", s)); err != nil {
		t.Fatal(err)
	}
	if onDisk(t, r, "a") != "1" || content(t, r, "work", "a") != "2" {
		t.Fatal("a branch that is not checked out moved the work tree")
	}
	linked := filepath.Join(t.TempDir(), "linked")
	plainGit(t, r, "worktree", "add", "-q", linked, "work")
	s = propose(t, r, tip(t, r, "work"), "chat/y", map[string]string{"a": "3"})
	if _, err := r.Apply(t.Context(), merge("t/2/apply", s)); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(filepath.Join(linked, "a"))
	if err != nil || string(raw) != "3" {
		t.Fatalf("the linked work tree holds %q, %v", raw, err)
	}
}

func TestDeletingABranchChecksWhereItStands(t *testing.T) {
	r := newRepo(t, map[string]string{"a": "1"})
	s := propose(t, r, tip(t, r, "work"), "chat/x", map[string]string{"a": "2"})
	if err := r.DeleteBranch(t.Context(), s.branch, s.base); agent.ErrorCode(err) != agent.CodeConflict {
		t.Errorf("at another commit: %v, want conflict", err)
	}
	must(t, r.DeleteBranch(t.Context(), s.branch, s.commit))
	must(t, r.DeleteBranch(t.Context(), s.branch, s.commit)) // gone already: no error
	if out := plainGit(t, r, "branch", "--list", "chat/*"); out != "" {
		t.Errorf("left: %s", out)
	}
}

func TestAProposalOfAnUnknownCommitIsStale(t *testing.T) {
	r := newRepo(t, map[string]string{"a": "1"})
	m := merge("t/c/apply", side{base: tip(t, r, "work"), commit: strings.Repeat("1", 40)})
	if _, err := r.Apply(t.Context(), m); !errors.Is(err, agent.ErrStale) {
		t.Fatalf("got %v, want stale_preview", err)
	}
}

func TestABuildGetsAWorkTreeOfItsOwn(t *testing.T) {
	r := newRepo(t, map[string]string{"a": "1"})
	dir, remove, err := r.Worktree(t.Context(), tip(t, r, "work"))
	must(t, err)
	raw, err := os.ReadFile(filepath.Join(dir, "a"))
	if err != nil || string(raw) != "1" {
		t.Fatalf("the work tree holds %q, %v", raw, err)
	}
	remove()
	if _, err := os.Stat(dir); err == nil || strings.Contains(plainGit(t, r, "worktree", "list"), dir) {
		t.Fatal("the work tree is still there")
	}
}
