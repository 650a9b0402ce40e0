package dididecks

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// deckOn makes the plain deck with another branch checked out and a manifest.
func deckOn(tb testing.TB, branch, manifest string) string {
	tb.Helper()
	dir := plainDeck(tb)
	userGit(tb, dir, "branch", "-m", branch)
	must(tb, os.WriteFile(filepath.Join(dir, "deck.yaml"), []byte(manifest), 0o644))
	userGit(tb, dir, "commit", "-q", "--allow-empty", "-am", "manifest")
	return dir
}

func TestAcceptedChangesGoToASharedBranchOnlyIfTheDeckNamesIt(t *testing.T) {
	for name, c := range map[string]struct{ branch, manifest, want, says string }{
		"main is checked out":              {"main", "title: x\n", "draft", "main stays as it is"},
		"master is checked out":            {"master", "title: x\n", "draft", "master stays as it is"},
		"main is named":                    {"main", "working: main\n", "main", "main, which is checked out"},
		"another branch is checked out":    {"feature", "title: x\n", "feature", "feature, which is checked out"},
		"another branch is named":          {"main", "working: mine\n", "mine", "branch mine"},
		"a name that begins like main":     {"maintenance", "title: x\n", "maintenance", "maintenance, which"},
		"a published branch, and none":     {"live", "published: live\n", "draft", "live stays as it is"},
		"the name in another case is none": {"Main", "title: x\n", "Main", "Main, which"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := deckOn(t, c.branch, c.manifest)
			before := userGit(t, dir, "rev-parse", c.branch)
			a := newApp(t, Options{Path: dir})
			if got := a.decks[0].Working; got != c.want {
				t.Fatalf("the working branch is %s, want %s", got, c.want)
			}
			if notes := strings.Join(a.Notes(), "\n"); !strings.Contains(notes, c.says) {
				t.Errorf("the start says %q", notes)
			}
			call := newCall(ana, "slide.edit", "call_1", map[string]any{"slide_id": "1", "instruction": "make it dark"})
			if _, err := accept(t, a, call, shown(t, a, call)); err != nil {
				t.Fatal(err)
			}
			if moved := userGit(t, dir, "rev-parse", c.branch) != before; moved != (c.want == c.branch) {
				t.Errorf("%s moved: %v", c.branch, moved)
			}
			if status := userGit(t, dir, "status", "--porcelain"); status != "" {
				t.Errorf("the folder is not as its branch: %s", status)
			}
		})
	}
}

func TestTheBranchThatACloneFollowsIsShared(t *testing.T) {
	origin := deckOn(t, "trunk", "title: x\n")
	dir := filepath.Join(t.TempDir(), "clone")
	userGit(t, origin, "clone", "-q", origin, dir)
	if got := newApp(t, Options{Path: dir}).decks[0].Working; got != "draft" {
		t.Errorf("the working branch is %s", got)
	}
	userGit(t, dir, "checkout", "-q", "-b", "mine")
	if got := newApp(t, Options{Path: dir}).decks[0].Working; got != "mine" {
		t.Errorf("on a branch of their own it is %s", got)
	}
}

func TestADraftTakesUpThePersonsCommitsWhileItHasNoneOfItsOwn(t *testing.T) {
	dir := deckOn(t, "main", "title: x\n")
	newApp(t, Options{Path: dir})
	edit := func(text string) {
		must(t, os.WriteFile(filepath.Join(dir, "slides", "02-s.html"), []byte(text), 0o644))
		userGit(t, dir, "commit", "-qam", text)
	}
	edit("<section>second</section>\n")
	a := newApp(t, Options{Path: dir})
	if userGit(t, dir, "rev-parse", "draft") != userGit(t, dir, "rev-parse", "main") {
		t.Fatal("the draft is behind")
	}
	call := newCall(ana, "slide.edit", "call_1", map[string]any{"slide_id": "1", "instruction": "make it dark"})
	if _, err := accept(t, a, call, shown(t, a, call)); err != nil {
		t.Fatal(err)
	}
	if notes := strings.Join(newApp(t, Options{Path: dir}).Notes(), "\n"); strings.Contains(notes, "lacks") {
		t.Errorf("a draft that is ahead lacks nothing: %s", notes)
	}
	own := userGit(t, dir, "rev-parse", "draft")
	edit("<section>third</section>\n")
	b := newApp(t, Options{Path: dir})
	if userGit(t, dir, "rev-parse", "draft") != own {
		t.Error("a draft with changes of its own was moved")
	}
	if notes := strings.Join(b.Notes(), "\n"); !strings.Contains(notes, "git merge main") {
		t.Errorf("nobody is told that the draft lacks commits: %s", notes)
	}
}
