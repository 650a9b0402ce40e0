package dididecks

import (
	"bytes"
	"encoding/json"
	"errors"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/examples/dididecks/export"
	"github.com/lossless-group/in-app-agent/examples/dididecks/lint"
)

func exportOnce(t *testing.T, a *App, id string, input map[string]any) (deckExportOut, error) {
	t.Helper()
	result, err := capabilityOf(t, a, "deck.export").Handler(t.Context(), newCall(ana, "deck.export", id, input))
	var out deckExportOut
	if err == nil {
		must(t, json.Unmarshal(result.Output, &out))
	}
	return out, err
}

func exportedFile(t *testing.T, a *App, d *Deck, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(a.exportDir(d), name))
	must(t, err)
	return raw
}

func TestAnExportIsAFileNamedByTheCallsKey(t *testing.T) {
	a := newApp(t, Options{})
	d := a.decks[0]
	for format, want := range map[string]string{"html": "<!doctype html>", "md": "# "} {
		verify := capabilityOf(t, a, "deck.export").Verify
		call := newCall(ana, "deck.export", "call_"+format, map[string]any{"format": format})
		if done, _, err := verify(t.Context(), call); err != nil || done {
			t.Fatalf("%s, before: %v, %v", format, done, err)
		}
		out, err := exportOnce(t, a, "call_"+format, map[string]any{"format": format})
		must(t, err)
		again, err := exportOnce(t, a, "call_"+format, map[string]any{"format": format})
		must(t, err)
		if out != again || !validExport.MatchString(out.Name) || out.URL != "/api/decks/"+DemoDeckID+"/exports/"+out.Name {
			t.Errorf("%s: %+v and %+v", format, out, again)
		}
		raw := exportedFile(t, a, d, out.Name)
		if int64(len(raw)) != out.Bytes || !strings.HasPrefix(string(raw), want) {
			t.Errorf("%s: %d bytes beginning with %.40q", format, len(raw), raw)
		}
		done, result, err := verify(t.Context(), call)
		if err != nil || !done || !strings.Contains(string(result.Output), out.Name) {
			t.Errorf("%s, after: %v, %v, %s", format, done, err, result.Output)
		}
	}
	snap, err := d.Snapshot(t.Context())
	must(t, err)
	out, err := exportOnce(t, a, "call_md", map[string]any{"format": "md"})
	must(t, err)
	text := string(exportedFile(t, a, d, out.Name))
	for _, sl := range snap.Slides {
		if !strings.Contains(text, sl.Title) {
			t.Errorf("the Markdown has no %q", sl.Title)
		}
	}
}

func TestAnExportTakesTheBrandKitThatIsNamed(t *testing.T) {
	a := newApp(t, Options{})
	snap, err := a.decks[0].Snapshot(t.Context())
	must(t, err)
	seen := map[string]bool{}
	for _, k := range snap.Kits {
		out, err := exportOnce(t, a, "call_"+k.Name, map[string]any{"format": "html", "brand_kit": k.Name})
		must(t, err)
		raw := exportedFile(t, a, a.decks[0], out.Name)
		if out.BrandKit != k.Name || !bytes.Contains(raw, []byte(k.Value("ink"))) || seen[string(raw)] {
			t.Errorf("%s: %+v", k.Name, out)
		}
		seen[string(raw)] = true
	}
	for _, input := range []map[string]any{{"format": "html", "brand_kit": "no such kit"}, {"format": "exe"}, {"format": "../x"}, {"format": ""}} {
		if _, err := exportOnce(t, a, "call_x", input); err == nil {
			t.Errorf("%v was exported", input)
		}
	}
}

func needsChromium(t *testing.T) {
	t.Helper()
	if _, err := (export.Chromium{}).Find(); err != nil {
		t.Skipf("SKIPPED LOUDLY: %v", err)
	}
}

func TestAPDFHasOnePageASlide(t *testing.T) {
	needsChromium(t)
	a := newApp(t, Options{})
	out, err := exportOnce(t, a, "call_1", map[string]any{"format": "pdf"})
	must(t, err)
	raw := exportedFile(t, a, a.decks[0], out.Name)
	if pages := bytes.Count(raw, []byte("/Type /Page\n")); !bytes.HasPrefix(raw, []byte("%PDF-")) || pages != 8 {
		t.Errorf("%d pages, %.8q", pages, raw)
	}
}

func TestShareImagesAreDrawnShownAndStored(t *testing.T) {
	needsChromium(t)
	a := newApp(t, Options{})
	call := newCall(ana, "deck.og_image", "call_1", map[string]any{"count": 2, "style": "chroma"})
	r := shown(t, a, call)
	if len(r.Preview.Artifacts) != 2 || bytes.Equal(r.Preview.Artifacts[0].Data, r.Preview.Artifacts[1].Data) {
		t.Fatalf("%d artifacts, or two alike", len(r.Preview.Artifacts))
	}
	for _, art := range r.Preview.Artifacts {
		img, err := png.DecodeConfig(bytes.NewReader(art.Data))
		if err != nil || img.Width != 1200 || img.Height != 630 || art.Kind != agent.ArtifactImage {
			t.Errorf("%s: %+v, %v", art.Path, img, err)
		}
	}
	_, err := accept(t, a, call, r)
	must(t, err)
	files := snapshotFiles(t, a.decks[0])
	if files["og/chroma-1.png"] != string(r.Preview.Artifacts[0].Data) || files["og/chroma-2.png"] == "" || mergeCount(t, a.decks[0]) != 1 {
		t.Error("the images are not in the deck as they were shown")
	}
}

func TestWithoutABrowserPDFsAndImagesSayWhatToInstall(t *testing.T) {
	a := newApp(t, Options{Chromium: "/nowhere/chromium"})
	_, pdf := exportOnce(t, a, "call_1", map[string]any{"format": "pdf"})
	_, og := show1(t.Context(), a, newCall(ana, "deck.og_image", "call_1", map[string]any{"count": 3}))
	for name, err := range map[string]error{"pdf": pdf, "og": og} {
		var e *agent.Error
		if !errors.As(err, &e) || e.Code != agent.CodeUnavailable || !strings.Contains(e.Hint, "chromium") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for count, fits := range map[int]bool{0: false, 1: true, 6: true, 7: false, -1: false} {
		_, err := capabilityOf(t, a, "deck.og_image").Resources(t.Context(), newCall(ana, "deck.og_image", "c", map[string]any{"count": count}))
		if (err == nil) != fits {
			t.Errorf("%d images: %v", count, err)
		}
	}
	if left := sideBranches(t, a.decks[0]); len(left) != 0 {
		t.Errorf("left: %+v", left)
	}
}

func diagnose(t *testing.T, a *App) deckDiagnosticsOut {
	t.Helper()
	result, err := capabilityOf(t, a, "deck.diagnostics").Handler(t.Context(), newCall(ana, "deck.diagnostics", "c", map[string]any{}))
	must(t, err)
	var out deckDiagnosticsOut
	must(t, json.Unmarshal(result.Output, &out))
	return out
}

func TestDiagnosticsOfTheDemoDeckHaveSomethingToSay(t *testing.T) {
	out := diagnose(t, newApp(t, Options{}))
	if out.Errors != 1 || out.Warnings != 1 || out.Build != nil {
		t.Fatalf("%+v", out)
	}
	for _, f := range out.Findings {
		if f.Line == 0 || f.Path == "" || f.Message == "" {
			t.Errorf("%+v says not where", f)
		}
	}
}

func TestDiagnosticsSeeWhatIsWrongBesideTheCommit(t *testing.T) {
	dir := plainDeck(t)
	now := noon
	a := newApp(t, Options{Path: dir, Now: func() time.Time { return now }})
	shown(t, a, newCall(ana, "slide.edit", "call_1", map[string]any{"slide_id": "04", "instruction": "less corporate"}))
	must(t, os.WriteFile(filepath.Join(dir, "slides", "02-s.html"), []byte("mine"), 0o644))
	codes := func() string {
		var out []string
		for _, f := range diagnose(t, a).Findings {
			out = append(out, f.Code)
		}
		return strings.Join(out, " ")
	}
	if got := codes(); got != "uncommitted" {
		t.Errorf("at once: %s", got)
	}
	now = noon.Add(StaleAfter - time.Second)
	if got := codes(); got != "uncommitted" {
		t.Errorf("just before it is stale: %s", got)
	}
	now = noon.Add(StaleAfter)
	if got := codes(); got != "uncommitted stale_branch" {
		t.Errorf("stale: %s", got)
	}
}

func TestDiagnosticsAreBounded(t *testing.T) {
	dir := plainDeck(t)
	must(t, os.WriteFile(filepath.Join(dir, "slides", "04-s.html"), []byte("<p>x</p>"+strings.Repeat("<img src=none.png alt=x>", maxFindings+5)), 0o644))
	userGit(t, dir, "commit", "-qam", "x")
	out := diagnose(t, newApp(t, Options{Path: dir}))
	if len(out.Findings) != maxFindings || out.More != 5 || out.Errors != maxFindings+5 || out.Findings[0].Severity != lint.Error {
		t.Errorf("%d findings, %d more, %d errors", len(out.Findings), out.More, out.Errors)
	}
}

// buildDeck is a deck with a build command: a program of its own.
func buildDeck(t *testing.T, script string) string {
	t.Helper()
	dir := plainDeck(t)
	must(t, os.WriteFile(filepath.Join(dir, "build.sh"), []byte("#!/bin/sh\n"+script), 0o755))
	must(t, os.WriteFile(filepath.Join(dir, "deck.yaml"), []byte("build: ./build.sh one $HOME;ls\nbuild_output: out\n"), 0o644))
	must(t, os.WriteFile(filepath.Join(dir, "slides", "11-c.astro"), []byte("---\nconst a = 1\n---\n<section><h2>{a}</h2></section>\n"), 0o644))
	userGit(t, dir, "add", ".")
	userGit(t, dir, "commit", "-qm", "build")
	return dir
}

func TestABuildNeedsTheOperatorsWord(t *testing.T) {
	witness := filepath.Join(t.TempDir(), "ran")
	out := diagnose(t, newApp(t, Options{Path: buildDeck(t, "touch "+witness)}))
	if out.Build == nil || out.Build.Skipped == "" || out.Build.OK {
		t.Errorf("%+v", out.Build)
	}
	if _, err := os.Stat(witness); err == nil {
		t.Fatal("a deck's build ran without the operator's word")
	}
}

func TestABuildRunsWithoutAShellOnceACommitAndItsLogIsTold(t *testing.T) {
	counter := filepath.Join(t.TempDir(), "count")
	dir := buildDeck(t, `echo "args: $*"; echo run >> `+counter+`; echo "boom at slides/11-c.astro:4" >&2; exit 3`)
	a := newApp(t, Options{Path: dir, AllowBuild: true})
	for range 2 {
		out := diagnose(t, a)
		if out.Build == nil || out.Build.OK || !strings.Contains(out.Build.Log, "boom at slides/11-c.astro:4") || !strings.Contains(out.Build.Log, "args: one $HOME;ls") || !strings.Contains(out.Build.Log, "exit status 3") {
			t.Fatalf("%+v", out.Build)
		}
	}
	runs, err := os.ReadFile(counter)
	must(t, err)
	if strings.Count(string(runs), "run") != 1 {
		t.Errorf("it ran %d times for one commit", strings.Count(string(runs), "run"))
	}
	log, ok, err := a.Build(agent.WithPrincipal(t.Context(), ana), DemoDeckID)
	if err != nil || ok || !strings.Contains(log, "boom") {
		t.Errorf("Build gives %v, %v, %q", ok, err, log)
	}
}

func TestALongLogKeepsItsEnd(t *testing.T) {
	a := newApp(t, Options{Path: buildDeck(t, `yes "a line of a very long build log, padded" | head -5000; echo last word; exit 1`), AllowBuild: true})
	out := diagnose(t, a)
	if len(out.Build.Log) > maxLogShown+100 || !strings.Contains(out.Build.Log, "last word") || !strings.Contains(out.Build.Log, "[the beginning is cut]") {
		t.Errorf("%d bytes: …%s", len(out.Build.Log), out.Build.Log[max(0, len(out.Build.Log)-100):])
	}
}

func TestAComponentSlideShowsItsBuildOrSaysThatItCannot(t *testing.T) {
	script := `mkdir -p out/11-c; cp slides/11-c.astro out/11-c/src.txt; printf '<style>@import "a.css"; h2{background:url(p.svg)}</style><h2>Built %s</h2><script>x</script>' "$(grep -o 'h2 class="[a-z]*"' slides/11-c.astro)" > out/11-c/index.html; echo '<svg/>' > out/11-c/p.svg`
	dir := buildDeck(t, script)
	answer := "---\nconst a = 1\n---\n<section><h2 class=\"new\">{a}</h2></section>\n"
	preview := func(allow bool) agent.Receipt {
		call := newCall(ana, "slide.edit", "call_1", map[string]any{"slide_id": "11", "instruction": "x"})
		say(call, answer)
		return shown(t, newApp(t, Options{Path: dir, AllowBuild: allow}), call)
	}
	r := preview(true)
	if doc := artifact(r, agent.ArtifactHTML); !strings.Contains(doc, `Built h2 class=&#34;new&#34;`) || !strings.Contains(doc, "data:image/svg+xml") || strings.Contains(doc, "<script") {
		t.Errorf("with a build: %s", doc)
	}
	r = preview(false)
	if artifact(r, agent.ArtifactHTML) != "" || artifact(r, agent.ArtifactMarkdown) == "" || !strings.Contains(artifact(r, agent.ArtifactDiff), `+<section><h2 class="new">`) {
		t.Errorf("without: %+v", r.Preview.Artifacts)
	}
}

func TestTheCleanUpRemovesWhatNobodyAnswered(t *testing.T) {
	dir := plainDeck(t)
	a := newApp(t, Options{Path: dir})
	d := a.decks[0]
	for i, style := range []string{"chroma", "retro"} {
		shown(t, a, newCall(ana, "slide.variant", "call_"+style, map[string]any{"slide_id": "0" + string(rune('1'+i)), "style": style}))
	}
	userGit(t, dir, "branch", "chat/mine") // the user's own, of any age
	out, err := exportOnce(t, a, "call_1", map[string]any{"format": "md"})
	must(t, err)
	done, err := a.CleanBranches(t.Context(), noon.Add(StaleAfter-time.Second), nil)
	if err != nil || len(done.Removed) != 0 || done.Exports != 0 {
		t.Fatalf("before: %+v, %v", done, err)
	}
	done, err = a.CleanBranches(t.Context(), noon.Add(StaleAfter), func(branch string) bool { return strings.Contains(branch, "retro") })
	if err != nil || len(done.Removed) != 1 || !strings.Contains(done.Removed[0], "chroma") || len(done.Kept) != 1 {
		t.Fatalf("after: %+v, %v", done, err)
	}
	var left []string
	for _, b := range sideBranches(t, d) {
		left = append(left, b.Name)
	}
	if len(left) != 2 || left[0] != "chat/mine" {
		t.Errorf("left: %v", left)
	}
	must(t, os.Chtimes(filepath.Join(a.exportDir(d), out.Name), noon, noon.Add(-StaleAfter)))
	if done, err = a.CleanBranches(t.Context(), noon, nil); err != nil || done.Exports != 1 {
		t.Errorf("an old export: %+v, %v", done, err)
	}
}
