package gitrepo_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/examples/dididecks/gitrepo"
)

// lockIndex takes git's lock on the index as another program would; let gives it back.
func lockIndex(tb testing.TB, r *gitrepo.Repo) (lock string, let func()) {
	tb.Helper()
	lock = filepath.Join(r.Dir(), ".git", "index.lock")
	must(tb, os.WriteFile(lock, nil, 0o644))
	return lock, func() { must(tb, os.Remove(lock)) }
}

// acceptLocked accepts a change while the index is locked.
func acceptLocked(tb testing.TB, r *gitrepo.Repo, files map[string]string) (commit, lock string, let func()) {
	tb.Helper()
	lock, let = lockIndex(tb, r)
	commit, err := r.Apply(tb.Context(), merge("t/c/apply", propose(tb, r, tip(tb, r, "work"), "chat/x", files)))
	must(tb, err)
	return commit, lock, let
}

func TestAChangeMadeUnderALockIsTakenUpOnceTheLockIsGone(t *testing.T) {
	r := newRepo(t, map[string]string{"a": "1", "b": "1"})
	if waiting, _ := r.FollowUp(t.Context()); len(waiting) != 0 {
		t.Fatalf("nothing happened, and %+v waits", waiting)
	}
	commit, lock, let := acceptLocked(t, r, map[string]string{"a": "2"})
	waiting, _ := r.FollowUp(t.Context())
	if len(waiting) != 1 || waiting[0].To != commit || waiting[0].Lock != lock || !strings.Contains(waiting[0].Hint(), lock) || onDisk(t, r, "a") != "1" {
		t.Fatalf("under the lock %+v waits", waiting)
	}
	let()
	if waiting, back := r.FollowUp(t.Context()); len(waiting) != 0 || len(back) != 0 {
		t.Fatalf("%+v still waits, %+v was taken back", waiting, back)
	}
	if onDisk(t, r, "a") != "2" || plainGit(t, r, "status", "--porcelain") != "" {
		t.Fatalf("a holds %q", onDisk(t, r, "a"))
	}
}

func TestAFileThatIsBehindIsNotTakenForTheUsersOwnChange(t *testing.T) {
	r := newRepo(t, map[string]string{"a": "1", "b": "1"})
	_, lock, _ := acceptLocked(t, r, map[string]string{"a": "2"})
	must(t, os.WriteFile(filepath.Join(r.Dir(), "b"), []byte("mine"), 0o644))
	for path, own := range map[string]bool{"a": false, "b": true} {
		err := r.CheckCommitted(t.Context(), "work", path)
		var e *agent.Error
		if !errors.As(err, &e) || e.Code != agent.CodeConflict {
			t.Fatalf("%s: got %v, want conflict", path, err)
		}
		if strings.Contains(e.Message, "not committed yet") != own || strings.Contains(e.Hint, lock) == own {
			t.Errorf("%s: %s %s", path, e.Message, e.Hint)
		}
	}
}

func TestACommitOverAFolderThatIsBehindLosesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		commit       func(t *testing.T, r *gitrepo.Repo)
		disk, status string
		back         bool
	}{
		"an ordinary commit takes the change back: it is staged again": {func(t *testing.T, r *gitrepo.Repo) {
			must(t, os.WriteFile(filepath.Join(r.Dir(), "b"), []byte("mine"), 0o644))
			plainGit(t, r, "add", "b")
			plainGit(t, r, "commit", "-qm", "mine")
		}, "2", "M  a", true},
		"the file committed otherwise is theirs": {func(t *testing.T, r *gitrepo.Repo) {
			must(t, os.WriteFile(filepath.Join(r.Dir(), "a"), []byte("mine"), 0o644))
			plainGit(t, r, "commit", "-qam", "mine")
		}, "mine", "", false},
		"a reset to before the change drops it": {func(t *testing.T, r *gitrepo.Repo) {
			plainGit(t, r, "reset", "-q", "--hard", "HEAD~")
		}, "1", "", false},
		"a reset to the change takes it up": {func(t *testing.T, r *gitrepo.Repo) {
			plainGit(t, r, "reset", "-q", "--hard")
		}, "2", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t, map[string]string{"a": "1", "b": "1"})
			change, _, let := acceptLocked(t, r, map[string]string{"a": "2"})
			let()
			c.commit(t, r)
			waiting, back := r.FollowUp(t.Context())
			if len(waiting) != 0 || (len(back) == 1 && back[0].Change == change && back[0].By == tip(t, r, "work")) != c.back {
				t.Errorf("waiting %+v, taken back %+v", waiting, back)
			}
			if got := plainGit(t, r, "status", "--porcelain"); got != c.status || onDisk(t, r, "a") != c.disk {
				t.Errorf("status %q, a holds %q on disk", got, onDisk(t, r, "a"))
			}
		})
	}
}

func TestOfAChangeOfTwoFilesWhatNobodyCommittedSinceIsTakenUp(t *testing.T) {
	r := newRepo(t, map[string]string{"a": "1", "b": "1"})
	_, _, let := acceptLocked(t, r, map[string]string{"a": "2", "b": "2"})
	let()
	must(t, os.WriteFile(filepath.Join(r.Dir(), "a"), []byte("mine"), 0o644))
	plainGit(t, r, "add", "a")
	plainGit(t, r, "commit", "-qm", "mine", "--", "a")
	if waiting, _ := r.FollowUp(t.Context()); len(waiting) != 0 {
		t.Fatalf("%+v waits", waiting)
	}
	if onDisk(t, r, "a") != "mine" || onDisk(t, r, "b") != "2" || plainGit(t, r, "status", "--porcelain") != "" {
		t.Errorf("a %q, b %q, %s", onDisk(t, r, "a"), onDisk(t, r, "b"), plainGit(t, r, "status", "--porcelain"))
	}
}

func TestEditsOfTheUsersOwnInAFileThatIsBehindAreKept(t *testing.T) {
	r := newRepo(t, map[string]string{"a": "1"})
	_, _, let := acceptLocked(t, r, map[string]string{"a": "2"})
	let()
	must(t, os.WriteFile(filepath.Join(r.Dir(), "a"), []byte("mine"), 0o644))
	waiting, _ := r.FollowUp(t.Context())
	if len(waiting) != 1 || waiting[0].Lock != "" || !strings.Contains(waiting[0].Hint(), "git stash") || onDisk(t, r, "a") != "mine" {
		t.Fatalf("%+v, a holds %q", waiting, onDisk(t, r, "a"))
	}
	plainGit(t, r, "checkout", "-q", "--", "a")
	if waiting, _ := r.FollowUp(t.Context()); len(waiting) != 0 || onDisk(t, r, "a") != "2" {
		t.Fatalf("%+v, a holds %q", waiting, onDisk(t, r, "a"))
	}
}

func TestALinkedWorkTreeFollowsOnceItsLockIsGone(t *testing.T) {
	r := newRepo(t, map[string]string{"a": "1"})
	plainGit(t, r, "checkout", "-q", "-b", "mine")
	linked := filepath.Join(t.TempDir(), "linked")
	plainGit(t, r, "worktree", "add", "-q", linked, "work")
	lock := filepath.Join(r.Dir(), ".git", "worktrees", "linked", "index.lock")
	must(t, os.WriteFile(lock, nil, 0o644))
	_, err := r.Apply(t.Context(), merge("t/c/apply", propose(t, r, tip(t, r, "work"), "chat/x", map[string]string{"a": "2"})))
	must(t, err)
	if waiting, _ := r.FollowUp(t.Context()); len(waiting) != 1 || waiting[0].Lock != lock {
		t.Fatalf("%+v, want the lock %s", waiting, lock)
	}
	must(t, os.Remove(lock))
	r.FollowUp(t.Context())
	if raw, err := os.ReadFile(filepath.Join(linked, "a")); err != nil || string(raw) != "2" {
		t.Fatalf("the linked work tree holds %q, %v", raw, err)
	}
}
