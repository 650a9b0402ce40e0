package markup_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/lossless-group/in-app-agent/examples/dididecks/markup"
)

func TestProblemsAreTheTagsThatDoNotClose(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{`<section><p>a<p>b</section>`, ""},
		{`<ul><li>a<li>b</ul><br><img src=x>`, ""},
		{`<svg><path/><g><circle/></g></svg>`, ""},
		{`<div><b>x</div>`, "<b> is not closed"},
		{`<section><div></section>`, "<div> is not closed"},
		{`<section>`, "<section> is not closed"},
		{`</section>`, "</section> closes nothing"},
		{`<div/>x`, "<div/> does not close itself: a browser reads it as an opening tag"},
		{`<style>a > b {}</style><!-- <div> -->`, ""},
		{`<pre><code>&lt;div&gt;</code></pre>`, ""},
		{`<p>x</p><a href="`, "the source ends inside a tag"},
		{`<p>x</p><!-- never`, "a comment is not closed"},
		{`<p>x</p><!-- never >`, "a comment is not closed"},
		{`<p>x</p><!`, "a comment is not closed"},
		{`<!doctype html><!-- c --><!--><p>x`, ""},
		{"", ""},
	} {
		got := ""
		if found := markup.Problems([]byte(c.src)); len(found) > 0 {
			got = found[0].Text
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.src, got, c.want)
		}
	}
	found := markup.Problems([]byte("<p>\n\n</div>"))
	if len(found) != 1 || found[0].Line != 3 {
		t.Errorf("the line of a fault: %+v", found)
	}
}

func TestWhatRunsOrLoadsIsActive(t *testing.T) {
	for _, src := range []string{
		`<script>x</script>`, `<SCRIPT src=a.js></SCRIPT>`, `<script type="module">x</script>`, `<script/>`,
		`<img src=x onerror=alert(1)>`, `<svg onload=x>`, `<a href="javascript:x">`, `<a href="JaVaScRiPt&#58;x">`,
		"<a href=\"java\tscript:x\">", "<a href=\"\x01javascript:x\">", `<a xlink:href="vbscript:x">`,
		`<iframe src=a.html>`, `<object data=x>`, `<embed src=x>`, `<base href=//e>`, `<link rel=stylesheet href=x>`,
		`<meta http-equiv=refresh content="0;url=//e">`, `<form action="javascript:x">`, `<button formaction="javascript:x">`,
		`<img src="https://evil/?leak">`, `<img src="//evil/x">`, `<img src="\\evil\x">`, `<img srcset="a.png 1x, https://evil/b 2x">`,
		`<div style="background:url(https://evil)">`, `<div style="background:url( 'HTTPS://evil' )">`,
		`<style>@import "x.css";</style>`, `<style>a{background:u\72l(//evil)}</style>`, `<style>a{width:expres/**/sion(1)}</style>`,
		`<style>a{background:image-set("x" 1x)} b{behavior:url(x)}</style>`,
		`<svg><image href="https://evil"/></svg>`, `<svg><animate attributeName=href to="javascript:x"/></svg>`,
		`<svg><style><img src=x onerror=y></style></svg>`, `<textarea data-template><img src=x onerror=y></textarea>`,
		`<script type="text/template"><img src=x onerror=y></script>`, `<noscript><img src=x onerror=y></noscript>`,
		`<section data-background-iframe="https://e">`, `<section data-background-image="https://e/x.png">`,
		`<section data-markdown="https://e/x.md">`, `<div srcdoc="x">`, `<a ping="https://e">`, `<iframe srcdoc="<script>x</script>">`,
		`<a href="data:text/html,<script>x</script>">`, `<Foo client:load />`, `<div set:html={x}>`,
	} {
		if len(markup.Active([]byte(src))) == 0 {
			t.Errorf("%s is not seen as active", src)
		}
	}
}

func TestWhatOnlyShowsIsNotActive(t *testing.T) {
	for _, src := range []string{
		`<section class="slide"><h1>A &amp; B</h1><p style="color: red">on time: javascript: the language</p></section>`,
		`<a href="https://example.com">x</a>`, `<a href="mailto:x@example.com">x</a>`, `<a href="#top">x</a>`,
		`<img src="../assets/x.svg" alt="">`, `<img src="data:image/png;base64,AAAA">`, `<img src="a.png?v=1">`,
		`<style>.a { background: url("../x.png") url(data:image/png;base64,AA//BB) }</style>`,
		`<svg><use href="#a"/><linearGradient id="a"/></svg>`, `<section data-markdown><script type="text/template">## Hi</script></section>`,
		`<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>`, `<!-- <script>x</script> -->`,
	} {
		if found := markup.Active([]byte(src)); len(found) > 0 {
			t.Errorf("%s is seen as active: %v", src, found)
		}
	}
}

func TestOnlyWhatIsNewCounts(t *testing.T) {
	old := markup.Active([]byte(`<button onclick="go()">x</button>`))
	same := markup.Active([]byte(`<section><button   onclick="go()">y</button></section>`))
	more := markup.Active([]byte(`<button onclick="go()">x</button><button onclick="go()">x</button>`))
	if added := markup.NewActive(old, same); len(added) != 0 {
		t.Errorf("the same handler is new: %v", added)
	}
	if added := markup.NewActive(old, more); len(added) != 1 {
		t.Errorf("a second handler: %v, want one", added)
	}
}

func TestWordsNotesAndHeading(t *testing.T) {
	src := []byte("<style>h2 {}</style><section><h2>The <em>first</em>\n one</h2><ul><li>a</li><li>b &amp; c</li></ul><aside class=\"big notes\">Say <b>this</b></aside></section>")
	if got := markup.Heading(src); got != "The first one" {
		t.Errorf("heading %q", got)
	}
	if got := markup.Text(src); got != "The first one\na\nb & c" {
		t.Errorf("text %q", got)
	}
	if got := markup.Notes(src); got != "Say this" {
		t.Errorf("notes %q", got)
	}
	if got := markup.Text([]byte("<p><span>Deck</span><span>3</span></p>H<b>el</b>lo")); got != "Deck 3\nHello" {
		t.Errorf("labels side by side: %q", got)
	}
	if got := markup.Heading([]byte("<h1> </h1><h2>Second</h2>")); got != "Second" {
		t.Errorf("an empty heading counts: %q", got)
	}
}

func TestFrontMatterIsCutOffWhole(t *testing.T) {
	front, body := markup.FrontMatter([]byte("---\na: 1\n---\n<p>"))
	if string(front) != "---\na: 1\n---\n" || string(body) != "<p>" {
		t.Errorf("%q %q", front, body)
	}
	for _, src := range []string{"<p>", "--- x\n---\n", "---\nnever closed", "----\n---\n", ""} {
		if front, body := markup.FrontMatter([]byte(src)); front != nil || string(body) != src {
			t.Errorf("%q has the front matter %q", src, front)
		}
	}
}

func TestExpressionsAreFoundOutsideOfStyles(t *testing.T) {
	got := markup.Expressions([]byte("<style>a { b: c }</style><p class={x}>{ items.map((i) => { return i }) }</p>{open"))
	want := []string{"expression {x}", "expression { items.map((i) => { return i }) }", "expression {open"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestTopLevelElements(t *testing.T) {
	src := []byte(" <section><section></section></section>text<div></div><br>")
	var names []string
	for _, e := range markup.TopLevel(src) {
		names = append(names, e.Name+":"+string(src[e.Start:e.End]))
	}
	if got := strings.Join(names, "|"); got != "section:<section><section></section></section>|div:<div></div>|br:<br>" {
		t.Errorf("got %s", got)
	}
}

func FuzzTokensCoverTheSource(f *testing.F) {
	for _, s := range []string{"<p>a</p>", "<script>a</scr", "<a b='", "\x00<", "<!--x", "<svg/>&amp", "<textarea><b>", "<plaintext>x"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		at := 0
		for tok := range markup.Tokens(src) {
			if tok.Start != at || tok.End < tok.Start {
				t.Fatalf("a gap at %d: %+v", at, tok)
			}
			at = tok.End
		}
		if at != len(src) {
			t.Fatalf("%d of %d bytes are covered", at, len(src))
		}
		markup.Problems(src)
		markup.Active(src)
		markup.TopLevel(src)
		markup.Expressions(src)
		markup.Text(src)
		markup.Heading(src)
		front, body := markup.FrontMatter(src)
		if len(front)+len(body) != len(src) {
			t.Fatal("front matter and body are not the source")
		}
	})
}
