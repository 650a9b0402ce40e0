package render_test

import (
	"context"
	"errors"
	"path"
	"strings"
	"testing"

	"golang.org/x/net/html"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/examples/dididecks/markup"
	"github.com/lossless-group/in-app-agent/examples/dididecks/render"
)

// shelf is a set of files as the assets of a page.
type shelf map[string]string

func (s shelf) Resolve(from, ref string) string {
	p := path.Join(path.Dir(from), ref)
	if _, ok := s[p]; ok {
		return p
	}
	return ""
}

func (s shelf) Read(_ context.Context, p string, limit int64) ([]byte, error) {
	text, ok := s[p]
	if !ok || int64(len(text)) > limit {
		return nil, errors.New("not to be read")
	}
	return []byte(text), nil
}

var files = shelf{
	"assets/a.svg": "<svg/>", "assets/b.png": "PNG", "assets/f.woff2": "FONT", "assets/run.js": "x", "assets/big.png": strings.Repeat("x", render.MaxAssetBytes+1),
	"css/one.css": `@import "two.css"; .one { background: url(../assets/b.png) }`, "css/two.css": `@import url('three.css') print; .two {}`, "css/three.css": `.three {}`,
	"css/loop.css": `@import "loop.css"; .loop {}`,
}

func document(tb testing.TB, body string, sheets ...render.Sheet) string {
	tb.Helper()
	doc, err := render.Document(tb.Context(), files, render.Page{
		Title: "T <x>", Lang: "en", Width: 1280, Height: 720, Path: "slides/01.html", Body: []byte(body), Sheets: sheets,
	})
	if err != nil {
		tb.Fatal(err)
	}
	return string(doc)
}

func TestLocalFilesComeIn(t *testing.T) {
	doc := document(t, `<style>@font-face { src: url("../assets/f.woff2") }</style>
		<section style="background: url('../assets/b.png')"><img src="../assets/a.svg" alt="A"><svg><image href="../assets/b.png"/><use href="#x"/></svg></section>
		<link rel="stylesheet" href="../css/one.css">`, render.Sheet{Path: "css/x.css", Text: `.x { background: URL(../assets/a.svg) }`})
	for _, want := range []string{
		`src="data:image/svg+xml;base64,PHN2Zy8+" alt="A"`, "data:font/woff2;base64,", "data:image/png;base64,UE5H", `<use href="#x"`,
		".one {", ".two {", "@media print {\n.three {", "<title>T &lt;x&gt;</title>", "--slide-width: 1280px",
	} {
		if !strings.Contains(doc, want) {
			t.Errorf("%s is missing in\n%s", want, doc)
		}
	}
}

func TestNothingRunsAndNothingLoads(t *testing.T) {
	hostile := []string{
		`<script>alert(1)</script>`, `<img src=x onerror=alert(1)>`, `<img src="https://evil/?leak">`, `<img srcset="https://evil 2x">`,
		`<svg onload=alert(1)><script>x</script><style>@import "//evil"; a { b: url(//evil) }</style></svg>`, `<iframe src=//evil></iframe>`,
		`<object data=//evil></object>`, `<embed src=//evil>`, `<base href=//evil>`, `<meta http-equiv=refresh content="0;url=//evil">`,
		`<link rel=stylesheet href=//evil>`, `<link rel=preload href="../assets/run.js">`, `<form action=//evil><button formaction=//evil>x</button></form>`,
		`<a href="javascript:x">x</a>`, `<a href="https://evil">x</a>`, `<video src=//evil poster=//evil></video>`, `<div style="background: url(//evil)">x</div>`,
		`<style>@import "//evil"; @import url(https://evil); a { b: url( "https://evil" ) url('//evil' ) url(//evil }</style>`,
		`<style>a { b: "</style><script>alert(1)</script>" }</style>`, `<template><script>x</script></template>`, `<noscript><img src=//evil></noscript>`,
		`<img src="data:text/html,<script>x</script>">`, `<svg><animate attributeName=href values="javascript:x"/></svg>`, `<body background=//evil>`,
		`<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>`, `<svg></p><style><a id="</style><img src=x onerror=alert(1)>">`,
		`<img src="../assets/run.js">`, `<x-y onclick=x>`, `<input autofocus onfocus=x>`, `<plaintext><script>x`,
	}
	for _, body := range hostile {
		doc := document(t, body)
		root, err := html.Parse(strings.NewReader(doc))
		if err != nil {
			t.Fatal(err)
		}
		for n := range root.Descendants() {
			if n.Type != html.ElementNode {
				continue
			}
			if n.Data == "script" || n.Data == "iframe" || n.Data == "object" || n.Data == "embed" || n.Data == "base" || n.Data == "link" {
				t.Errorf("%s left a <%s>", body, n.Data)
			}
			for _, a := range n.Attr {
				loads := a.Key == "src" || a.Key == "href" || a.Key == "poster" || a.Key == "srcset" || a.Key == "action" || a.Key == "background"
				if strings.HasPrefix(a.Key, "on") || (loads && markup.Remote(a.Val)) || (loads && strings.HasPrefix(a.Val, "data:text")) {
					t.Errorf("%s left %s=%q on <%s>", body, a.Key, a.Val, n.Data)
				}
			}
			if n.Data == "style" && n.FirstChild != nil {
				for _, found := range markup.ActiveCSS(n.FirstChild.Data) {
					t.Errorf("%s left in a style: %s", body, found)
				}
			}
		}
		if strings.Count(doc, "Content-Security-Policy") != 1 {
			t.Errorf("%s: the policy stands %d times", body, strings.Count(doc, "Content-Security-Policy"))
		}
	}
}

func TestLinksLiveOnlyWhereTheyMay(t *testing.T) {
	body := []byte(`<a href="https://example.com/x">x</a><a href="javascript:x">y</a>`)
	with, err := render.Document(t.Context(), files, render.Page{Width: 1, Height: 1, Body: body, Links: true})
	if err != nil || !strings.Contains(string(with), `href="https://example.com/x" target="_blank" rel="noopener noreferrer"`) || strings.Contains(string(with), "javascript") {
		t.Errorf("with links: %v\n%s", err, with)
	}
	without, err := render.Document(t.Context(), files, render.Page{Width: 1, Height: 1, Body: body})
	if err != nil || strings.Contains(string(without), ` href="`) || !strings.Contains(string(without), `title="https://example.com/x"`) {
		t.Errorf("without links: %v\n%s", err, without)
	}
}

func TestAnAssetOverTheLimitIsLeftOut(t *testing.T) {
	doc := document(t, `<img src="../assets/big.png" alt="Big">`)
	if !strings.Contains(doc, `alt="Big"`) || strings.Contains(doc, "data:image/png") {
		t.Error("an image over the limit came in, or its alternative text did not")
	}
}

func TestADocumentOverTheLimitIsRefused(t *testing.T) {
	frame := len(document(t, ""))
	page := render.Page{Title: "T <x>", Lang: "en", Width: 1280, Height: 720, Body: []byte(strings.Repeat("x", render.MaxDocumentBytes-frame))}
	if _, err := render.Document(t.Context(), files, page); err != nil {
		t.Errorf("at the limit: %v", err)
	}
	page.Body = append(page.Body, 'x')
	if _, err := render.Document(t.Context(), files, page); agent.ErrorCode(err) != agent.CodeTooLarge {
		t.Errorf("over the limit: %v, want too_large", err)
	}
}

func TestImportsThatGoRoundEnd(t *testing.T) {
	doc := document(t, "x", render.Sheet{Path: "css/x.css", Text: `@import "loop.css";`})
	if n := strings.Count(doc, ".loop {}"); n == 0 || n > 8 {
		t.Errorf("the sheet came in %d times", n)
	}
}

func TestMarkdownIsASlideWithNotes(t *testing.T) {
	got, err := render.FromMarkdown([]byte("---\ntitle: x\n---\n# Hi\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nNote: say <b>this</b>\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`<section class="slide markdown">`, "<h1>Hi</h1>", "<table>", `<aside class="notes">say &lt;b&gt;this&lt;/b&gt;</aside>`} {
		if !strings.Contains(string(got), want) {
			t.Errorf("%s is missing in %s", want, got)
		}
	}
	if strings.Contains(string(got), "title: x") {
		t.Error("the front matter shows")
	}
}

func FuzzDocument(f *testing.F) {
	for _, s := range []string{"<p>x", "<style>a{b:url(", "<style>@import '", "<svg><style>", `<a href="`, "<style>/*", `<style>"\`, "<body><head><style>@import url(\"x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, body string) {
		doc, err := render.Document(t.Context(), files, render.Page{Width: 1, Height: 1, Path: "slides/x", Body: []byte(body), Sheets: []render.Sheet{{Path: "a.css", Text: body}}})
		if err != nil {
			return
		}
		root, err := html.Parse(strings.NewReader(string(doc)))
		if err != nil {
			t.Fatal(err)
		}
		for n := range root.Descendants() {
			if n.Type == html.ElementNode && n.Namespace == "" && (n.Data == "script" || n.Data == "iframe") {
				t.Fatalf("%q left a <%s>:\n%s", body, n.Data, doc)
			}
		}
	})
}
