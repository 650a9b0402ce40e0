package server_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

// guideFiles gives the files that a guide shows, each named in the line before it.
func guideFiles(t *testing.T, path string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, m := range regexp.MustCompile("(?ms)^`([^`\n]+)`:\n\n```\\w+\n(.*?)^```").FindAllStringSubmatch(string(text), -1) {
		files[m[1]] = m[2]
	}
	return files
}

// guideModule writes the guide's Go files as a module of their own, which uses this
// one as a stranger's would, and gives its folder.
func guideModule(t *testing.T) string {
	t.Helper()
	here, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(here, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	const module = "github.com/lossless-group/in-app-agent"
	mod := strings.Replace(read("go.mod"), "module "+module, "module example.com/notes", 1)
	write("go.mod", mod+"\nrequire "+module+" v0.0.0\n\nreplace "+module+" => "+here+"\n")
	write("go.sum", read("go.sum"))
	files := guideFiles(t, "../docs/guides/embed-go.md")
	for _, name := range []string{"main.go", "signin.go"} {
		if files[name] == "" {
			t.Fatalf("the guide has no %s", name)
		}
		write(name, files[name])
	}
	return dir
}

// goIn runs the go command in a folder, without the network.
func goIn(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// guideDiff is what the guide's program shows of its note of one line, which gets
// three: counted, and none taken for a heading.
const guideDiff = `@@ -1 +1,3 @@
-Buy milk.
\ No newline at end of file
+Buy oat milk.
+@@ -1 +1 @@
+-a
\ No newline at end of file
`

func TestTheGuidesProgramIsVettedBuiltAndDoesWhatTheGuideSays(t *testing.T) {
	if testing.Short() {
		t.Skip("it links a program")
	}
	dir := guideModule(t)
	goIn(t, dir, "vet", ".")
	goIn(t, dir, "build", "-o", "notes", ".")
	if out, err := exec.CommandContext(t.Context(), "gofmt", "-l", dir).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("gofmt: %s %v", out, err)
	}
	for name, text := range map[string]string{"index.html": "<!doctype html>", "assets/page.js": "1"} {
		at := filepath.Join(dir, "page/dist", name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	origin := startGuide(t, dir)
	for path, want := range map[string]int{"/": 200, "/assets/page.js": 200, "/assets/": 404, "/assets": 404} {
		res, err := http.Get(origin + path)
		if err != nil {
			t.Fatal(err)
		}
		if res.Body.Close(); res.StatusCode != want {
			t.Errorf("%s: %d", path, res.StatusCode)
		}
	}
	res, err := http.Get(origin + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if body, err := io.ReadAll(res.Body); err != nil || res.StatusCode != http.StatusOK || string(body) != "ok\n" {
		t.Fatalf("/healthz: %d %q %v", res.StatusCode, body, err)
	}

	cookie := login(origin, "demo")
	ask := func() string { return say(origin, cookie, `{"projectId":"demo-notes","text":"What is on my list?"}`) }
	if !strings.Contains(ask(), "Buy milk.") {
		t.Error("the note is not read")
	}
	if said := say(origin, cookie, `{"projectId":"demo-notes","text":"write nothing: Buy oat milk."}`); !strings.Contains(said, "That did not work: There is no such note.") || strings.Contains(said, "is changed") {
		t.Errorf("a call that failed is answered with %s", said)
	}
	stream := post(origin, "/api/agent/chat", cookie, `{"projectId":"demo-notes","text":"write shopping: Buy oat milk.\n@@ -1 +1 @@\n-a"}`)
	defer stream.Body.Close()
	events := lines(stream.Body)
	var shown agent.PreviewShown
	turn := until(t, events, agent.EventPreview, &shown).Turn
	if len(shown.Artifacts) != 1 || !strings.HasSuffix(shown.Artifacts[0].Text, guideDiff) {
		t.Errorf("the preview shows %+v", shown.Artifacts)
	}
	decision, err := json.Marshal(agent.DecisionRequest{TurnID: turn, Decisions: []agent.Decision{
		{CallID: shown.CallID, ReceiptID: shown.ReceiptID, Decision: agent.AnswerAccept}}})
	if err != nil {
		t.Fatal(err)
	}
	post(origin, "/api/agent/confirm", cookie, string(decision)).Body.Close()
	var done agent.CapabilityDone
	until(t, events, agent.EventCapabilityDone, &done)
	if done.State != agent.EffectApplied || done.UndoUntil == 0 {
		t.Errorf("applied: %+v", done)
	}
	until(t, events, agent.EventTurnCompleted, &agent.TurnCompleted{})
	if !strings.Contains(ask(), "Buy oat milk.") {
		t.Error("the accepted change is not there")
	}
	undo(t, origin, cookie, shown.CallID)
	if !strings.Contains(ask(), "Buy milk.") {
		t.Error("the change was not taken back")
	}
}

// undo takes a change back and waits until it is.
func undo(t *testing.T, origin, cookie string, call agent.CallID) {
	t.Helper()
	res := post(origin, "/api/agent/calls/"+string(call)+"/undo", cookie, "")
	defer res.Body.Close()
	var answer struct{ Turn agent.Turn }
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil || res.StatusCode != http.StatusAccepted {
		t.Fatalf("undo: %d %v", res.StatusCode, err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, origin+"/api/agent/turns/"+string(answer.Turn.ID)+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Cookie", cookie)
	events, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer events.Body.Close()
	var done agent.CapabilityDone
	until(t, lines(events.Body), agent.EventCapabilityDone, &done)
	if done.Phase != agent.PhaseUndo || done.State != agent.EffectUndone {
		t.Errorf("undone: %+v", done)
	}
}

// startGuide runs the built program until the test ends and gives its address.
func startGuide(t *testing.T, dir string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "notes"), "-listen", "127.0.0.1:0", "-data", filepath.Join(dir, "data"))
	cmd.Dir = dir
	var log bytes.Buffer
	cmd.Stderr = &log
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // the test's context has ended by now
		_, _ = io.Copy(io.Discard, out)
		_ = cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != 0 {
			t.Errorf("the program ended with %d:\n%s", code, log.String())
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	origin, ok := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	if !ok {
		t.Fatalf("the program says %q, %v", line, err)
	}
	return origin
}

// lines reads a stream line by line; a preview is a long one.
func lines(r io.Reader) *bufio.Scanner {
	s := bufio.NewScanner(r)
	s.Buffer(nil, 1<<20)
	return s
}

// until reads a stream up to an event of a kind.
func until(t *testing.T, stream *bufio.Scanner, kind agent.EventKind, into any) agent.Event {
	t.Helper()
	for stream.Scan() {
		data, ok := strings.CutPrefix(stream.Text(), "data: ")
		var ev agent.Event
		if !ok || json.Unmarshal([]byte(data), &ev) != nil || ev.Kind != kind {
			continue
		}
		if err := ev.Decode(into); err != nil {
			t.Fatal(err)
		}
		return ev
	}
	t.Fatalf("the stream ends without %s: %v", kind, stream.Err())
	return agent.Event{}
}
