package dididecks

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/capability"
)

// undoOf is the call as the engine gives it to Undo: the one whose change it was,
// under the key of the taking back.
func undoOf(call *agent.Call, id string) *agent.Call {
	back := *call
	back.Key = agent.LedgerKey("turn_2", agent.CallID(id), agent.PhaseUndo)
	return &back
}

func takeBack(tb testing.TB, a *App, call *agent.Call, r agent.Receipt) (applied, error) {
	tb.Helper()
	result, err := capabilityOf(tb, a, call.Capability).Undo(tb.Context(), call, r)
	var out applied
	if err == nil {
		must(tb, json.Unmarshal(result.Output, &out))
	}
	return out, err
}

func edited(tb testing.TB, a *App, id, slide string) (*agent.Call, agent.Receipt) {
	tb.Helper()
	call := newCall(ana, "slide.edit", id, map[string]any{"slide_id": slide, "instruction": "less corporate"})
	r := shown(tb, a, call)
	_, err := accept(tb, a, call, r)
	must(tb, err)
	return call, r
}

func TestAnAcceptedChangeIsTakenBackByteForByteAndVerifyFindsIt(t *testing.T) {
	for _, c := range []struct {
		name  string
		input map[string]any
	}{
		{"slide.edit", map[string]any{"slide_id": "04", "instruction": "less corporate"}},
		{"slide.variant", map[string]any{"slide_id": "04", "style": "chroma"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newApp(t, Options{})
			d := a.decks[0]
			before := snapshotFiles(t, d)
			call := newCall(ana, c.name, "call_1", c.input)
			r := shown(t, a, call)
			_, err := accept(t, a, call, r)
			must(t, err)
			if fmt.Sprint(snapshotFiles(t, d)) == fmt.Sprint(before) {
				t.Fatal("accepting changed nothing")
			}
			back := undoOf(call, "call_9")
			verify := capabilityOf(t, a, c.name).Verify
			if done, _, err := verify(t.Context(), back); err != nil || done {
				t.Fatalf("before the undo: %v, %v", done, err)
			}
			out, err := takeBack(t, a, back, r)
			must(t, err)
			if fmt.Sprint(snapshotFiles(t, d)) != fmt.Sprint(before) {
				t.Error("the deck is not as it was")
			}
			if status := userGit(t, d.repo.Dir(), "status", "--porcelain"); status != "" {
				t.Errorf("the work tree: %s", status)
			}
			if out.SlideID != "04" || len(out.Paths) == 0 || out.Branch != d.Working {
				t.Errorf("it tells %+v", out)
			}
			done, result, err := verify(t.Context(), back)
			if err != nil || !done || !result.OK || !strings.Contains(string(result.Output), out.Commit) {
				t.Errorf("after the undo: %v, %v, %s", done, err, result.Output)
			}
			if done, _, err := verify(t.Context(), call); err != nil || !done {
				t.Errorf("the accept is forgotten: %v, %v", done, err)
			}
		})
	}
}

func TestShareImagesThatAreTakenBackAreGone(t *testing.T) {
	needsChromium(t)
	a := newApp(t, Options{})
	d := a.decks[0]
	before := snapshotFiles(t, d)
	call := newCall(ana, "deck.og_image", "call_1", map[string]any{"count": 2, "style": "chroma"})
	r := shown(t, a, call)
	_, err := accept(t, a, call, r)
	must(t, err)
	_, err = takeBack(t, a, undoOf(call, "call_9"), r)
	must(t, err)
	if fmt.Sprint(snapshotFiles(t, d)) != fmt.Sprint(before) {
		t.Error("the deck is not as it was")
	}
	if _, err := os.Stat(filepath.Join(d.repo.Dir(), "og", "chroma-1.png")); !os.IsNotExist(err) {
		t.Errorf("an image is still in the work tree: %v", err)
	}
}

func TestAnUndoAfterALaterEditIsStaleAndChangesNothing(t *testing.T) {
	for name, commit := range map[string]bool{"committed": true, "not committed": false} {
		t.Run(name, func(t *testing.T) {
			dir := plainDeck(t)
			a := newApp(t, Options{Path: dir})
			call, r := edited(t, a, "call_1", "04")
			file := filepath.Join(dir, "slides", "04-s.html")
			must(t, os.WriteFile(file, []byte("<p>mine</p>\n"), 0o644))
			if commit {
				userGit(t, dir, "commit", "-qam", "mine")
			}
			head := userGit(t, dir, "rev-parse", "HEAD")
			if _, err := takeBack(t, a, undoOf(call, "call_9"), r); !errors.Is(err, agent.ErrStaleUndo) {
				t.Fatalf("got %v, want stale_undo", err)
			}
			if raw, _ := os.ReadFile(file); string(raw) != "<p>mine</p>\n" || userGit(t, dir, "rev-parse", "HEAD") != head {
				t.Fatal("the user's edit is gone")
			}
		})
	}
}

func TestUndosAtOnceWithOtherAcceptsEachHappenOnce(t *testing.T) {
	dir := plainDeck(t)
	a := newApp(t, Options{Path: dir})
	before := snapshotFiles(t, a.decks[0])
	undone, was := edited(t, a, "call_0", "01")
	back := undoOf(undone, "call_9")
	problems := make([]error, 12)
	var group sync.WaitGroup
	for i := range 6 {
		other := newCall(ana, "slide.edit", fmt.Sprintf("call_%d", i+1), map[string]any{"slide_id": fmt.Sprint(i + 2), "instruction": "less corporate"})
		r := shown(t, a, other)
		c := capabilityOf(t, a, "slide.edit")
		group.Go(func() { _, problems[i] = c.Undo(t.Context(), back, was) })
		group.Go(func() { _, problems[6+i] = c.Apply(t.Context(), other, r) })
	}
	group.Wait()
	must(t, errors.Join(problems...))
	if n := strings.Count(userGit(t, dir, "log", "--format=%(trailers:key=In-App-Agent-Key,valueonly)"), back.Key); n != 1 {
		t.Errorf("%d commits carry the key", n)
	}
	for path, text := range snapshotFiles(t, a.decks[0]) {
		if i := strings.Index("01 02 03 04 05 06 07", strings.TrimPrefix(path, "slides/")[:2]); strings.HasPrefix(path, "slides/") {
			if same := text == before[path]; same != (i <= 0) {
				t.Errorf("%s is as it was: %v", path, same)
			}
		}
	}
	if status := userGit(t, dir, "status", "--porcelain"); status != "" {
		t.Errorf("the work tree: %s", status)
	}
}

func TestAnUndoThatIsAskedAgainAfterACrashGivesTheSameCommit(t *testing.T) {
	a := newApp(t, Options{Path: plainDeck(t)})
	call, r := edited(t, a, "call_1", "04")
	first, err := takeBack(t, a, undoOf(call, "call_9"), r)
	must(t, err)
	b := newApp(t, Options{Path: a.opts.Path, DataDir: a.opts.DataDir})
	again, err := takeBack(t, b, undoOf(call, "call_9"), r)
	must(t, err)
	if first.Commit != again.Commit {
		t.Errorf("%s and %s", first.Commit, again.Commit)
	}
	if _, err := takeBack(t, b, undoOf(call, "call_10"), r); !errors.Is(err, agent.ErrStaleUndo) {
		t.Errorf("a second undo under another key: %v", err)
	}
}

func TestNothingIsTakenBackOnABranchThatIsPublishedByNow(t *testing.T) {
	dir := plainDeck(t)
	a := newApp(t, Options{Path: dir})
	call, r := edited(t, a, "call_1", "04")
	must(t, os.WriteFile(filepath.Join(dir, "deck.yaml"), []byte("published: work\n"), 0o644))
	userGit(t, dir, "commit", "-qam", "publish")
	if _, err := takeBack(t, a, undoOf(call, "call_9"), r); agent.ErrorCode(err) != agent.CodePolicyDenied {
		t.Fatalf("got %v, want policy_denied", err)
	}
}

func TestAnotherOrgTakesNothingBack(t *testing.T) {
	a := newApp(t, Options{Path: plainDeck(t), Orgs: []string{"one"}})
	call, r := edited(t, a, "call_1", "04")
	back := undoOf(call, "call_9")
	back.Principal = bo
	if _, err := takeBack(t, a, back, r); agent.ErrorCode(err) != agent.CodeNotFound {
		t.Fatalf("got %v, want not_found", err)
	}
}

func TestTheWindowOfAnUndoIsADayUnlessTheOperatorSaysSo(t *testing.T) {
	for set, want := range map[time.Duration]time.Duration{0: DefaultUndoFor, time.Minute: time.Minute} {
		r := capability.NewRegistry()
		r.Add(newApp(t, Options{UndoFor: set}).Capabilities()...)
		for _, c := range r.All() {
			if c.RequiresConfirmation && (c.Undo == nil || c.UndoFor != want) {
				t.Errorf("%s can be taken back for %s, want %s", c.Name, c.UndoFor, want)
			}
		}
	}
}
