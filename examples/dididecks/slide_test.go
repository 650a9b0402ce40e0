package dididecks

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

func TestAVariantIsShownOnASideBranchAndMergedOnAccept(t *testing.T) {
	a := newApp(t, Options{})
	d := a.decks[0]
	before := snapshotFiles(t, d)
	call := newCall(ana, "slide.variant", "call_1", map[string]any{"deck_id": DemoDeckID, "slide_id": "04", "style": "chroma"})
	r := shown(t, a, call)

	branches := sideBranches(t, d)
	if len(branches) != 1 || branches[0].Name != "chat/slide-04-chroma-20260504-120000" {
		t.Fatalf("side branches: %+v", branches)
	}
	if now := snapshotFiles(t, d); fmt.Sprint(now) != fmt.Sprint(before) {
		t.Fatal("a preview changed the working branch")
	}
	page, diff := artifact(r, agent.ArtifactHTML), artifact(r, agent.ArtifactDiff)
	if !strings.Contains(page, "data-look=\"chroma\"") || !strings.Contains(page, "<!doctype html>") || !strings.HasPrefix(diff, "--- a/slides/04-") {
		t.Fatalf("the preview shows\n%.200s\nand\n%.200s", page, diff)
	}
	if len(r.Resources) == 0 || !strings.HasPrefix(r.Resources[0].ID, "deck/"+DemoDeckID+"/slides/04-") {
		t.Fatalf("the resources are %+v", r.Resources)
	}

	out, err := accept(t, a, call, r)
	must(t, err)
	after := snapshotFiles(t, d)
	for p, text := range before {
		if strings.HasPrefix(p, "slides/04-") && strings.HasSuffix(p, ".html") {
			if after[p] == text {
				t.Error("the slide is as it was")
			}
		} else if after[p] != text {
			t.Errorf("%s changed as well", p)
		}
	}
	if len(after) != len(before) || mergeCount(t, d) != 1 || len(sideBranches(t, d)) != 0 || out.Branch != d.Working {
		t.Errorf("%d files, %d merges, %d side branches, %+v", len(after), mergeCount(t, d), len(sideBranches(t, d)), out)
	}
	done, result, err := capabilityOf(t, a, "slide.variant").Verify(t.Context(), call)
	if err != nil || !done || !strings.Contains(string(result.Output), out.Commit) {
		t.Errorf("verify: %v, %v, %s", done, err, result.Output)
	}
}

func TestAPublishedBranchNeverMoves(t *testing.T) {
	a := newApp(t, Options{})
	d := a.decks[0]
	published, err := d.repo.Tip(t.Context(), "main")
	must(t, err)
	call := newCall(ana, "slide.edit", "call_1", map[string]any{"slide_id": "1", "instruction": "make it dark"})
	_, err = accept(t, a, call, shown(t, a, call))
	must(t, err)
	if now, _ := d.repo.Tip(t.Context(), "main"); now != published || d.Working == "main" {
		t.Fatal("the published branch moved")
	}
}

func TestTheWorkingBranchIsNeverAPublishedOne(t *testing.T) {
	for manifest, want := range map[string]string{
		"title: x\n": "work", "published: work\n": "draft", "published: [main, work]\nworking: mine\n": "mine", "published: work\nworking: work\n": "",
	} {
		dir := plainDeck(t)
		must(t, os.WriteFile(filepath.Join(dir, "deck.yaml"), []byte(manifest), 0o644))
		userGit(t, dir, "commit", "-qam", "manifest")
		a, err := Open(t.Context(), Options{DataDir: t.TempDir(), Path: dir, Orgs: []string{"one"}})
		if want == "" {
			if agent.ErrorCode(err) != agent.CodePolicyDenied {
				t.Errorf("%q: %v, want policy_denied", manifest, err)
			}
			continue
		}
		must(t, err)
		if a.decks[0].Working != want {
			t.Errorf("%q: the working branch is %s, want %s", manifest, a.decks[0].Working, want)
		}
	}
}

func TestABranchThatIsPublishedBetweenPreviewAndAcceptIsRefused(t *testing.T) {
	dir := plainDeck(t)
	a := newApp(t, Options{Path: dir})
	call := newCall(ana, "slide.edit", "call_1", map[string]any{"slide_id": "1", "instruction": "make it dark"})
	r := shown(t, a, call)
	must(t, os.WriteFile(filepath.Join(dir, "deck.yaml"), []byte("published: work\n"), 0o644))
	userGit(t, dir, "commit", "-qam", "publish")
	if _, err := accept(t, a, call, r); agent.ErrorCode(err) != agent.CodePolicyDenied {
		t.Fatalf("got %v, want policy_denied", err)
	}
}

func TestASlideThatMovedSinceThePreviewIsStale(t *testing.T) {
	for name, commit := range map[string]bool{"committed": true, "not committed": false} {
		t.Run(name, func(t *testing.T) {
			dir := plainDeck(t)
			a := newApp(t, Options{Path: dir})
			call := newCall(ana, "slide.edit", "call_1", map[string]any{"slide_id": "04", "instruction": "less corporate"})
			r := shown(t, a, call)
			file := filepath.Join(dir, "slides", "04-s.html")
			must(t, os.WriteFile(file, []byte("<p>mine</p>\n"), 0o644))
			if commit {
				userGit(t, dir, "commit", "-qam", "mine")
			}
			_, err := accept(t, a, call, r)
			if !errors.Is(err, agent.ErrStale) {
				t.Fatalf("got %v, want stale_preview", err)
			}
			if raw, _ := os.ReadFile(file); string(raw) != "<p>mine</p>\n" || mergeCount(t, a.decks[0]) != 0 {
				t.Fatal("the user's edit is gone")
			}
			_, err = show1(t.Context(), a, call)
			var told *agent.Error
			if commit && err != nil || !commit && (!errors.As(err, &told) || told.Code != agent.CodeConflict || told.Hint == "") {
				t.Fatalf("a new preview: %v", err)
			}
		})
	}
}

func TestAcceptsAtOnceEachHappenOnce(t *testing.T) {
	dir := plainDeck(t)
	a := newApp(t, Options{Path: dir})
	type one struct {
		call *agent.Call
		r    agent.Receipt
	}
	var all []one
	for i := range 10 {
		call := newCall(ana, "slide.edit", fmt.Sprintf("call_%d", i), map[string]any{"slide_id": fmt.Sprint(i + 1), "instruction": "less corporate"})
		all = append(all, one{call, shown(t, a, call)})
	}
	apply := capabilityOf(t, a, "slide.edit").Apply
	problems := make([]error, 20)
	var group sync.WaitGroup
	for i := range 20 { // each twice, as two replicas would
		group.Go(func() { _, problems[i] = apply(t.Context(), all[i/2].call, all[i/2].r) })
	}
	group.Wait()
	must(t, errors.Join(problems...))
	if n := mergeCount(t, a.decks[0]); n != 10 {
		t.Fatalf("%d merges, want 10", n)
	}
	for p, text := range snapshotFiles(t, a.decks[0]) {
		if strings.HasPrefix(p, "slides/") && strings.Contains(text, "synergy") {
			t.Errorf("%s was not changed", p)
		}
	}
	if status := userGit(t, dir, "status", "--porcelain"); status != "" {
		t.Errorf("the work tree: %s", status)
	}
}

func TestAnAcceptThatIsAskedAgainAfterACrashGivesTheSameMerge(t *testing.T) {
	a := newApp(t, Options{Path: plainDeck(t)})
	edit := capabilityOf(t, a, "slide.edit")
	call := newCall(ana, "slide.edit", "call_1", map[string]any{"slide_id": "04", "instruction": "less corporate"})
	r := shown(t, a, call)
	if done, _, err := edit.Verify(t.Context(), call); err != nil || done {
		t.Fatalf("before the accept: %v, %v", done, err)
	}
	first, err := accept(t, a, call, r)
	must(t, err)
	// The process died before it told anybody. The next one opens the same deck.
	b := newApp(t, Options{Path: a.opts.Path, DataDir: a.opts.DataDir})
	if done, result, err := capabilityOf(t, b, "slide.edit").Verify(t.Context(), call); err != nil || !done || !result.OK {
		t.Fatalf("after the crash: %v, %v", done, err)
	}
	second, err := accept(t, b, call, r)
	must(t, err)
	if first.Commit != second.Commit || mergeCount(t, b.decks[0]) != 1 {
		t.Fatalf("%s and %s, %d merges", first.Commit, second.Commit, mergeCount(t, b.decks[0]))
	}
}

func TestAMergedSideBranchThatACrashLeftGoesWhenTheMergeIsFound(t *testing.T) {
	a := newApp(t, Options{Path: plainDeck(t)})
	d := a.decks[0]
	call := newCall(ana, "slide.edit", "call_1", map[string]any{"slide_id": "04", "instruction": "less corporate"})
	open := newCall(ana, "slide.edit", "call_2", map[string]any{"slide_id": "05", "instruction": "less corporate"})
	merged, waiting := shown(t, a, call), shown(t, a, open)
	_, err := accept(t, a, call, merged)
	must(t, err)
	// The process died between the merge and the removal of the branch.
	var p proposal
	must(t, json.Unmarshal(merged.Preview.State, &p))
	must(t, d.repo.SetBranch(t.Context(), p.Branch, "", p.Commit))
	if done, _, err := capabilityOf(t, a, "slide.edit").Verify(t.Context(), call); err != nil || !done {
		t.Fatalf("after the crash: %v, %v", done, err)
	}
	must(t, json.Unmarshal(waiting.Preview.State, &p))
	if left := sideBranches(t, d); len(left) != 1 || left[0].Name != p.Branch {
		t.Fatalf("the side branches are %+v, want the one that waits", left)
	}
}

func TestADiscardRemovesTheSideBranchAndNothingElse(t *testing.T) {
	a := newApp(t, Options{Path: plainDeck(t)})
	d := a.decks[0]
	before := fmt.Sprint(snapshotFiles(t, d))
	call := newCall(ana, "slide.edit", "call_1", map[string]any{"slide_id": "04", "instruction": "less corporate"})
	r := shown(t, a, call)
	discard := capabilityOf(t, a, "slide.edit").Discard
	must(t, discard(t.Context(), call, r))
	must(t, discard(t.Context(), call, r)) // again: nothing to do
	if len(sideBranches(t, d)) != 0 || fmt.Sprint(snapshotFiles(t, d)) != before || mergeCount(t, d) != 0 {
		t.Fatal("something is left or changed")
	}
}

func TestWhatTheModelMustNotWriteIsRefusedAndLeavesNoBranch(t *testing.T) {
	a := newApp(t, Options{Path: plainDeck(t)})
	for name, text := range map[string]string{
		"a script": "<section>x<script>y</script></section>", "a handler": `<section onclick="x()">x</section>`, "nothing": "",
		"an open tag": "<section><div>x</section>", "the same": "<section>\n  <h2>Slide 04</h2>\n  <p>We leverage synergy.</p>\n</section>",
	} {
		call := newCall(ana, "slide.edit", "call_1", map[string]any{"slide_id": "04", "instruction": "x"})
		say(call, text)
		_, err := show1(t.Context(), a, call)
		var e *agent.Error
		if !errors.As(err, &e) || e.Code != agent.CodeToolError {
			t.Errorf("%s: %v, want tool_error", name, err)
		}
	}
	if left := sideBranches(t, a.decks[0]); len(left) != 0 {
		t.Errorf("left: %+v", left)
	}
}

func TestAStyleSheetBesideTheSlideMayChangeWithIt(t *testing.T) {
	a := newApp(t, Options{Path: plainDeck(t)})
	call := newCall(ana, "slide.edit", "call_1", map[string]any{"slide_id": "04", "instruction": "x"})
	say(call, "<section><h2>New</h2></section>\n=== css ===\nh2 { color: teal }\n")
	r := shown(t, a, call)
	if r.Preview.Summary != "Edit of slide 04 (slides/04-s.html and slides/04-s.css)" || !strings.Contains(artifact(r, agent.ArtifactHTML), "color: teal") {
		t.Errorf("%s\n%s", r.Preview.Summary, artifact(r, agent.ArtifactHTML))
	}
	_, err := accept(t, a, call, r)
	must(t, err)
	if got := snapshotFiles(t, a.decks[0])["slides/04-s.css"]; got != "h2 { color: teal }\n" {
		t.Errorf("the sheet is %q", got)
	}
}

func TestArgumentsOutOfBoundsAreRefused(t *testing.T) {
	a := newApp(t, Options{Path: plainDeck(t)})
	for name, c := range map[string]struct {
		capability string
		input      map[string]any
		code       agent.Code
	}{
		"no instruction":         {"slide.edit", map[string]any{"slide_id": "04", "instruction": "  "}, agent.CodeInvalidInput},
		"an instruction at":      {"slide.edit", map[string]any{"slide_id": "04", "instruction": strings.Repeat("a", maxInstruction)}, ""},
		"an instruction over":    {"slide.edit", map[string]any{"slide_id": "04", "instruction": strings.Repeat("a", maxInstruction+1)}, agent.CodeInvalidInput},
		"no style":               {"slide.variant", map[string]any{"slide_id": "04", "style": " "}, agent.CodeInvalidInput},
		"a style at":             {"slide.variant", map[string]any{"slide_id": "04", "style": strings.Repeat("a", maxStyle)}, ""},
		"a style over":           {"slide.variant", map[string]any{"slide_id": "04", "style": strings.Repeat("a", maxStyle+1)}, agent.CodeInvalidInput},
		"a style that escapes":   {"slide.variant", map[string]any{"slide_id": "04", "style": "../../x\x00 <script>"}, ""},
		"a slide outside":        {"slide.edit", map[string]any{"slide_id": "../../etc/passwd", "instruction": "x"}, agent.CodeNotFound},
		"a slide with null byte": {"slide.edit", map[string]any{"slide_id": "04\x00", "instruction": "x"}, agent.CodeNotFound},
		"no slide":               {"slide.edit", map[string]any{"slide_id": "99", "instruction": "x"}, agent.CodeNotFound},
		"another deck":           {"slide.edit", map[string]any{"deck_id": "other", "slide_id": "04", "instruction": "x"}, agent.CodeNotFound},
	} {
		_, err := show1(t.Context(), a, newCall(ana, c.capability, "call_1", c.input))
		if (c.code == "") != (err == nil) || (c.code != "" && agent.ErrorCode(err) != c.code) {
			t.Errorf("%s: %v, want %q", name, err, c.code)
		}
	}
}

func TestASlideThatIsTooLongIsNotRewritten(t *testing.T) {
	for name, c := range map[string]struct {
		size int
		code agent.Code
	}{"at the limit": {128 << 10, ""}, "over the limit": {128<<10 + 1, agent.CodeTooLarge}} {
		dir := plainDeck(t)
		frame := "<section><h2>Long</h2><p></p></section>\n"
		text := strings.Replace(frame, "<p>", "<p>"+strings.Repeat("x", c.size-len(frame)), 1)
		must(t, os.WriteFile(filepath.Join(dir, "slides", "04-s.html"), []byte(text), 0o644))
		userGit(t, dir, "commit", "-qam", "long")
		_, err := show1(t.Context(), newApp(t, Options{Path: dir}), newCall(ana, "slide.edit", "c", map[string]any{"slide_id": "04", "instruction": "make it dark"}))
		if (c.code == "") != (err == nil) || (c.code != "" && agent.ErrorCode(err) != c.code) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAnotherOrgsDeckDoesNotExist(t *testing.T) {
	a := newApp(t, Options{Orgs: []string{"one"}})
	for _, c := range a.Capabilities() {
		inputs := map[string]map[string]any{
			"slide.read": {"slide_id": "04"}, "slide.edit": {"slide_id": "04", "instruction": "x"}, "slide.variant": {"slide_id": "04", "style": "x"},
			"deck.export": {"format": "md"}, "deck.og_image": {"count": 1}, "deck.diagnostics": {},
		}
		for _, id := range []string{"", DemoDeckID, "none"} {
			input := inputs[c.Name]
			input["deck_id"] = id
			call := newCall(bo, c.Name, "call_1", input)
			if _, err := c.Handler(t.Context(), call); agent.ErrorCode(err) != agent.CodeNotFound {
				t.Errorf("%s of %q: %v, want not_found", c.Name, id, err)
			}
			if c.Resources == nil {
				continue
			}
			if _, err := c.Resources(t.Context(), call); agent.ErrorCode(err) != agent.CodeNotFound {
				t.Errorf("resources of %s of %q: %v, want not_found", c.Name, id, err)
			}
		}
	}
	mine := newCall(ana, "slide.edit", "call_1", map[string]any{"slide_id": "04", "instruction": "x"})
	r := shown(t, a, mine)
	theirs := newCall(bo, "slide.edit", "call_1", map[string]any{"slide_id": "04", "instruction": "x"})
	if _, err := accept(t, a, theirs, r); agent.ErrorCode(err) != agent.CodeNotFound {
		t.Errorf("accepting for another org: %v, want not_found", err)
	}
}

func TestEachOrgHasADemoDeckOfItsOwn(t *testing.T) {
	a := newApp(t, Options{})
	call := newCall(ana, "slide.edit", "call_1", map[string]any{"slide_id": "04", "instruction": "make it dark"})
	_, err := accept(t, a, call, shown(t, a, call))
	must(t, err)
	if mergeCount(t, a.decks[0]) != 1 || mergeCount(t, a.decks[1]) != 0 {
		t.Fatal("one org's change is in another's deck")
	}
	b := newApp(t, Options{DataDir: a.opts.DataDir})
	if mergeCount(t, b.decks[0]) != 1 {
		t.Fatal("a second start did not go on where the first was")
	}
	one, _ := newApp(t, Options{}).decks[0].repo.Tip(t.Context(), "main")
	two, _ := a.decks[1].repo.Tip(t.Context(), "main")
	if one != two {
		t.Fatal("the demo deck begins with another commit on another machine")
	}
}

func TestReadGivesSourceWordsAndNotesWithinBounds(t *testing.T) {
	dir := plainDeck(t)
	long := "<section><h2>Long</h2><p>" + strings.Repeat("ä", maxReadBytes) + "</p><aside class=\"notes\">Say it</aside></section>\n"
	must(t, os.WriteFile(filepath.Join(dir, "slides", "04-s.html"), []byte(long), 0o644))
	userGit(t, dir, "commit", "-qam", "long")
	a := newApp(t, Options{Path: dir})
	result, err := capabilityOf(t, a, "slide.read").Handler(t.Context(), newCall(ana, "slide.read", "c", map[string]any{"slide_id": "4"}))
	must(t, err)
	var out slideReadOut
	must(t, json.Unmarshal(result.Output, &out))
	if !out.Cut || len(out.Source) > maxReadBytes || out.Notes != "Say it" || out.SlideID != "04" || out.Title != "Long" || result.Display == nil {
		t.Errorf("cut %v, %d bytes, notes %q, %+v", out.Cut, len(out.Source), out.Notes, result.Display)
	}
	result, err = capabilityOf(t, a, "slide.read").Handler(t.Context(), newCall(ana, "slide.read", "c", map[string]any{"slide_id": "5"}))
	must(t, err)
	out = slideReadOut{}
	must(t, json.Unmarshal(result.Output, &out))
	if out.Cut || out.Text != "Slide 05\nWe leverage synergy." {
		t.Errorf("%+v", out)
	}
}
