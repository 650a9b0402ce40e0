package lint_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/lossless-group/in-app-agent/examples/dididecks/deck"
	"github.com/lossless-group/in-app-agent/examples/dididecks/gitrepo"
	"github.com/lossless-group/in-app-agent/examples/dididecks/lint"
)

func findings(t *testing.T, files map[string]string) string {
	t.Helper()
	ctx := t.Context()
	r, err := gitrepo.Init(ctx, t.TempDir(), "work")
	if err != nil {
		t.Fatal(err)
	}
	content := map[string][]byte{"assets/a.png": []byte("x")}
	for p, text := range files {
		content[p] = []byte(text)
	}
	commit, err := r.Write(ctx, "", content, gitrepo.Message{Subject: "s", When: time.Unix(1_800_000_000, 0)})
	if err != nil {
		t.Fatal(err)
	}
	s, err := deck.Load(ctx, r, commit)
	if err != nil {
		t.Fatal(err)
	}
	found, err := lint.Deck(ctx, s)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range found {
		out = append(out, fmt.Sprintf("%s %s %s:%d", f.Severity, f.Code, f.Path, f.Line))
	}
	return strings.Join(out, "; ")
}

func TestFindingsSayWhatAndWhere(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"a sound deck":                 {map[string]string{"slides/01.html": `<p>x</p><img src="../assets/a.png" alt=""><a href="https://x">y</a>`, "slides/02.md": "# x\n\n![y](../assets/a.png)\n"}, ""},
		"a missing image, on its line": {map[string]string{"slides/01.html": "<p>\n</p>\n<img src='../assets/b.png' alt='b'>"}, "error missing_asset slides/01.html:3"},
		"a missing image in Markdown":  {map[string]string{"slides/01.md": "![b](b.png)"}, "error missing_asset slides/01.md:0"},
		"in the sheet beside":          {map[string]string{"slides/01.html": "x", "slides/01.css": "a {\n b: url('c.png') }"}, "error missing_asset slides/01.css:2"},
		"in a style element":           {map[string]string{"slides/01.html": "<style>\n\na { b: url(c.png) }</style>"}, "error missing_asset slides/01.html:3"},
		"in an attribute":              {map[string]string{"slides/01.html": "\n<p style='background: url(c.png)'>x</p>"}, "error missing_asset slides/01.html:2"},
		"no alternative text":          {map[string]string{"slides/01.html": "\n<img src='../assets/a.png'>"}, "warning missing_alt slides/01.html:2"},
		"an open tag":                  {map[string]string{"slides/01.html": "<section>\n<div>\n</section>"}, "error unclosed_tag slides/01.html:2"},
		"from elsewhere":               {map[string]string{"slides/01.html": "<img src='https://x/y.png' alt=y>"}, "warning remote_asset slides/01.html:1"},
		"a number twice":               {map[string]string{"slides/01-a.html": "x", "slides/01-b.html": "y"}, "warning duplicate_number slides/01-b.html:0"},
		"a missing sheet":              {map[string]string{"slides/01.html": "x", "deck.yaml": "styles: [none.css]"}, "error missing_style deck.yaml:0"},
		"a missing kit":                {map[string]string{"slides/01.html": "x", "deck.yaml": "brand_kit: none"}, "error missing_kit deck.yaml:0"},
		"a huge slide":                 {map[string]string{"slides/01.html": strings.Repeat("x", deck.MaxSlideBytes+1)}, "error too_large slides/01.html:0"},
		"a component":                  {map[string]string{"slides/01.astro": "---\n---\n<Foo><img src={x} alt=''><p>"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := findings(t, c.files); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
