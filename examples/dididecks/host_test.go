package dididecks

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/capability"
	"github.com/lossless-group/in-app-agent/examples/dididecks/demo"
)

func as(tb testing.TB, p agent.Principal) context.Context {
	tb.Helper()
	return agent.WithPrincipal(tb.Context(), p)
}

func TestOnlyTheOrgsOfADeckOpenIt(t *testing.T) {
	a := newApp(t, Options{Orgs: []string{"one"}})
	p, err := a.OpenProject(as(t, ana), "", DemoDeckID)
	if err != nil || p.ID != DemoDeckID || p.Kind != ProjectKind || p.Title == "" {
		t.Fatalf("%+v, %v", p, err)
	}
	bySlug := agent.Principal{UserID: "u", OrgID: "one", OrgSlug: "other"}
	for name, c := range map[string]struct {
		ctx      context.Context
		kind, id string
		code     agent.Code
	}{
		"another org": {as(t, bo), "", DemoDeckID, agent.CodeNotFound}, "an org whose id is our slug": {as(t, bySlug), "", DemoDeckID, agent.CodeNotFound},
		"another id": {as(t, ana), "", "x", agent.CodeNotFound}, "another kind": {as(t, ana), "memo", DemoDeckID, agent.CodeNotFound},
		"no id": {as(t, ana), "", "", agent.CodeNotFound}, "nobody": {t.Context(), "", DemoDeckID, agent.CodeUnauthenticated},
		"a path": {as(t, ana), "", "../" + DemoDeckID, agent.CodeNotFound},
	} {
		if _, err := a.OpenProject(c.ctx, c.kind, c.id); agent.ErrorCode(err) != c.code {
			t.Errorf("%s: %v, want %s", name, err, c.code)
		}
	}
	other := agent.Project{ID: DemoDeckID, Kind: ProjectKind}
	if _, err := a.ResolveNoun(as(t, bo), other, NounSlide, "04"); agent.ErrorCode(err) != agent.CodeNotFound {
		t.Errorf("a noun of another org: %v", err)
	}
	if _, err := a.Facts(as(t, bo), other); agent.ErrorCode(err) != agent.CodeNotFound {
		t.Errorf("facts of another org: %v", err)
	}
	if _, err := a.Suggestions(as(t, bo), other, ""); agent.ErrorCode(err) != agent.CodeNotFound {
		t.Errorf("suggestions of another org: %v", err)
	}
}

func TestNounsCarryTheHostsContentAndVersion(t *testing.T) {
	a := newApp(t, Options{Path: plainDeck(t)})
	p := agent.Project{ID: DemoDeckID, Kind: ProjectKind}
	n, err := a.ResolveNoun(as(t, ana), p, NounSlide, "4")
	if err != nil || n.ID != "04" || n.Title != "Slide 04" || !strings.Contains(n.Content, "We leverage synergy") {
		t.Fatalf("%+v, %v", n, err)
	}
	call := newCall(ana, "slide.edit", "call_1", map[string]any{"slide_id": "04", "instruction": "less corporate"})
	_, err = accept(t, a, call, shown(t, a, call))
	must(t, err)
	after, err := a.ResolveNoun(as(t, ana), p, NounSlide, "4")
	if err != nil || after.Version == n.Version {
		t.Errorf("the version did not change with the slide: %v", err)
	}
	for _, c := range [][2]string{{"slide", "99"}, {"file", "deck.yaml"}, {"brand-kit", ""}, {"brand-kit", "x"}, {"", ""}} {
		if _, err := a.ResolveNoun(as(t, ana), p, c[0], c[1]); agent.ErrorCode(err) != agent.CodeNotFound {
			t.Errorf("%v: %v, want not_found", c, err)
		}
	}
}

func TestABrandKitIsANoun(t *testing.T) {
	a := newApp(t, Options{})
	snap, err := a.decks[0].Snapshot(t.Context())
	must(t, err)
	for _, k := range snap.Kits {
		n, err := a.ResolveNoun(as(t, ana), agent.Project{ID: DemoDeckID}, NounBrandKit, k.Name)
		if err != nil || n.Title != k.Title || !strings.Contains(n.Content, k.Value("ink")) || n.Version == "" {
			t.Errorf("%s: %+v, %v", k.Name, n, err)
		}
	}
}

func TestFactsAndSuggestionsAreOfTheDeck(t *testing.T) {
	a := newApp(t, Options{})
	p := agent.Project{ID: DemoDeckID, Kind: ProjectKind}
	facts, err := a.Facts(as(t, ana), p)
	must(t, err)
	byName := map[string]string{}
	for _, f := range facts {
		byName[f.Name] = f.Value
	}
	if !strings.HasPrefix(byName["Slides"], "8: 01 ") || byName["Working branch"] != a.decks[0].Working || len(facts) < 8 {
		t.Errorf("%v", byName)
	}
	r := capability.NewRegistry()
	r.Add(a.Capabilities()...)
	for after := range next {
		got, err := a.Suggestions(as(t, ana), p, after)
		if err != nil || len(got) == 0 || len(got) > 3 {
			t.Errorf("after %q: %v, %v", after, got, err)
		}
		for _, s := range got {
			if _, ok := r.Get(s.Capability); !ok || strings.Contains(s.Prefill, "SLIDE") {
				t.Errorf("after %q: %+v", after, s)
			}
		}
	}
	if got, err := a.Suggestions(as(t, ana), p, "nothing.known"); err != nil || len(got) != 0 {
		t.Errorf("after something unknown: %v, %v", got, err)
	}
}

func TestTheRegistryTakesOurCapabilitiesAsTheTableSays(t *testing.T) {
	a := newApp(t, Options{})
	r := capability.NewRegistry()
	r.Add(a.Capabilities()...)
	for name, want := range map[string]struct {
		kind     agent.Kind
		confirms bool
	}{
		"slide.read": {agent.KindRead, false}, "slide.edit": {agent.KindMutate, true}, "slide.variant": {agent.KindPreview, true},
		"deck.export": {agent.KindMutate, false}, "deck.og_image": {agent.KindMutate, true}, "deck.diagnostics": {agent.KindRead, false},
	} {
		c, ok := r.Get(name)
		if !ok || c.Kind != want.kind || c.RequiresConfirmation != want.confirms || c.Description == "" {
			t.Errorf("%s: %+v", name, c)
		}
		if want.kind != agent.KindRead && c.Verify == nil {
			t.Errorf("%s cannot tell after a crash whether it happened", name)
		}
	}
	if len(r.All()) != 6 {
		t.Errorf("%d capabilities", len(r.All()))
	}
}

func TestWhatIsNoDeckSaysWhatWouldBe(t *testing.T) {
	empty, plain, page := t.TempDir(), t.TempDir(), t.TempDir()
	must(t, os.WriteFile(filepath.Join(plain, "index.html"), []byte("<p>hello</p>"), 0o644))
	must(t, os.WriteFile(filepath.Join(page, "x.txt"), []byte(`<div class="slides"><section>x</section></div>`), 0o644))
	uncommitted := filepath.Join(t.TempDir(), "u")
	must(t, os.MkdirAll(filepath.Join(uncommitted, "slides"), 0o755))
	must(t, os.WriteFile(filepath.Join(uncommitted, "slides", "01.html"), []byte("<p>x</p>"), 0o644))
	userGit(t, uncommitted, "init", "-q")
	untracked := filepath.Join(t.TempDir(), "v")
	must(t, os.MkdirAll(filepath.Join(untracked, "slides"), 0o755))
	must(t, os.WriteFile(filepath.Join(untracked, "slides", "01.html"), []byte("<p>x</p>"), 0o644))
	userGit(t, untracked, "init", "-q")
	userGit(t, untracked, "commit", "-q", "--allow-empty", "-m", "empty")
	for _, path := range []string{empty, plain, filepath.Join(page, "x.txt"), uncommitted, untracked} {
		_, err := Open(t.Context(), Options{DataDir: t.TempDir(), Path: path, Orgs: []string{"one"}})
		var e *agent.Error
		if !errors.As(err, &e) || e.Code != agent.CodeInvalidInput || e.Hint == "" {
			t.Errorf("%s: %v", filepath.Base(path), err)
		}
	}
	for _, o := range []Options{{Path: filepath.Join(empty, "none")}, {DeckID: "../x"}, {DeckID: "A B"}, {Orgs: []string{"../x"}}} {
		o.DataDir = t.TempDir()
		if _, err := Open(t.Context(), o); err == nil {
			t.Errorf("%+v was opened", o)
		}
	}
}

func TestAFolderThatIsNoRepositoryIsCopiedAndLeftAlone(t *testing.T) {
	dir := plainDeck(t)
	must(t, os.RemoveAll(filepath.Join(dir, ".git")))
	data := t.TempDir()
	a := newApp(t, Options{Path: dir, DataDir: data})
	call := newCall(ana, "slide.edit", "call_1", map[string]any{"slide_id": "04", "instruction": "less corporate"})
	_, err := accept(t, a, call, shown(t, a, call))
	must(t, err)
	raw, err := os.ReadFile(filepath.Join(dir, "slides", "04-s.html"))
	must(t, err)
	if !strings.Contains(string(raw), "synergy") {
		t.Error("the folder that was imported changed")
	}
	if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
		t.Error("the folder that was imported became a repository")
	}
	if b := newApp(t, Options{Path: dir, DataDir: data}); mergeCount(t, b.decks[0]) != 1 {
		t.Error("a second start did not go on where the first was")
	}
	onDisk, err := os.ReadFile(filepath.Join(a.decks[0].repo.Dir(), "slides", "04-s.html"))
	if err != nil || strings.Contains(string(onDisk), "synergy") {
		t.Errorf("our work tree did not follow: %v", err)
	}
}

// Our code must work on any deck: nothing of the demo deck stands in it.
func TestNoWordOfTheDemoDeckStandsInTheCode(t *testing.T) {
	var words []string
	must(t, fs.WalkDir(demo.Deck(), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		words = append(words, filepath.Base(p))
		raw, err := fs.ReadFile(demo.Deck(), p)
		if err != nil || strings.HasSuffix(p, ".css") || strings.HasSuffix(p, ".svg") {
			return err
		}
		for _, m := range regexp.MustCompile(`>([^<>]{14,})<`).FindAllStringSubmatch(string(raw), -1) {
			words = append(words, strings.TrimSpace(m[1]))
		}
		for l := range strings.Lines(string(raw)) {
			if _, v, ok := strings.Cut(l, ": "); ok && strings.HasSuffix(p, ".yaml") && len(strings.TrimSpace(v)) > 14 {
				words = append(words, strings.TrimSpace(v))
			}
		}
		return nil
	}))
	snap, err := newApp(t, Options{Orgs: []string{"one"}}).decks[0].Snapshot(t.Context())
	must(t, err)
	words = append(words, snap.Title())
	if len(words) < 40 {
		t.Fatalf("only %d words were collected", len(words))
	}
	generic := map[string]bool{"deck.yaml": true, "theme.css": true}
	must(t, filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(p) != ".go" {
			return err
		}
		raw, err := os.ReadFile(p)
		for _, w := range words {
			if !generic[w] && strings.Contains(string(raw), w) {
				t.Errorf("%s holds %q", p, w)
			}
		}
		return err
	}))
}
