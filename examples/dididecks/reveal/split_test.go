package reveal_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/examples/dididecks/reveal"
)

const page = `<!doctype html>
<html><head><title>My &amp; deck</title><style>section { x: y }</style></head>
<body><section>not a slide</section>
<div class="reveal"><div class="slides">
  <section><h1>One</h1></section>
  <!-- <section>commented</section> -->
  <section data-markdown><textarea data-template>## Two <section>text</section></textarea></section>
  <section>
    <section><div>3.1</div></section>
    <section>3.2 <div></div></section>
  </section>
</div></div>
<section>after</section>
<script>let s = "<section>code</section>";</script></body></html>
`

func TestTopLevelSectionsAreTheSlides(t *testing.T) {
	p, err := reveal.Split([]byte(page))
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Slides) != 3 || p.Title != "My & deck" {
		t.Fatalf("%d slides of %q", len(p.Slides), p.Title)
	}
	steps := reveal.Steps(p.Slides[2])
	if len(steps) != 2 || !strings.Contains(string(steps[0]), "3.1") || !strings.Contains(string(steps[1]), "3.2") {
		t.Errorf("the stack has the steps %q", steps)
	}
	if len(reveal.Steps(p.Slides[0])) != 1 {
		t.Error("a plain slide is not its own step")
	}
}

func TestAnUntouchedPageComesBackByteForByte(t *testing.T) {
	p, err := reveal.Split([]byte(page))
	if err != nil {
		t.Fatal(err)
	}
	got, err := reveal.Join(p.Frame, p.Marker, p.Slides)
	if err != nil || string(got) != page {
		t.Fatalf("%v\n%s", err, got)
	}
	changed := append([][]byte{}, p.Slides...)
	changed[1] = []byte("<section>new</section>")
	got, err = reveal.Join(p.Frame, p.Marker, changed)
	want := strings.Replace(page, string(p.Slides[1]), "<section>new</section>", 1)
	if err != nil || string(got) != want {
		t.Fatalf("%v: more than one slide changed:\n%s", err, got)
	}
}

func TestSlidesMayBeMoreOrFewerThanTheMarks(t *testing.T) {
	p, err := reveal.Split([]byte(page))
	if err != nil {
		t.Fatal(err)
	}
	more, err := reveal.Join(p.Frame, p.Marker, append(p.Slides[:3:3], []byte("<section>4</section>")))
	again, splitErr := reveal.Split(more)
	if err != nil || splitErr != nil || len(again.Slides) != 4 {
		t.Fatalf("%v %v: %d slides, want 4", err, splitErr, len(again.Slides))
	}
	fewer, err := reveal.Join(p.Frame, p.Marker, p.Slides[:1])
	again, splitErr = reveal.Split(fewer)
	if err != nil || splitErr != nil || len(again.Slides) != 1 || bytes.Contains(fewer, []byte(p.Marker)) {
		t.Fatalf("%v %v: %d slides, want 1", err, splitErr, len(again.Slides))
	}
	if _, err := reveal.Join([]byte("<html>"), p.Marker, p.Slides); agent.ErrorCode(err) != agent.CodeInvalidInput {
		t.Errorf("a frame without marks: %v", err)
	}
}

func TestWhatIsNoPageIsRefused(t *testing.T) {
	for _, src := range []string{"", "<p>hello</p>", "<section>x</section>", `<div class="slides"></div>`, `<div class="slides"><section>open`} {
		_, err := reveal.Split([]byte(src))
		if agent.ErrorCode(err) != agent.CodeInvalidInput || reveal.IsPage([]byte(src)) {
			t.Errorf("%q: %v, want invalid_input", src, err)
		}
		var e *agent.Error
		if errors.As(err, &e) && e.Hint == "" {
			t.Errorf("%q: no hint", src)
		}
	}
	at := strings.Repeat(" ", reveal.MaxPageBytes-len(page)) + page
	if _, err := reveal.Split([]byte(at)); err != nil {
		t.Errorf("a page at the limit: %v", err)
	}
	if _, err := reveal.Split([]byte(" " + at)); agent.ErrorCode(err) != agent.CodeTooLarge {
		t.Errorf("a page over the limit: %v", err)
	}
}

func TestASlideOfAPageIsOneSection(t *testing.T) {
	for src, ok := range map[string]bool{
		"<section>x</section>": true, " <section>\n<section>a</section></section>\n": true,
		"<section>x</section><section>y</section>": false, "<div>x</div>": false, "text": false, "<section>x": false,
		"<section>x</section></section>": false, "<section/>": false, "x<section></section>": false,
		"<section></section>x": false, "<!-- c --><section>x</section>": false, "": false,
	} {
		if err := reveal.CheckSlide([]byte(src)); (err == nil) != ok {
			t.Errorf("%q: %v", src, err)
		}
	}
}

// pages draws pages of random shape: attributes, nesting, raw text, line ends.
var pages = rapid.Custom(func(t *rapid.T) string {
	var b strings.Builder
	junk := rapid.SampledFrom([]string{"", "\n", "\r\n  ", "<!-- <section> -->", "<p>a", "<div><div></div></div>", "<script>'</section>'</script>", "&lt;section&gt;", "ü", "<style>a{}</style>"})
	section := func(depth int) string { return "" }
	section = func(depth int) string {
		s := fmt.Sprintf("<SECTION id=%q>", rapid.StringMatching(`[a-z<>/]{0,6}`).Draw(t, "id"))
		for range rapid.IntRange(0, 3).Draw(t, "parts") {
			s += junk.Draw(t, "junk")
			if depth > 0 {
				s += section(depth - 1)
			}
		}
		return s + "</section >"
	}
	b.WriteString(junk.Draw(t, "before") + `<div class='x slides y'>`)
	for range rapid.IntRange(1, 6).Draw(t, "slides") {
		b.WriteString(junk.Draw(t, "between") + section(rapid.IntRange(0, 2).Draw(t, "depth")))
	}
	b.WriteString(junk.Draw(t, "after") + "</div>" + junk.Draw(t, "tail"))
	return b.String()
})

func TestAnyPageComesBackByteForByte(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := pages.Draw(t, "page")
		p, err := reveal.Split([]byte(src))
		if err != nil {
			t.Fatalf("%v: %s", err, src)
		}
		got, err := reveal.Join(p.Frame, p.Marker, p.Slides)
		if err != nil || string(got) != src {
			t.Fatalf("%v\n got %q\nwant %q", err, got, src)
		}
	})
}

func FuzzSplitAndJoin(f *testing.F) {
	f.Add([]byte(page))
	f.Add([]byte(`<ul class=slides><section></section><ul></ul><section></ul></section>`))
	f.Fuzz(func(t *testing.T, src []byte) {
		p, err := reveal.Split(src)
		if err != nil {
			return
		}
		got, err := reveal.Join(p.Frame, p.Marker, p.Slides)
		if err != nil || !bytes.Equal(got, src) {
			t.Fatalf("%v\n got %q\nwant %q", err, got, src)
		}
		for _, s := range p.Slides {
			if len(reveal.Steps(s)) == 0 {
				t.Fatal("a slide without steps")
			}
		}
	})
}
