package dididecks

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// behindApp opens a deck and accepts a change of slide 4 while git's index is locked.
// due holds the tries that the app has put off.
func behindApp(tb testing.TB) (a *App, out applied, dir, lock string, log *bytes.Buffer, due *[]func()) {
	tb.Helper()
	dir, log, due = plainDeck(tb), &bytes.Buffer{}, &[]func(){}
	a = newApp(tb, Options{
		Path: dir, Log: slog.New(slog.NewTextHandler(log, nil)),
		after: func(_ time.Duration, f func()) { *due = append(*due, f) },
	})
	call := newCall(ana, "slide.edit", "c1", slideEditIn{SlideID: "04", Instruction: "less corporate"})
	r := shown(tb, a, call)
	lock = filepath.Join(dir, ".git", "index.lock")
	must(tb, os.WriteFile(lock, nil, 0o644))
	out, err := accept(tb, a, call, r)
	must(tb, err)
	return a, out, dir, lock, log, due
}

func caughtUp(tb testing.TB, dir string) {
	tb.Helper()
	if got := userGit(tb, dir, "status", "--porcelain"); got != "" {
		tb.Errorf("the folder is not where its branch is: %s", got)
	}
}

func TestAnAcceptUnderALockSaysThatTheFolderIsBehind(t *testing.T) {
	a, out, dir, lock, log, due := behindApp(t)
	if !strings.Contains(out.Notice, "not in the deck's folder yet") || !strings.Contains(out.Notice, lock) {
		t.Errorf("the outcome says %q", out.Notice)
	}
	if n := strings.Count(log.String(), "level=WARN"); n != 1 || !strings.Contains(log.String(), lock) {
		t.Errorf("the log says\n%s", log)
	}
	if len(*due) != 1 {
		t.Fatalf("%d tries are due, want 1", len(*due))
	}
	// Whoever looks meanwhile changes nothing, and the log says it once.
	for range 3 {
		if _, err := a.decks[0].Snapshot(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(log.String(), "level=WARN"); n != 1 || len(*due) != 1 {
		t.Errorf("%d warnings, %d tries due:\n%s", n, len(*due), log)
	}
	must(t, os.Remove(lock))
	(*due)[0]()
	caughtUp(t, dir)
	if len(*due) != 1 || !strings.Contains(log.String(), "has taken up the change") {
		t.Errorf("%d tries due, log:\n%s", len(*due), log)
	}
}

func TestTheTriesGoOnWhileTheLockIsThere(t *testing.T) {
	_, _, dir, lock, _, due := behindApp(t)
	for i := range 3 {
		if len(*due) != i+1 {
			t.Fatalf("%d tries were put off, want %d", len(*due), i+1)
		}
		(*due)[i]()
	}
	must(t, os.Remove(lock))
	(*due)[3]()
	caughtUp(t, dir)
}

func TestAFolderThatIsBehindCatchesUp(t *testing.T) {
	for name, look := range map[string]func(t *testing.T, a *App, dir string){
		"when the app starts again": func(t *testing.T, _ *App, dir string) { newApp(t, Options{Path: dir}) },
		"when the deck is looked at": func(t *testing.T, a *App, _ string) {
			_, err := a.Facts(as(t, ana), agent.Project{ID: DemoDeckID, Kind: ProjectKind})
			must(t, err)
		},
		"before the next preview of that slide": func(t *testing.T, a *App, _ string) {
			shown(t, a, newCall(ana, "slide.variant", "c2", slideVariantIn{SlideID: "04", Style: "chroma"}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			a, _, dir, lock, _, _ := behindApp(t)
			must(t, os.Remove(lock))
			look(t, a, dir)
			caughtUp(t, dir)
			must(t, os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("x"), 0o644))
			userGit(t, dir, "add", ".")
			userGit(t, dir, "commit", "-qm", "ordinary")
			if got := userGit(t, dir, "log", "-1", "--format=%s", "--", "slides/04-s.html"); got == "ordinary" {
				t.Errorf("an ordinary commit took the change back: %s", got)
			}
		})
	}
}

func TestAPreviewUnderTheLockSaysWhatIsInTheWay(t *testing.T) {
	a, _, _, lock, _, _ := behindApp(t)
	_, err := show1(t.Context(), a, newCall(ana, "slide.variant", "c2", slideVariantIn{SlideID: "04", Style: "chroma"}))
	var e *agent.Error
	if !errors.As(err, &e) || e.Code != agent.CodeConflict || strings.Contains(e.Message, "not committed") || !strings.Contains(e.Hint, lock) {
		t.Fatalf("got %v", err)
	}
	// Another slide is not behind, and goes on.
	shown(t, a, newCall(ana, "slide.variant", "c3", slideVariantIn{SlideID: "05", Style: "chroma"}))
}
