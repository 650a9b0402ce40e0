package render_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/lossless-group/in-app-agent/examples/dididecks/deck"
	"github.com/lossless-group/in-app-agent/examples/dididecks/gitrepo"
	"github.com/lossless-group/in-app-agent/examples/dididecks/render"
)

// snapshot commits files and gives the deck.
func snapshot(t *testing.T, files map[string]string) *deck.Snapshot {
	t.Helper()
	r, err := gitrepo.Init(t.Context(), t.TempDir(), "work")
	if err != nil {
		t.Fatal(err)
	}
	content := map[string][]byte{}
	for p, text := range files {
		content[p] = []byte(text)
	}
	commit, err := r.Write(t.Context(), "", content, gitrepo.Message{Subject: "s", When: time.Unix(1_800_000_000, 0)})
	if err != nil {
		t.Fatal(err)
	}
	s, err := deck.Load(t.Context(), r, commit)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func slide(t *testing.T, s *deck.Snapshot, id string) string {
	t.Helper()
	sl, err := s.Find(id)
	if err != nil {
		t.Fatal(err)
	}
	kit, err := s.Kit("")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := render.Slide(t.Context(), s, sl, render.Options{Kit: kit})
	if err != nil {
		t.Fatal(err)
	}
	return string(doc)
}

func TestAnImportedSectionWearsTheStylesOfItsPage(t *testing.T) {
	s := snapshot(t, map[string]string{
		"deck.yaml":          "reveal: {frame: reveal-frame.html, marker: m}\n",
		"reveal-frame.html":  `<html><head><link rel="stylesheet" href="css/t.css"><link rel=stylesheet href="https://cdn/x.css"><style>.own { a: b }</style></head><body>other words<script>x</script></body>`,
		"css/t.css":          ".theme { background: url(../img/a.png) }",
		"img/a.png":          "A",
		"slides/01-md.html":  "<section data-markdown><textarea data-template>\n    ## Hi\n    - a &amp; b\n  </textarea></section>",
		"slides/02-tpl.html": "<section data-markdown>\n<script type=\"text/template\">\n  **bold**\n</script></section>",
		"slides/03-c.html":   "<section><pre><code><script type=\"text/template\">\n  if (a < b) { **x** }\n</script></code></pre><script>run()</script></section>",
		"slides/04-img.html": "<section><img src=\"img/a.png\" alt=\"A\"></section>",
	})
	one := slide(t, s, "01")
	for _, want := range []string{".theme {", "data:image/png;base64,QQ==", ".own {", "<h2>Hi</h2>", "<li>a &amp; b</li>", `<div class="reveal"><div class="slides">`} {
		if !strings.Contains(one, want) {
			t.Errorf("%s is missing in\n%s", want, one)
		}
	}
	if strings.Contains(one, "cdn") || strings.Contains(one, "other words") || strings.Contains(one, "<script") {
		t.Errorf("too much came along:\n%s", one)
	}
	if doc := slide(t, s, "02"); !strings.Contains(doc, "<strong>bold</strong>") {
		t.Errorf("a script template:\n%s", doc)
	}
	if doc := slide(t, s, "03"); !strings.Contains(doc, "if (a &lt; b) { **x** }") || strings.Contains(doc, "run()") {
		t.Errorf("code in a template:\n%s", doc)
	}
	if doc := slide(t, s, "04"); !strings.Contains(doc, `src="data:image/png;base64,QQ=="`) {
		t.Errorf("an image beside the page:\n%s", doc)
	}
}

func TestASlideIsStyledByKitDeckAndItsOwnSheetInThatOrder(t *testing.T) {
	s := snapshot(t, map[string]string{
		"deck.yaml": "styles: [theme.css, missing.css]\nbrand_kit: k\n", "theme.css": ".theme {}", "brand-kits/k.yaml": "colors: {ink: red}", "brand-kits/k.css": ".kit {}",
		"slides/01.html": "<style>.inner {}</style><p>x</p>", "slides/01.css": ".beside {}", "slides/02.astro": "<p>x</p>",
	})
	doc := slide(t, s, "01")
	at := -1
	for _, want := range []string{"--brand-ink: red", ".theme {}", ".kit {}", ".beside {}", ".inner {}"} {
		i := strings.Index(doc, want)
		if i <= at {
			t.Errorf("%s stands at %d, after %d", want, i, at)
		}
		at = i
	}
	sl, _ := s.Find("02")
	if _, err := render.Slide(t.Context(), s, sl, render.Options{}); !errors.Is(err, render.ErrNoRender) {
		t.Errorf("a component: %v", err)
	}
}
