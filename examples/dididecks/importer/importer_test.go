package importer_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/examples/dididecks/deck"
	"github.com/lossless-group/in-app-agent/examples/dididecks/importer"
	"github.com/lossless-group/in-app-agent/examples/dididecks/reveal"
)

func folder(tb testing.TB, files map[string]string) string {
	tb.Helper()
	dir := tb.TempDir()
	for p, text := range files {
		full := filepath.Join(dir, p)
		must(tb, os.MkdirAll(filepath.Dir(full), 0o755))
		must(tb, os.WriteFile(full, []byte(text), 0o644))
	}
	return dir
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

func names(files importer.Files) string {
	var out []string
	for p := range files {
		out = append(out, p)
	}
	return fmt.Sprint(len(out), " ", strings.Join(out, " "))
}

func TestAFolderGivesWhatADeckIsMadeOf(t *testing.T) {
	dir := folder(t, map[string]string{
		"slides/01.html": "a", "slides/02.md": "b", "slides/03.astro": "c", "assets/deep/x.PNG": "d", "deck.yaml": "title: x",
		".env": "SECRET", ".git/config": "x", "node_modules/x/y.js": "x", "slides/.hidden.html": "x", "secret.pem": "x", "run.sh": "x", "app.exe": "x",
	})
	files, err := importer.Folder(dir)
	must(t, err)
	if len(files) != 5 || string(files["slides/03.astro"]) != "c" || files["assets/deep/x.PNG"] == nil {
		t.Errorf("got %s", names(files))
	}
	if !importer.HasSlides(dir) || importer.HasSlides(t.TempDir()) {
		t.Error("HasSlides is wrong")
	}
}

func TestNoLinkLeadsOutOfAFolder(t *testing.T) {
	outside := folder(t, map[string]string{"secret.html": "SECRET", "d/x.html": "SECRET"})
	dir := folder(t, map[string]string{"slides/01.html": "a"})
	must(t, os.Symlink(filepath.Join(outside, "secret.html"), filepath.Join(dir, "slides", "02.html")))
	must(t, os.Symlink(filepath.Join(outside, "d"), filepath.Join(dir, "assets")))
	must(t, os.Symlink("01.html", filepath.Join(dir, "slides", "03.html")))
	files, err := importer.Folder(dir)
	must(t, err)
	if len(files) != 1 {
		t.Errorf("got %s", names(files))
	}
}

func TestAFileAndAFolderHaveLimits(t *testing.T) {
	dir := folder(t, map[string]string{"slides/01.html": strings.Repeat("a", importer.MaxFileBytes)})
	if _, err := importer.Folder(dir); err != nil {
		t.Errorf("a file at the limit: %v", err)
	}
	must(t, os.WriteFile(filepath.Join(dir, "slides", "01.html"), bytes.Repeat([]byte("a"), importer.MaxFileBytes+1), 0o644))
	if _, err := importer.Folder(dir); agent.ErrorCode(err) != agent.CodeTooLarge {
		t.Errorf("a file over the limit: %v", err)
	}
	many := map[string]string{}
	for i := range importer.MaxFiles {
		many[fmt.Sprintf("a/%d/%d.txt", i%50, i)] = ""
	}
	dir = folder(t, many)
	if files, err := importer.Folder(dir); err != nil || len(files) != importer.MaxFiles {
		t.Errorf("files at the limit: %d, %v", len(files), err)
	}
	must(t, os.WriteFile(filepath.Join(dir, "one-more.txt"), nil, 0o644))
	if _, err := importer.Folder(dir); agent.ErrorCode(err) != agent.CodeTooLarge {
		t.Errorf("one file more: %v", err)
	}
	if _, err := importer.Folder(filepath.Join(dir, "none")); agent.ErrorCode(err) != agent.CodeNotFound {
		t.Errorf("no folder: %v", err)
	}
}

const page = `<html><head><title>Deck</title><link rel="stylesheet" href="css/a.css"><link rel=stylesheet href="https://cdn/x.css">
<style>.x { background: url(img/bg.png) }</style></head><body><div class="reveal"><div class="slides">
<section data-background-image="img/a%20b.jpg?v=2"><h2>Hello</h2><img src="img/one.svg"><img src="../outside.png"><img src="/etc/hosts.png"></section>
<section style="background: url('img/two.png')"><a href="notes.md">n</a><img data-src="img/none.png"></section>
</div></div><script src="app.js"></script></body></html>`

func TestAPageBringsWhatItShowsAndNothingElse(t *testing.T) {
	root := folder(t, map[string]string{
		"deck/index.html": page, "deck/css/a.css": `@import "b.css"; @font-face { src: url(../f/x.woff2) }`, "deck/css/b.css": `a { b: url("../img/c.gif") }`,
		"deck/f/x.woff2": "F", "deck/img/bg.png": "1", "deck/img/a b.jpg": "2", "deck/img/one.svg": "3", "deck/img/two.png": "4", "deck/img/c.gif": "5",
		"deck/img/unused.png": "6", "deck/app.js": "7", "deck/notes.md": "8", "outside.png": "SECRET",
	})
	for _, path := range []string{filepath.Join(root, "deck"), filepath.Join(root, "deck", "index.html")} {
		if got := importer.PageOf(path); got != filepath.Join(root, "deck", "index.html") {
			t.Errorf("the page of %s is %q", filepath.Base(path), got)
		}
	}
	files, err := importer.Page(filepath.Join(root, "deck", "index.html"))
	must(t, err)
	want := []string{"css/a.css", "css/b.css", "f/x.woff2", "img/bg.png", "img/a b.jpg", "img/one.svg", "img/two.png", "img/c.gif", "deck.yaml", importer.FrameFile, "slides/01-hello.html", "slides/02-slide.html"}
	for _, p := range want {
		if files[p] == nil {
			t.Errorf("%s is missing", p)
		}
	}
	if len(files) != len(want) {
		t.Errorf("got %s", names(files))
	}
	m, err := deck.ParseManifest(files["deck.yaml"])
	must(t, err)
	joined, err := reveal.Join(files[m.Reveal.Frame], m.Reveal.Marker, [][]byte{files["slides/01-hello.html"], files["slides/02-slide.html"]})
	if err != nil || string(joined) != page || m.Title != "Deck" {
		t.Errorf("%v: the page does not come back", err)
	}
}

func TestWhatIsNoPageIsNotTakenForOne(t *testing.T) {
	dir := folder(t, map[string]string{"index.html": "<p>x</p>", "x.txt": page, "big.html": strings.Repeat(" ", reveal.MaxPageBytes) + page})
	for _, p := range []string{dir, filepath.Join(dir, "x.txt"), filepath.Join(dir, "big.html"), filepath.Join(dir, "none.html"), t.TempDir()} {
		if got := importer.PageOf(p); got != "" {
			t.Errorf("%s is taken for %s", p, got)
		}
	}
	if _, err := importer.Page(filepath.Join(dir, "index.html")); agent.ErrorCode(err) != agent.CodeInvalidInput {
		t.Errorf("a plain page: %v", err)
	}
	if _, err := importer.Page(filepath.Join(dir, "none.html")); agent.ErrorCode(err) != agent.CodeNotFound {
		t.Errorf("no page: %v", err)
	}
}
