package export_test

import (
	"context"
	"strings"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/examples/dididecks/deck"
	"github.com/lossless-group/in-app-agent/examples/dididecks/export"
	"github.com/lossless-group/in-app-agent/examples/dididecks/gitrepo"
)

func snapshot(tb testing.TB, files map[string]string) *deck.Snapshot {
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
	s, err := deck.Load(ctx, r, commit)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func TestAPageHoldsEverySlideInAFrameOfItsOwn(t *testing.T) {
	s := snapshot(t, map[string]string{
		"deck.yaml": "title: A <b>\n", "slides/01.html": `<style>h1 { color: red }</style><h1>One "quoted"</h1><a href="https://example.com">x</a>`,
		"slides/02.md": "# Two\n", "slides/03.astro": "---\nconst a = 1\n---\n<h1>{a}</h1>",
	})
	page, err := export.Page(t.Context(), s, deck.Kit{})
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	if strings.Count(text, "<iframe ") != 3 || strings.Count(text, `sandbox="allow-popups"`) != 3 || !strings.Contains(text, "<title>A &lt;b&gt;</title>") {
		t.Errorf("the page:\n%s", text)
	}
	for _, want := range []string{"&lt;h1&gt;Two&lt;/h1&gt;", "the deck&amp;#39;s build", "&lt;h1&gt;One &amp;#34;quoted&amp;#34;", "https://example.com"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing", want)
		}
	}
	if strings.Contains(text, "<h1>") || strings.Contains(text, "<script") {
		t.Error("a slide stands outside of its frame")
	}
}

func TestAnImportedPageIsJoinedAndItsStacksAreAsTallAsTheirSteps(t *testing.T) {
	s := snapshot(t, map[string]string{
		"deck.yaml": "height: 700\nreveal: {frame: f.html, marker: m}\n", "f.html": "<p><!--m:0-->|<!--m:1--></p>",
		"slides/01.html": "<section>a</section>", "slides/02.html": "<section><section>b</section><section>c</section></section>",
	})
	got, err := export.Source(t.Context(), s)
	if err != nil || string(got) != "<p><section>a</section>|<section><section>b</section><section>c</section></section></p>" {
		t.Errorf("%s, %v", got, err)
	}
	page, err := export.Page(t.Context(), s, deck.Kit{})
	if err != nil || !strings.Contains(string(page), "height: 1400px") {
		t.Errorf("%v", err)
	}
	text, err := export.Text(t.Context(), s)
	if err != nil || !strings.Contains(string(text), "b\n\nc") {
		t.Errorf("%s, %v", text, err)
	}
}

func TestAPageOverTheLimitIsRefused(t *testing.T) {
	image := strings.Repeat("x", 4<<20)
	files := map[string]string{"a.png": image}
	for _, n := range []string{"01", "02", "03", "04", "05", "06", "07", "08", "09", "10", "11", "12"} {
		files["slides/"+n+".html"] = `<img src="../a.png" alt="">`
	}
	if _, err := export.Page(t.Context(), snapshot(t, files), deck.Kit{}); agent.ErrorCode(err) != agent.CodeTooLarge {
		t.Errorf("12 slides of 5 MiB: %v, want too_large", err)
	}
	delete(files, "slides/12.html")
	if _, err := export.Page(t.Context(), snapshot(t, files), deck.Kit{}); err != nil {
		t.Errorf("11 slides of 5 MiB: %v", err)
	}
}
