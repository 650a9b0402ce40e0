package dididecks

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/examples/dididecks/export"
	"github.com/lossless-group/in-app-agent/examples/dididecks/reveal"
)

// drawSlide draws a valid slide: nested elements, attributes, entities, raw text.
func drawSlide(t *rapid.T) string {
	words := rapid.StringMatching(`[a-zà-ü0-9 ]{0,12}(&amp;|&lt;b&gt;|“é”)?`)
	var element func(depth int) string
	element = func(depth int) string {
		name := rapid.SampledFrom([]string{"div", "p", "ul", "h2", "h3", "blockquote", "span", "figure", "svg", "table"}).Draw(t, "name")
		attr := rapid.SampledFrom([]string{"", ` class="a b"`, ` data-x='"'`, ` style="color: red"`, " hidden", ` title="a > b"`}).Draw(t, "attr")
		switch name {
		case "ul":
			return "<ul" + attr + "><li>" + words.Draw(t, "w") + "</li><li>" + words.Draw(t, "w") + "</li></ul>"
		case "svg":
			return `<svg viewBox="0 0 1 1"` + attr + `><circle r="1"/><title>` + words.Draw(t, "w") + `</title></svg>`
		case "table":
			return "<table" + attr + "><tr><td>" + words.Draw(t, "w") + "<td>x</table>"
		}
		inner := words.Draw(t, "w")
		if depth > 0 && name != "p" && name != "h2" && name != "h3" && name != "span" {
			for range rapid.IntRange(0, 3).Draw(t, "n") {
				inner += element(depth - 1)
			}
		}
		return "<" + name + attr + ">" + inner + "</" + name + ">" + rapid.SampledFrom([]string{"", "\n", "<!-- c -->", "<br>", "\r\n"}).Draw(t, "gap")
	}
	s := "<section" + rapid.SampledFrom([]string{"", ` id="s"`, "\n  class='slide'"}).Draw(t, "root") + "><h1>T</h1>\n"
	for range rapid.IntRange(1, 4).Draw(t, "parts") {
		s += element(2)
	}
	return s + "</section>" + rapid.SampledFrom([]string{"", "\n", "\r\n"}).Draw(t, "end")
}

func TestAnyValidSlideChangesAloneAndEveryOtherByteStays(t *testing.T) {
	dir := plainDeck(t)
	a := newApp(t, Options{Path: dir})
	d := a.decks[0]
	n, rounds := 0, 40 // each round is a dozen runs of git
	if testing.Short() {
		rounds = 8
	}
	rapid.Check(t, func(rt *rapid.T) {
		n++
		if n > rounds {
			return
		}
		source := drawSlide(rt)
		must(t, os.WriteFile(filepath.Join(dir, "slides", "05-s.html"), []byte(source), 0o644))
		userGit(t, dir, "add", "-A")
		userGit(t, dir, "commit", "-qm", "x", "--allow-empty")
		before := snapshotFiles(t, d)
		name, input := "slide.variant", map[string]any{"slide_id": "05", "style": rapid.StringMatching(`[a-z]{3,10}`).Draw(rt, "style")}
		if rapid.Bool().Draw(rt, "edit") {
			name, input = "slide.edit", map[string]any{"slide_id": "05", "instruction": rapid.SampledFrom([]string{"less corporate", "title to \"A & <b>\"", "shorter", "bigger", "darker", "zebra"}).Draw(rt, "wish")}
		}
		call := newCall(ana, name, fmt.Sprintf("call_%d", n), input)
		r, err := show1(t.Context(), a, call)
		if agent.ErrorCode(err) == agent.CodeToolError && name == "slide.edit" {
			return // the wish changes nothing on this slide
		}
		if err != nil {
			rt.Fatalf("%v\n%s", err, source)
		}
		if _, err := accept(t, a, call, r); err != nil {
			rt.Fatal(err)
		}
		after := snapshotFiles(t, d)
		for p, text := range before {
			if (after[p] == text) == (p == "slides/05-s.html") {
				rt.Fatalf("%s: changed %v", p, after[p] != text)
			}
		}
		if strings.Count(artifact(r, agent.ArtifactDiff), "+++ ") != 1 {
			rt.Fatalf("the diff is of more than one file:\n%s", artifact(r, agent.ArtifactDiff))
		}
	})
	if n < rounds {
		t.Fatalf("only %d slides were tried", n)
	}
}

// revealDemo gives the demo page of reveal.js from its npm package, kept in the
// user's cache.
func revealDemo(t *testing.T) string {
	t.Helper()
	const name = "reveal.js-6.0.2"
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skipf("SKIPPED LOUDLY: there is no cache folder for reveal.js 6.0.2: %v", err)
	}
	dir := filepath.Join(cache, "in-app-agent", "test", name)
	page := filepath.Join(dir, "package", "demo.html")
	if _, err := os.Stat(page); err == nil {
		return page
	}
	must(t, os.MkdirAll(dir, 0o755))
	pack := exec.CommandContext(t.Context(), "npm", "pack", "reveal.js@6.0.2", "--silent", "--pack-destination", dir)
	if out, err := pack.CombinedOutput(); err != nil {
		t.Skipf("SKIPPED LOUDLY: reveal.js 6.0.2 cannot be had from the npm registry: %v: %s", err, out)
	}
	if out, err := exec.CommandContext(t.Context(), "tar", "-xzf", filepath.Join(dir, name+".tgz"), "-C", dir).CombinedOutput(); err != nil {
		t.Fatalf("unpack: %v: %s", err, out)
	}
	if _, err := os.Stat(page); err != nil {
		t.Skipf("SKIPPED LOUDLY: the npm package of reveal.js 6.0.2 holds no demo.html: %v", err)
	}
	return page
}

func TestTheDemoOfRevealIsEditedSlideBySlide(t *testing.T) {
	page := revealDemo(t)
	original, err := os.ReadFile(page)
	must(t, err)
	a := newApp(t, Options{Path: page})
	d := a.decks[0]
	snap, err := d.Snapshot(t.Context())
	must(t, err)
	split, err := reveal.Split(original)
	must(t, err)
	if len(snap.Slides) != len(split.Slides) || len(snap.Slides) < 15 {
		t.Fatalf("%d slides of %d", len(snap.Slides), len(split.Slides))
	}
	joined, err := export.Source(t.Context(), snap)
	if err != nil || !bytes.Equal(joined, original) {
		t.Fatalf("the untouched page does not come back byte for byte: %v", err)
	}
	stacks := 0
	for i, sl := range snap.Slides {
		if _, err := a.renderSlide(t.Context(), d, snap, sl, ""); err != nil {
			t.Errorf("%s: %v", sl.Path, err)
		}
		if len(reveal.Steps(split.Slides[i])) > 1 {
			stacks++
		}
	}
	if stacks == 0 {
		t.Error("no vertical stack was seen")
	}
	for i := range snap.Slides {
		call := newCall(ana, "slide.variant", fmt.Sprintf("call_%d", i), map[string]any{"slide_id": snap.Slides[i].ID, "style": "chroma"})
		_, err := accept(t, a, call, shown(t, a, call))
		must(t, err)
	}
	changed, err := d.Snapshot(t.Context())
	must(t, err)
	joined, err = export.Source(t.Context(), changed)
	must(t, err)
	again, err := reveal.Split(joined)
	must(t, err)
	if len(again.Slides) != len(split.Slides) {
		t.Fatalf("%d slides after the edits, %d before", len(again.Slides), len(split.Slides))
	}
	for i, s := range again.Slides {
		if bytes.Equal(s, split.Slides[i]) {
			t.Errorf("slide %d did not change", i+1)
		}
		if len(reveal.Steps(s)) != len(reveal.Steps(split.Slides[i])) {
			t.Errorf("slide %d has other steps now", i+1)
		}
	}
	frame := func(p reveal.Page) string { return strings.ReplaceAll(string(p.Frame), p.Marker, "") }
	if frame(again) != frame(split) {
		t.Error("something between the slides changed")
	}
}

func TestAPreviewInARepositoryOf500FilesIsQuick(t *testing.T) {
	dir := plainDeck(t)
	for i := range 500 {
		sub := filepath.Join(dir, "assets", fmt.Sprint(i%20))
		must(t, os.MkdirAll(sub, 0o755))
		must(t, os.WriteFile(filepath.Join(sub, fmt.Sprintf("%d.txt", i)), bytes.Repeat([]byte{byte('a' + i%26)}, 2000), 0o644))
	}
	userGit(t, dir, "add", ".")
	userGit(t, dir, "commit", "-qm", "assets")
	a := newApp(t, Options{Path: dir})
	best := time.Hour
	for i := range 5 {
		call := newCall(ana, "slide.variant", fmt.Sprintf("call_%d", i), map[string]any{"slide_id": "04", "style": "chroma"})
		start := time.Now()
		shown(t, a, call)
		best = min(best, time.Since(start))
	}
	t.Logf("best of five previews: %s", best)
	if files := len(snapshotFiles(t, a.decks[0])); files < 510 {
		t.Fatalf("only %d files", files)
	}
}
