package api

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/e2e/harness"
)

func TestASecondDemoOnTheSameDataContinuesWhereTheFirstWas(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{Programs: programs})
	demo := s.SignIn("demo")
	stream := demo.Chat(harness.Say("Give me a Chroma-style variant of slide 4."))
	preview := stream.Preview()
	demo.Accept(stream.Turn(), preview)
	stream.Completed()
	waiting := demo.Chat(harness.Say("Make slide 2 less corporate."))
	open := waiting.Preview()
	before := s.Repo("demo").Tip("HEAD")
	if code := s.Stop(); code != 0 {
		t.Errorf("the first ended with %d", code)
	}
	s.Restart()
	var list agent.Page[agent.Thread]
	demo.Must(http.StatusOK, "GET /threads", nil).Into(t, &list)
	if len(list.Items) != 2 || s.Repo("demo").Tip("HEAD") != before {
		t.Errorf("after the second start there are %d threads and the deck is at %s", len(list.Items), s.Repo("demo").Tip("HEAD"))
	}
	demo.Accept(waiting.Turn(), open)
	demo.Attach(waiting.Turn(), "").Completed()
	if n := len(s.Repo("demo").Merges()); n != 2 {
		t.Errorf("%d merge commits", n)
	}
	var deck struct{ Slides []struct{ ID string } }
	demo.Must(http.StatusOK, "GET /api/decks/demo-deck", nil).Into(t, &deck)
	if len(deck.Slides) != 8 {
		t.Errorf("the deck has %d slides", len(deck.Slides))
	}
}

func TestTheDemosPagesAnswer(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{Programs: programs})
	u := s.Anonymous()
	for what, want := range map[string]string{"GET /": "<!doctype html>", "GET /healthz": "ok", "GET /readyz": "ready"} {
		if a := u.Do(what, nil); a.Status != http.StatusOK || !strings.Contains(strings.ToLower(string(a.Body)), want) {
			t.Errorf("%s answered %s", what, a)
		}
	}
	page := u.Do("GET /", nil)
	if csp := page.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "frame-ancestors") || strings.Contains(csp, "script-src 'unsafe-inline'") {
		t.Errorf("the page's policy is %q", csp)
	}
	for _, what := range []string{"GET /threads", "GET /keys", "GET /capabilities", "GET /settings", "POST /chat"} {
		a := u.Do(what, nil)
		if a.Status != http.StatusUnauthorized || a.Problem().Code != agent.CodeUnauthenticated {
			t.Errorf("without a session %s answered %s", what, a)
		}
	}
	for _, user := range []string{"root", "", "DEMO", "user_demo"} {
		if a := u.Do("POST /api/dev/login", map[string]string{"user": user}); a.Status != http.StatusUnprocessableEntity {
			t.Errorf("signing in as %q answered %s", user, a)
		}
	}
}

func TestACommandThatCannotRunSaysWhatToDo(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{Programs: programs})
	address := strings.TrimPrefix(s.URL, "http://")
	here := t.TempDir()
	empty, text := filepath.Join(here, "empty"), filepath.Join(here, "config.yaml")
	if err := os.Mkdir(empty, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(text, []byte("model:\n  default: nobody-serves-this\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	data := func() []string { return []string{"--data", filepath.Join(t.TempDir(), "data")} }
	for name, c := range map[string]struct {
		args []string
		code int
		says []string
	}{
		"a port that is taken":       {append([]string{"demo", "--listen", address}, data()...), 1, []string{address, "--listen"}},
		"data in use":                {[]string{"demo", "--listen", "127.0.0.1:0", "--data", s.Data}, 1, []string{"in use", "data folder"}},
		"every address":              {append([]string{"demo", "--listen", "0.0.0.0:0"}, data()...), 2, []string{"this machine only", "127.0.0.1"}},
		"an address of the network":  {append([]string{"demo", "--listen", "192.0.2.1:8787"}, data()...), 2, []string{"this machine only"}},
		"every address of IPv6":      {append([]string{"demo", "--listen", "[::]:0"}, data()...), 2, []string{"this machine only"}},
		"no host":                    {append([]string{"demo", "--listen", ":0"}, data()...), 2, []string{"this machine only"}},
		"no port":                    {append([]string{"demo", "--listen", "127.0.0.1"}, data()...), 2, []string{"HOST:PORT"}},
		"a verb that is not":         {[]string{"dance"}, 2, []string{"dance", "--help"}},
		"no verb":                    {nil, 2, []string{"--help"}},
		"a flag that is not":         {[]string{"demo", "--port", "1"}, 2, []string{"--port"}},
		"a log format that is not":   {[]string{"demo", "--log-format", "xml"}, 2, []string{"xml"}},
		"a deck that is not":         {append([]string{"demo", "--listen", "127.0.0.1:0", "--deck", filepath.Join(here, "nowhere")}, data()...), 1, []string{"no such"}},
		"a folder without slides":    {append([]string{"demo", "--listen", "127.0.0.1:0", "--deck", empty}, data()...), 1, []string{"is a deck", "slides/"}},
		"a model that nobody serves": {append([]string{"demo", "--listen", "127.0.0.1:0", "--config", text}, data()...), 1, []string{"nobody-serves-this"}},
		"a job that is not":          {[]string{"jobs", "run", "dance"}, 2, []string{"dance"}},
	} {
		r := harness.Run(t, programs.Agent, c.args...)
		if r.Code != c.code {
			t.Errorf("%s: ended with %d, want %d: %s", name, r.Code, c.code, r.Stderr)
		}
		for _, word := range c.says {
			if !strings.Contains(strings.ToLower(r.Stderr), strings.ToLower(word)) {
				t.Errorf("%s: stderr lacks %q: %s", name, word, r.Stderr)
			}
		}
		if r.Stdout != "" || strings.Contains(r.Stderr, "goroutine ") {
			t.Errorf("%s: stdout %q, stderr %q", name, r.Stdout, r.Stderr)
		}
	}
	if r := harness.Run(t, programs.Agent, "version"); r.Code != 0 || !strings.Contains(r.Stdout, "in-app-agent") {
		t.Errorf("version: %+v", r)
	}
	if r := harness.Run(t, programs.Agent, "--help"); r.Code != 0 || !strings.Contains(r.Stdout, "demo") {
		t.Errorf("help: %+v", r)
	}
}

func TestAMasterKeyIsRotatedBesideARunningServer(t *testing.T) {
	t.Parallel()
	rng, _ := harness.Seed(t)
	s := start(t, rng)
	if r := harness.Run(t, programs.Agent, "keys", "rotate-master", "--data", s.Data); r.Code != 0 || !strings.Contains(r.Stdout, "sealed 1 keys") {
		t.Errorf("rotating ended with %+v", r)
	}
	s.lin.Chat(harness.Say("hello")).Completed()
	s.Restart()
	s.lin.Chat(harness.Say("hello again")).Completed()
	for _, seen := range s.provider.Requests(s.key) {
		if !*seen.Key.Equals {
			t.Error("after the rotation another key was sent")
		}
	}
}
