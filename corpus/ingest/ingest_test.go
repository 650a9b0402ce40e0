package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/corpus/ingest"
)

var scope = agent.Scope{Tenant: agent.GlobalTenant, Collection: agent.CollectionChangelog}

// shelf is a corpus in memory that counts what changes.
type shelf struct {
	agent.Corpus
	docs map[string][]agent.Section
	puts int
	put  func(path string) error // optional: refuses
}

func (s *shelf) Put(_ context.Context, at agent.Scope, path string, sections []agent.Section) (int, error) {
	if at != scope {
		return 0, fmt.Errorf("put into %+v", at)
	}
	if s.put != nil {
		if err := s.put(path); err != nil {
			return 0, err
		}
	}
	s.puts++
	same := fmt.Sprint(s.docs[path]) == fmt.Sprint(sections)
	s.docs[path] = sections
	if len(sections) == 0 {
		delete(s.docs, path)
	}
	if same {
		return 0, nil
	}
	return max(1, len(sections)), nil
}

// cut makes one section of each line; the line "path: X" chooses the source path.
func cut(text []byte, path string) (out []agent.Section) {
	for line := range strings.Lines(string(text)) {
		if other, ok := strings.CutPrefix(strings.TrimSpace(line), "path: "); ok {
			path = other
		}
	}
	for line := range strings.Lines(string(text)) {
		out = append(out, agent.Section{Passage: agent.Passage{Text: line, SourcePath: path}})
	}
	return out
}

// world is a folder of files, a shelf and a memory.
type world struct {
	*testing.T
	dir    string
	shelf  *shelf
	memory string
	again  bool
}

func newWorld(t *testing.T, files map[string]string) *world {
	t.Helper()
	w := &world{T: t, dir: filepath.Join(t.TempDir(), "docs"), shelf: &shelf{docs: map[string][]agent.Section{}}}
	w.memory = filepath.Join(filepath.Dir(w.dir), "memory", "m.jsonl")
	w.must(os.Mkdir(w.dir, 0o700))
	for name, text := range files {
		w.write(name, text)
	}
	return w
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) write(name, text string) {
	w.Helper()
	path := filepath.Join(w.dir, filepath.FromSlash(name))
	w.must(os.MkdirAll(filepath.Dir(path), 0o700))
	w.must(os.WriteFile(path, []byte(text), 0o600))
}

func (w *world) try(ctx context.Context, paths ...string) (ingest.Summary, error) {
	if len(paths) == 0 {
		paths = []string{w.dir}
	}
	return ingest.Run(ctx, ingest.Config{Corpus: w.shelf, Scope: scope, Cut: cut, Memory: w.memory, Again: w.again}, paths)
}

func (w *world) run(paths ...string) ingest.Summary {
	w.Helper()
	sum, err := w.try(w.Context(), paths...)
	w.must(err)
	return sum
}

// counts draws a summary in short.
func counts(s ingest.Summary) string {
	return fmt.Sprintf("%d files, %d ingested, %d sections, %d changed, %d unchanged, %d problems", s.Files, s.Ingested, s.Sections, s.Changed, s.Unchanged, len(s.Problems))
}

func (w *world) want(s ingest.Summary, want string) {
	w.Helper()
	if got := counts(s); got != want {
		w.Errorf("got  %s %v\nwant %s", got, s.Problems, want)
	}
}

func TestAFolderIsIngestedOnceAndItsChangesAlone(t *testing.T) {
	w := newWorld(t, map[string]string{"a.md": "one\ntwo\n", "sub/B.MARKDOWN": "three\n", "notes.txt": "no", ".git/x.md": "no", ".hidden.md": "no", "empty.md": ""})
	w.want(w.run(), "3 files, 3 ingested, 3 sections, 3 changed, 0 unchanged, 0 problems")
	if w.shelf.docs["docs/a.md"] == nil || w.shelf.docs["docs/sub/B.MARKDOWN"] == nil || len(w.shelf.docs) != 2 {
		t.Errorf("the corpus holds %v", w.shelf.docs)
	}
	puts := w.shelf.puts
	w.want(w.run(), "3 files, 0 ingested, 0 sections, 0 changed, 3 unchanged, 0 problems")
	if w.shelf.puts != puts {
		t.Errorf("%d files that did not change were put again", w.shelf.puts-puts)
	}
	w.write("a.md", "one\nchanged\n")
	w.want(w.run(), "3 files, 1 ingested, 2 sections, 2 changed, 2 unchanged, 0 problems")
	w.again = true
	w.want(w.run(), "3 files, 3 ingested, 3 sections, 0 changed, 0 unchanged, 0 problems")
	w.again = false
	w.want(w.run(filepath.Join(w.dir, "a.md")), "1 files, 1 ingested, 2 sections, 2 changed, 0 unchanged, 0 problems")
}

func TestARunThatIsKilledAnywhereGoesOnWhereItWas(t *testing.T) {
	const files = 9
	for kill := range files + 1 {
		w := newWorld(t, nil)
		for i := range files {
			w.write(fmt.Sprintf("%d.md", i), fmt.Sprintf("text %d\n", i))
		}
		ctx, stop := context.WithCancel(t.Context())
		w.shelf.put = func(string) error {
			if w.shelf.puts == kill {
				stop()
				return ctx.Err()
			}
			return nil
		}
		sum, err := w.try(ctx)
		stop()
		if (kill < files) != errors.Is(err, context.Canceled) || sum.Ingested != kill {
			t.Errorf("killed at %d: %s, %v", kill, counts(sum), err)
		}
		w.shelf.put = nil
		// The last line of the list may be torn.
		f, err := os.OpenFile(w.memory, os.O_APPEND|os.O_WRONLY, 0o600)
		w.must(err)
		_, err = f.WriteString(`{"v":1,"file":"docs/8.md","sha2`)
		w.must(errors.Join(err, f.Close()))
		w.want(w.run(), fmt.Sprintf("%d files, %d ingested, %d sections, %d changed, %d unchanged, 0 problems", files, files-kill, files-kill, files-kill, kill))
		if len(w.shelf.docs) != files {
			t.Errorf("killed at %d: %d documents", kill, len(w.shelf.docs))
		}
	}
}

func TestWhatCannotBeReadIsToldAndStopsNothing(t *testing.T) {
	w := newWorld(t, map[string]string{"good.md": "fine\n", "utf16.md": "\xff\xfeh\x00", "nul.md": "a\x00b", "latin.md": "one\ntwo\ncaf\xe9\n",
		"full.md": strings.Repeat("x", ingest.MaxFileBytes), "over.md": strings.Repeat("x", ingest.MaxFileBytes+1),
		"up.md": "path: ../../etc/passwd\n", "abs.md": "path: /etc/passwd\n", "twice1.md": "path: same/one.md\n", "twice2.md": "path: same/one.md\n",
		"refused.md": "too many\n"})
	outside := filepath.Join(t.TempDir(), "secret.md")
	w.must(os.WriteFile(outside, []byte("secret\n"), 0o600))
	for name, target := range map[string]string{"out.md": outside, "folder": filepath.Dir(outside), "inside.md": "good.md", "broken.md": "nowhere.md", "picture.png": outside,
		"up-link.md": "../" + filepath.Base(filepath.Dir(w.memory))} {
		w.must(os.Symlink(target, filepath.Join(w.dir, name)))
	}
	w.must(os.Mkdir(filepath.Join(w.dir, "no.md"), 0o700))
	w.shelf.put = func(path string) error {
		if path == "docs/refused.md" {
			return agent.Errorf(agent.CodeTooLarge, "Too many sections.")
		}
		return nil
	}
	sum := w.run(w.dir, filepath.Join(w.dir, "nowhere"), w.memory+".txt")
	got := map[string]agent.Code{}
	for _, p := range sum.Problems {
		var ours *agent.Error
		if !errors.As(p.Err, &ours) || ours.Message == "" {
			t.Errorf("%s: %v", p.Path, p.Err)
		}
		got[filepath.Base(p.Path)] = agent.ErrorCode(p.Err)
	}
	want := map[string]agent.Code{"utf16.md": agent.CodeUnsupportedMedia, "nul.md": agent.CodeUnsupportedMedia, "latin.md": agent.CodeUnsupportedMedia,
		"over.md": agent.CodeTooLarge, "up.md": agent.CodeInvalidInput, "abs.md": agent.CodeInvalidInput, "twice2.md": agent.CodeConflict,
		"refused.md": agent.CodeTooLarge, "out.md": agent.CodeForbidden, "folder": agent.CodeForbidden, "broken.md": agent.CodeNotFound,
		"up-link.md": agent.CodeForbidden, "nowhere": agent.CodeNotFound, "m.jsonl.txt": agent.CodeNotFound}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	if fmt.Sprint(len(w.shelf.docs), w.shelf.docs["docs/good.md"] != nil, w.shelf.docs["docs/full.md"] != nil, w.shelf.docs["same/one.md"] != nil) != "3 true true true" {
		t.Errorf("the corpus holds %d documents", len(w.shelf.docs))
	}
	if strings.Contains(fmt.Sprint(w.shelf.docs), "secret") {
		t.Error("what a link leads to was read")
	}
}

func TestWhatOnesOwnUserMayNotReadIsTold(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read everything")
	}
	w := newWorld(t, map[string]string{"closed.md": "x", "closed/x.md": "x", "open.md": "x"})
	for _, name := range []string{"closed.md", "closed"} {
		path := filepath.Join(w.dir, name)
		w.must(os.Chmod(path, 0))
		t.Cleanup(func() { _ = os.Chmod(path, 0o700) })
	}
	sum := w.run()
	if len(sum.Problems) != 2 || agent.ErrorCode(sum.Problems[0].Err) != agent.CodeForbidden || agent.ErrorCode(sum.Problems[1].Err) != agent.CodeForbidden || sum.Ingested != 1 {
		t.Errorf("%s: %v", counts(sum), sum.Problems)
	}
}

func TestACorpusThatIsDownEndsTheRun(t *testing.T) {
	w := newWorld(t, map[string]string{"a.md": "x", "b.md": "x", "c.md": "x"})
	asked := 0
	w.shelf.put = func(string) error { asked++; return agent.Errorf(agent.CodeUnavailable, "Down.") }
	sum, err := w.try(t.Context())
	if agent.ErrorCode(err) != agent.CodeUnavailable || asked != 1 || sum.Ingested != 0 || len(sum.Problems) != 0 {
		t.Errorf("asked %d times: %s, %v", asked, counts(sum), err)
	}
	w.shelf.put = nil
	w.want(w.run(), "3 files, 3 ingested, 3 sections, 3 changed, 0 unchanged, 0 problems")
}

func TestAFileThatMovesLeavesNothingAtItsOldPath(t *testing.T) {
	w := newWorld(t, map[string]string{"a.md": "path: x/a.md\n", "b.md": "path: x/b.md\n"})
	w.run()
	w.write("a.md", "path: x/b.md\n")
	w.write("b.md", "path: x/a.md\n")
	w.run() // they changed places
	w.run()
	if len(w.shelf.docs) != 2 || !strings.Contains(fmt.Sprint(w.shelf.docs["x/a.md"]), "path: x/a.md") {
		t.Errorf("the corpus holds %v", w.shelf.docs)
	}
	w.write("a.md", "path: y/new.md\n")
	w.run()
	if len(w.shelf.docs) != 2 || w.shelf.docs["y/new.md"] == nil || w.shelf.docs["x/b.md"] != nil {
		t.Errorf("the corpus holds %v", w.shelf.docs)
	}
}

func TestProgressIsToldAfterEachFile(t *testing.T) {
	w := newWorld(t, map[string]string{"a.md": "1\n2\n", "b.md": "\xff", "c.md": "3\n"})
	var told []ingest.Progress
	_, err := ingest.Run(t.Context(), ingest.Config{Corpus: w.shelf, Scope: scope, Cut: cut, Tell: func(p ingest.Progress) { told = append(told, p) }}, []string{w.dir})
	w.must(err)
	if want := []ingest.Progress{{Done: 1, Total: 3, Sections: 2}, {Done: 2, Total: 3, Sections: 2}, {Done: 3, Total: 3, Sections: 3}}; fmt.Sprint(told) != fmt.Sprint(want) {
		t.Errorf("told %v, want %v", told, want)
	}
}

// FuzzMemory checks that whatever stands in the list, the corpus ends up right.
func FuzzMemory(f *testing.F) {
	f.Add([]byte(`{"v":1,"file":"docs/a.md","sha256":"00","source":"docs/other.md"}` + "\n"))
	f.Add([]byte("{\n\x00\xff"))
	f.Add([]byte(`{"v":9,"file":"docs/a.md"}` + "\n" + `{"v":1,"file":"","source":""}` + "\n"))
	f.Fuzz(func(t *testing.T, list []byte) {
		w := newWorld(t, map[string]string{"a.md": "one\n"})
		w.must(os.MkdirAll(filepath.Dir(w.memory), 0o700))
		w.must(os.WriteFile(w.memory, list, 0o600))
		sum := w.run()
		if sum.Ingested+sum.Unchanged != 1 || sum.Ingested == 1 && w.shelf.docs["docs/a.md"] == nil {
			t.Errorf("%s: %v", counts(sum), w.shelf.docs)
		}
		w.want(w.run(), "1 files, 0 ingested, 0 sections, 0 changed, 1 unchanged, 0 problems")
	})
}
