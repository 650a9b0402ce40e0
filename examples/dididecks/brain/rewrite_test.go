package brain_test

import (
	"strings"
	"testing"

	"github.com/lossless-group/in-app-agent/examples/dididecks/brain"
	"github.com/lossless-group/in-app-agent/examples/dididecks/markup"
	"github.com/lossless-group/in-app-agent/examples/dididecks/rewrite"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

var sources = map[string]rewrite.Request{
	"a section":        {Format: "html", Source: "<section class=\"x\">\n  <h2>Leverage it</h2>\n  <ul><li>a</li><li>b</li><li>c</li><li>d</li></ul>\n</section>\n"},
	"a whole document": {Format: "html", Source: "<!doctype html><html><head><title>t</title><style>p{}</style></head><body class=a><p>x</p></body></html>"},
	"no element":       {Format: "html", Source: "just words"},
	"a list first":     {Format: "html", Source: "<ul><li>a</li></ul>"},
	"styles first":     {Format: "html", Source: "<!-- c --><style>a{}</style><link rel=x><div><p>x</p></div>"},
	"a quoted bracket": {Format: "html", Source: `<div title="a > b" data-look="old"><p>x</p></div>`},
	"a stack":          {Format: "html", Reveal: true, Source: "<section>\n<section><h2>A</h2></section>\n<section><h2>B</h2></section>\n</section>"},
	"a template":       {Format: "html", Reveal: true, Source: "<section data-markdown><script type=\"text/template\">## Hi</script></section>"},
	"Markdown":         {Format: "md", Source: "---\ntitle: x\n---\n# Leverage it\n\n- a\n- b\n- c\n- d\n"},
	"a component":      {Format: "astro", Source: "---\nconst a = 1\n---\n<Layout title={a}><h2>{a}</h2><p>Leverage it</p></Layout>\n"},
}

func TestEveryRewriteIsAValidSlideThatLooksDifferent(t *testing.T) {
	for name, req := range sources {
		for _, ask := range []rewrite.Request{{Style: "chroma"}, {Style: "Zanzibar Nights"}, {Wish: "less corporate"}, {Wish: "make it bigger and darker"}, {Wish: "gibberish"}} {
			req.Style, req.Wish = ask.Style, ask.Wish
			out := brain.Rewrite(req)
			if err := rewrite.Check(req, rewrite.Read([]byte(req.Source), out)); err != nil {
				t.Errorf("%s, %q%q: %v\n%s", name, ask.Style, ask.Wish, err, out)
			}
			if out == req.Source || !strings.Contains(out, "<style data-look-style>") {
				t.Errorf("%s, %q%q: nothing to see\n%s", name, ask.Style, ask.Wish, out)
			}
		}
	}
}

func TestAVariantKeepsEveryWordAndTheNextOneReplacesIt(t *testing.T) {
	for name, req := range sources {
		req.Style = "chroma"
		once := brain.Rewrite(req)
		if req.Format != "md" && markup.Text([]byte(once)) != markup.Text([]byte(req.Source)) {
			t.Errorf("%s: the words changed to %q", name, markup.Text([]byte(once)))
		}
		again := req
		again.Source, again.Style = once, "retro"
		twice := brain.Rewrite(again)
		if strings.Count(twice, "data-look-style") != 1 || strings.Contains(twice, "chroma") {
			t.Errorf("%s: two looks at once:\n%s", name, twice)
		}
		same := req
		same.Source = once
		if brain.Rewrite(same) != once {
			t.Errorf("%s: the same look again is not the same slide:\n%s\n%s", name, once, brain.Rewrite(same))
		}
	}
}

func TestWishesAreCarriedOut(t *testing.T) {
	html, md := sources["a section"], sources["Markdown"]
	for wish, want := range map[string]string{
		`change the title to "Water & <us>"`: "<h2>Water &amp; &lt;us&gt;</h2>", "rename it “Tides”": "<h2>Tides</h2>", "less corporate": "<h2>Use it</h2>",
	} {
		html.Wish = wish
		if got := brain.Rewrite(html); !strings.Contains(got, want) {
			t.Errorf("%s: %s is missing in\n%s", wish, want, got)
		}
	}
	md.Wish = `set the title to "Water"`
	if got := brain.Rewrite(md); !strings.HasPrefix(got, "---\ntitle: x\n---\n# Water\n") {
		t.Errorf("Markdown: %s", got)
	}
	for _, req := range []rewrite.Request{html, md} {
		req.Wish = "make the list shorter"
		got := brain.Rewrite(req)
		if !strings.Contains(got, "c") || strings.Contains(got, ">d<") || strings.Contains(got, "- d") {
			t.Errorf("shorter: %s", got)
		}
	}
	code := sources["a component"]
	code.Wish = "less corporate"
	if got := brain.Rewrite(code); !strings.Contains(got, "<Layout") || !strings.Contains(got, "title={a}") || !strings.Contains(got, "Use it") {
		t.Errorf("a component: %s", got)
	}
}

func TestASlideOfAnySeedIsRewritten(t *testing.T) {
	for seed := range uint64(300) {
		req := rewrite.Request{Format: "html", Source: scripted.HTML{Seed: seed}.Slide(), Style: []string{"chroma", "", "word"}[seed%3], Wish: "less corporate and shorter"}
		out := brain.Rewrite(req)
		if err := rewrite.Check(req, rewrite.Read([]byte(req.Source), out)); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, out)
		}
	}
}

func FuzzRewriteNeverBreaksASlide(f *testing.F) {
	for _, req := range sources {
		f.Add(req.Source, req.Format, "chroma", "")
		f.Add(req.Source, req.Format, "", "less corporate, shorter, bigger")
	}
	f.Fuzz(func(t *testing.T, src, format, style, wish string) {
		req := rewrite.Request{Format: format, Source: src, Style: style, Wish: wish}
		out := brain.Rewrite(req)
		if format != "md" && format != "astro" && len(markup.Problems([]byte(src))) == 0 {
			if after := markup.Problems([]byte(out)); len(after) > 0 {
				t.Fatalf("%q became %q: %v", src, out, after)
			}
		}
	})
}
