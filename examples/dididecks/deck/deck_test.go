package deck_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/examples/dididecks/deck"
	"github.com/lossless-group/in-app-agent/examples/dididecks/gitrepo"
)

func load(tb testing.TB, files map[string]string) (*deck.Snapshot, error) {
	tb.Helper()
	ctx := context.Background()
	r, err := gitrepo.Init(ctx, tb.TempDir(), "work")
	if err != nil {
		tb.Fatal(err)
	}
	content := map[string][]byte{}
	for p, text := range files {
		content[p] = []byte(text)
	}
	commit, err := r.Write(ctx, "", content, gitrepo.Message{Subject: "s", When: time.Unix(1_800_000_000, 0)})
	if err != nil {
		tb.Fatal(err)
	}
	return deck.Load(ctx, r, commit)
}

func mustLoad(tb testing.TB, files map[string]string) *deck.Snapshot {
	tb.Helper()
	s, err := load(tb, files)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func TestSlidesAreNumberedSortedAndTitled(t *testing.T) {
	s := mustLoad(t, map[string]string{
		"slides/10-last.html": "<h1>Ten</h1>", "slides/02-two.md": "---\ntitle: From front matter\n---\n# Two", "slides/02-two.css": "x",
		"slides/03-three.md": "text\n## Three *deep*\n", "slides/appendix.html": "<p>no heading</p>", "slides/04-no-words.html": "<p>x</p>",
		"slides/05.astro": "---\nconst a = 1\n---\n<h2>Five</h2>", "slides/_draft.html": "x", "slides/.hidden.html": "x",
		"slides/deep/06.html": "x", "slides/notes.txt": "x", "README.md": "# x",
	})
	var got []string
	for _, sl := range s.Slides {
		got = append(got, sl.ID+"="+sl.Title)
	}
	want := []string{"02=From front matter", "03=Three *deep", "04=No words", "05=Five", "10=Ten", "appendix=Appendix"}
	if !slices.Equal(got, want) {
		t.Fatalf("got %q\nwant %q", got, want)
	}
	if s.Slides[0].CSS != "slides/02-two.css" || s.Slides[1].CSS != "" {
		t.Errorf("style sheets: %q, %q", s.Slides[0].CSS, s.Slides[1].CSS)
	}
	if s.Title() != "From front matter" {
		t.Errorf("a deck without a title is called %q", s.Title())
	}
}

func TestASlideIsFoundAsPeopleNameIt(t *testing.T) {
	s := mustLoad(t, map[string]string{"slides/04-value.html": "a", "slides/11-x.html": "b", "slides/intro.html": "c"})
	for _, id := range []string{"04", "4", "slide 4", "Slide #4", "#4", "04-value", "04-value.html", "slides/04-value.html", " 04 ", "004"} {
		if sl, err := s.Find(id); err != nil || sl.Path != "slides/04-value.html" {
			t.Errorf("%q: %v, %v", id, sl.Path, err)
		}
	}
	if sl, err := s.Find("intro"); err != nil || sl.Path != "slides/intro.html" {
		t.Errorf("intro: %v, %v", sl.Path, err)
	}
	for _, id := range []string{"", "5", "slide", "-1", "../04-value", "slides/../slides/04-value.html", "04-value\x00", "value", "4; rm", strings.Repeat("4", 400)} {
		if _, err := s.Find(id); agent.ErrorCode(err) != agent.CodeNotFound {
			t.Errorf("%.20q: %v, want not_found", id, err)
		}
	}
}

func TestWhatIsNotThereIsToldWithWhatIs(t *testing.T) {
	s := mustLoad(t, map[string]string{"slides/04-value.html": "a", "slides/intro.html": "c", "brand-kits/day.yaml": "title: Day\n"})
	bare := mustLoad(t, map[string]string{"slides/04-value.html": "a"})
	for name, c := range map[string]struct {
		ask  func() error
		want string
	}{
		"a slide":                   {func() error { _, err := s.Find("9"); return err }, "Name one of these: 04, intro."},
		"a kit":                     {func() error { _, err := s.Kit("night"); return err }, "Name one of these: day."},
		"a kit of a deck with none": {func() error { _, err := bare.Kit("night"); return err }, "leave it out"},
	} {
		var told *agent.Error
		if err := c.ask(); !errors.As(err, &told) || told.Code != agent.CodeNotFound || !strings.Contains(told.Hint, c.want) {
			t.Errorf("%s: %v, hint %q", name, err, told.Hint)
		}
	}
}

func TestDoubledNumbersGoByName(t *testing.T) {
	s := mustLoad(t, map[string]string{"slides/04-a.html": "a", "slides/04-b.html": "b", "slides/05.html": "c", "slides/05.md": "d"})
	if _, err := s.Find("4"); agent.ErrorCode(err) != agent.CodeInvalidInput {
		t.Errorf("an ambiguous number: %v, want invalid_input", err)
	}
	for _, id := range []string{"04-a", "04-b", "05.html", "05.md"} {
		sl, err := s.Find(id)
		if err != nil || sl.ID != id {
			t.Errorf("%s: %+v, %v", id, sl, err)
		}
	}
}

func TestADeckHasAtMostItsLimitOfSlides(t *testing.T) {
	files := map[string]string{}
	for i := range deck.MaxSlides {
		files[fmt.Sprintf("slides/%04d.html", i)] = "same"
	}
	if s := mustLoad(t, files); len(s.Slides) != deck.MaxSlides {
		t.Fatalf("%d slides", len(s.Slides))
	}
	files["slides/one-more.html"] = "x"
	if _, err := load(t, files); agent.ErrorCode(err) != agent.CodeTooLarge {
		t.Fatalf("one more: %v, want too_large", err)
	}
}

func TestASlideHasAtMostItsLimitOfBytes(t *testing.T) {
	s := mustLoad(t, map[string]string{
		"slides/01.html": strings.Repeat("a", deck.MaxSlideBytes), "slides/02.html": strings.Repeat("a", deck.MaxSlideBytes+1),
	})
	if _, _, err := s.Source(t.Context(), s.Slides[0]); err != nil {
		t.Errorf("at the limit: %v", err)
	}
	if _, _, err := s.Source(t.Context(), s.Slides[1]); agent.ErrorCode(err) != agent.CodeTooLarge {
		t.Errorf("over the limit: %v", err)
	}
	if s.Slides[1].Title == "" {
		t.Error("a huge slide has no title")
	}
}

func TestTheManifestIsReadAndBounded(t *testing.T) {
	m, err := deck.ParseManifest([]byte("title: A\npublished: main\nwidth: 1920\nheight: -3\nlang: '\"><x'\nfacts: {Who: us}\nunknown: 1\n"))
	if err != nil || m.Title != "A" || !m.IsPublished("main") || m.IsPublished("draft") || m.Width != 1920 || m.Height != deck.DefaultHeight || m.Lang != "en" || m.Facts["Who"] != "us" {
		t.Errorf("%+v, %v", m, err)
	}
	m, err = deck.ParseManifest([]byte("published: [a, b]\n"))
	if err != nil || !m.IsPublished("b") {
		t.Errorf("a list: %+v, %v", m, err)
	}
	for _, src := range []string{"title: [", "- a\n- b", "title: {a: b}"} {
		if _, err := deck.ParseManifest([]byte(src)); agent.ErrorCode(err) != agent.CodeInvalidInput {
			t.Errorf("%q: %v, want invalid_input", src, err)
		}
	}
	pad := func(n int) []byte { return []byte("title: A\n#" + strings.Repeat("x", n-10)) }
	if _, err := deck.ParseManifest(pad(deck.MaxManifestBytes)); err != nil {
		t.Errorf("at the limit: %v", err)
	}
	if _, err := deck.ParseManifest(pad(deck.MaxManifestBytes + 1)); agent.ErrorCode(err) != agent.CodeTooLarge {
		t.Errorf("over the limit: %v", err)
	}
}

func TestBrandKitsAreFilesOfTheirFolder(t *testing.T) {
	s := mustLoad(t, map[string]string{
		"deck.yaml": "brand_kit: day\n", "slides/01.html": "x",
		"brand-kits/day.yaml":   "title: Day light\ncolors: {ink: '#123', evil: 'red;} body{display:none', Bad Name: red}\nfonts: {text: '\"Inter\", sans-serif'}\n",
		"brand-kits/night.css":  "b {}",
		"brand-kits/night.yaml": "colors: [broken\n", "brand-kits/deep/x.yaml": "title: no",
	})
	day, err := s.Kit("")
	if err != nil || day.Name != "day" {
		t.Fatalf("the default is %+v, %v", day, err)
	}
	if got := day.Variables(); got != ":root {\n  --brand-ink: #123;\n  --brand-font-text: \"Inter\", sans-serif;\n}\n" {
		t.Errorf("variables: %q", got)
	}
	if k, err := s.Kit("Day Light"); err != nil || k.Name != "day" {
		t.Errorf("by title: %+v, %v", k, err)
	}
	if k, err := s.Kit("night"); err != nil || k.CSSPath != "brand-kits/night.css" || k.Title != "night" {
		t.Errorf("a kit whose values do not read: %+v, %v", k, err)
	}
	if _, err := s.Kit("x"); agent.ErrorCode(err) != agent.CodeNotFound {
		t.Errorf("an unknown kit: %v", err)
	}
	if day.Value("ink") != "#123" || day.Value("evil") != "" || day.Font("text") == "" {
		t.Error("single values are not checked")
	}
}

func TestAReferenceNeverLeavesTheDeck(t *testing.T) {
	s := mustLoad(t, map[string]string{"slides/01.html": "x", "assets/a.svg": "y", "a b.png": "z"})
	for ref, want := range map[string]string{
		"../assets/a.svg": "assets/a.svg", "/assets/a.svg": "assets/a.svg", "../assets/a.svg?v=1#x": "assets/a.svg", "../a b.png": "a b.png",
		"../../assets/a.svg": "", "../../../etc/passwd": "", "": "", "#x": "", "?": "", "..": "", "/": "", "../assets": "", "assets/a.svg": "",
	} {
		if got := s.Resolve("slides/01.html", ref); got != want {
			t.Errorf("%q means %q, want %q", ref, got, want)
		}
	}
}

func TestSlugsAreSafeAndShort(t *testing.T) {
	for in, want := range map[string]string{
		"Chroma": "chroma", "  Very  BOLD!! ": "very-bold", "../../x": "x", "": "x", "日本": "x", strings.Repeat("a", 33): strings.Repeat("a", 32),
		strings.Repeat("a", 31) + "-b": strings.Repeat("a", 31),
	} {
		if got := deck.Slug(in); got != want {
			t.Errorf("%q gives %q, want %q", in, got, want)
		}
	}
}

func FuzzManifest(f *testing.F) {
	f.Add([]byte("title: A\npublished: [a]\nwidth: 9\nreveal: {frame: x}\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		m, err := deck.ParseManifest(src)
		if err == nil && (m.Width <= 0 || m.Height <= 0 || m.Lang == "") {
			t.Fatalf("%+v", m)
		}
	})
}
