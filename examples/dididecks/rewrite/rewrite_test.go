package rewrite_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/examples/dididecks/rewrite"
)

func TestAPromptIsReadBackAsItWasAsked(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`(-----[a-f0-9]{16} (begin|end) (source|css|wish)\n){0,3}<p>\n?`))
		word := rapid.StringMatching(`[a-z]{1,8}( [a-z]{1,8})?`)
		want := rewrite.Request{
			Path: word.Draw(t, "path"), Format: word.Draw(t, "format"), Reveal: rapid.Bool().Draw(t, "reveal"),
			Wish: text.Draw(t, "wish"), Style: word.Draw(t, "style"), Title: word.Draw(t, "title"),
			Source: text.Draw(t, "source"), CSS: text.Draw(t, "css"), Kit: text.Draw(t, "kit"),
		}
		got, ok := rewrite.Parse(want.Prompt())
		if !ok || got != want {
			t.Fatalf("ok %v\n got %+v\nwant %+v", ok, got, want)
		}
	})
}

func TestWhatIsNoPromptIsNotRead(t *testing.T) {
	for _, s := range []string{"", "hello", "Boundary: ", "Boundary: -----0123456789abcdef\nPath: x\n-----0123456789abcdef begin source\nnever ends"} {
		if _, ok := rewrite.Parse(s); ok {
			t.Errorf("%q was read", s)
		}
	}
}

func TestAnAnswerIsTakenOutOfItsFence(t *testing.T) {
	for _, c := range []struct{ old, answer, src, css string }{
		{"<p>old</p>\n", "<p>new</p>", "<p>new</p>\n", ""},
		{"<p>old</p>", "<p>new</p>\n\n", "<p>new</p>", ""},
		{"<p>old</p>\r\n", "<p>a</p>\n<p>b</p>", "<p>a</p>\r\n<p>b</p>\r\n", ""},
		{"x\n", "```html\n<p>new</p>\n```", "<p>new</p>\n", ""},
		{"x\n", "Here it is:\n```html\n<p>new</p>\n```", "<p>new</p>\n", ""},
		{"x\n", "# Title\n\n```go\ncode\n```", "# Title\n\n```go\ncode\n```\n", ""},
		{"x\n", "<p>new</p>\n=== css ===\np { color: red }\n", "<p>new</p>\n", "p { color: red }\n"},
		{"x\n", "<p>new</p>\n === css === \n```css\np {}\n```", "<p>new</p>\n", "p {}\n"},
	} {
		a := rewrite.Read([]byte(c.old), c.answer)
		if string(a.Source) != c.src || string(a.CSS) != c.css {
			t.Errorf("%q: source %q, css %q", c.answer, a.Source, a.CSS)
		}
	}
}

func TestAnAnswerThatMustNotBecomeASlideIsRefused(t *testing.T) {
	html := rewrite.Request{Path: "slides/04.html", Format: "html", Source: `<section><h2>Old</h2><button onclick="go()">x</button></section>`, CSS: "h2 { color: red }"}
	section := html
	section.Reveal = true
	md := rewrite.Request{Path: "slides/04.md", Format: "md", Source: "# Old\n"}
	astro := rewrite.Request{Path: "slides/04.astro", Format: "astro", Source: "---\nconst a = 1;\n---\n<section><h2>{a}</h2></section>\n"}
	for name, c := range map[string]struct {
		req    rewrite.Request
		answer rewrite.Answer
		code   agent.Code // "" means fine
	}{
		"a good slide":                 {html, rewrite.Answer{Source: []byte("<section><h2>New</h2></section>")}, ""},
		"what was active stays":        {html, rewrite.Answer{Source: []byte(`<section><button onclick="go()">New</button></section>`)}, ""},
		"an empty slide":               {html, rewrite.Answer{Source: []byte(" \n")}, agent.CodeToolError},
		"no words and no picture":      {html, rewrite.Answer{Source: []byte("<section><div></div></section>")}, agent.CodeToolError},
		"a picture is enough":          {html, rewrite.Answer{Source: []byte(`<section><img src="a.png" alt=""></section>`)}, ""},
		"a script":                     {html, rewrite.Answer{Source: []byte("<section>x<script>y</script></section>")}, agent.CodeToolError},
		"another handler":              {html, rewrite.Answer{Source: []byte(`<section><p onclick="evil()">x</p></section>`)}, agent.CodeToolError},
		"a script address":             {html, rewrite.Answer{Source: []byte(`<section><a href="javascript:x">x</a></section>`)}, agent.CodeToolError},
		"a remote image":               {html, rewrite.Answer{Source: []byte(`<section>x<img src="https://evil/?q"></section>`)}, agent.CodeToolError},
		"a remote image in the sheet":  {html, rewrite.Answer{Source: []byte("<p>x</p>"), CSS: []byte("p { background: url(//evil) }")}, agent.CodeToolError},
		"a tag in the sheet":           {html, rewrite.Answer{Source: []byte("<p>x</p>"), CSS: []byte("</style><script>")}, agent.CodeToolError},
		"an open tag":                  {html, rewrite.Answer{Source: []byte("<section><div>x</section>")}, agent.CodeToolError},
		"a null byte":                  {html, rewrite.Answer{Source: []byte("<p>x\x00</p>")}, agent.CodeToolError},
		"no UTF-8":                     {html, rewrite.Answer{Source: []byte("<p>\xff</p>")}, agent.CodeToolError},
		"two sections of a page":       {section, rewrite.Answer{Source: []byte("<section>x</section><section>y</section>")}, agent.CodeToolError},
		"one section of a page":        {section, rewrite.Answer{Source: []byte("<section>x</section>")}, ""},
		"Markdown":                     {md, rewrite.Answer{Source: []byte("# New\n\n- a\n")}, ""},
		"Markdown that shows a script": {md, rewrite.Answer{Source: []byte("# New\n\n```html\n<script>x</script>\n```\n")}, ""},
		"Markdown with a script":       {md, rewrite.Answer{Source: []byte("# New\n\n<script>x</script>\n")}, agent.CodeToolError},
		"Markdown with a bad link":     {md, rewrite.Answer{Source: []byte("[x](javascript:alert(1))\n")}, agent.CodeToolError},
		"Markdown with a remote image": {md, rewrite.Answer{Source: []byte("![x](https://evil/?leak)\n")}, agent.CodeToolError},
		"a component":                  {astro, rewrite.Answer{Source: []byte("---\nconst a = 1;\n---\n<section class=\"x\"><h2>{a}</h2></section>\n")}, ""},
		"other front matter":           {astro, rewrite.Answer{Source: []byte("---\nimport x from 'fs';\n---\n<section>{a}</section>\n")}, agent.CodeToolError},
		"no front matter":              {astro, rewrite.Answer{Source: []byte("<section>{a}</section>\n")}, agent.CodeToolError},
		"a new expression":             {astro, rewrite.Answer{Source: []byte("---\nconst a = 1;\n---\n<section><h2>{process.env.KEY}</h2></section>\n")}, agent.CodeToolError},
		"a new expression in a tag":    {astro, rewrite.Answer{Source: []byte("---\nconst a = 1;\n---\n<section class={await fetch(1)}><h2>{a}</h2></section>\n")}, agent.CodeToolError},
		"at the limit":                 {html, rewrite.Answer{Source: []byte("<p>" + strings.Repeat("x", rewrite.MaxAnswerBytes-7) + "</p>")}, ""},
		"over the limit":               {html, rewrite.Answer{Source: []byte("<p>" + strings.Repeat("x", rewrite.MaxAnswerBytes-6) + "</p>")}, agent.CodeTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			err := rewrite.Check(c.req, c.answer)
			if c.code == "" && err != nil {
				t.Fatalf("refused: %v", err)
			}
			if c.code != "" && agent.ErrorCode(err) != c.code {
				t.Fatalf("got %v, want %s", err, c.code)
			}
		})
	}
}

func TestABrokenSlideMayStayAsBrokenAsItWas(t *testing.T) {
	req := rewrite.Request{Format: "html", Source: "<section><div>old</section>"}
	if err := rewrite.Check(req, rewrite.Answer{Source: []byte("<section><div>new</section>")}); err != nil {
		t.Fatalf("refused: %v", err)
	}
	if err := rewrite.Check(req, rewrite.Answer{Source: []byte("<section><div><b>new</section>")}); err == nil {
		t.Fatal("it became worse and was taken")
	}
}

func FuzzParseNeverPanics(f *testing.F) {
	f.Add(rewrite.Request{Path: "a", Source: "b", Wish: "c"}.Prompt())
	f.Fuzz(func(t *testing.T, prompt string) { rewrite.Parse(prompt) })
}
