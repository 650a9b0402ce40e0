package server

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/capability"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

// asking is a server whose model asks to write a note, and how often that was done.
func asking(t *testing.T, away *Away) (*Server, *atomic.Int64) {
	t.Helper()
	written := &atomic.Int64{}
	type note struct {
		Text string `json:"text"`
	}
	c := config(t.TempDir())
	c.Registry.Add(capability.Confirming(capability.Spec{Name: "note.write", Title: "Write a note", Description: "Writes.", Kind: agent.KindPreview, Tier: agent.TierUser},
		capability.Confirm[note, string]{
			Resources: func(context.Context, *agent.Call, note) ([]agent.Resource, error) {
				return []agent.Resource{{ID: "note", Version: "1"}}, nil
			},
			Preview: func(_ context.Context, _ *agent.Call, in note) (agent.Preview, error) {
				return agent.Preview{Summary: "Write " + in.Text, Artifacts: []agent.Artifact{{Kind: agent.ArtifactMarkdown, Title: "Note", Text: "The words of " + in.Text}}}, nil
			},
			Apply: func(context.Context, *agent.Call, note, agent.Receipt) (string, error) {
				written.Add(1)
				return "done", nil
			},
		}))
	c.Scripted = scripted.New(scripted.NewScript(
		scripted.Round{When: &scripted.When{ResultOf: "note.write"}, Text: scripted.Text{"It is settled."}},
		scripted.Round{Calls: []scripted.Call{{Name: "note.write", Input: []byte(`{"text":"a poem"}`)}}},
	), scripted.Options{})
	c.Away = away
	return open(t, c), written
}

// hook is a webhook's other end; it hands on the first notice.
func hook(t *testing.T) (*httptest.Server, <-chan map[string]any) {
	t.Helper()
	got := make(chan map[string]any, 10)
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var p map[string]any
		if json.Unmarshal(body, &p) == nil {
			got <- p
		}
	}))
	t.Cleanup(srv.Close)
	return srv, got
}

func TestAPreviewIsApprovedAwayFromTheTab(t *testing.T) {
	receiver, told := hook(t)
	s, written := asking(t, &Away{BaseURL: "http://example.test", After: time.Nanosecond,
		Webhook: &AwayWebhook{URL: receiver.URL, Secret: agent.NewSecret("0123456789abcdef"), Private: true}})
	demo := signIn(t, s, "demo")
	w := ask(s, "POST", "/api/agent/chat", `{"projectId":"p","text":"Write a poem"}`, "Content-Type", "application/json", "Cookie", demo, "Origin", "http://example.test", "Accept", "application/json")
	var began struct{ Turn agent.Turn }
	if err := json.Unmarshal(w.Body.Bytes(), &began); err != nil || began.Turn.ID == "" {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	var p map[string]any
	select {
	case p = <-told:
	case <-time.After(20 * time.Second):
		t.Fatal("nobody was told")
	}
	if p["summary"] != "Write a poem" || p["title"] != "Write a note" || p["turnId"] != string(began.Turn.ID) {
		t.Fatalf("told %v", p)
	}
	link, err := url.Parse(p["url"].(string))
	if err != nil || link.Host != "example.test" {
		t.Fatalf("%v, %v", link, err)
	}
	scanner := ask(s, "GET", link.Path, "")
	stranger := ask(s, "GET", link.Path, "", "Cookie", signIn(t, s, "pay"))
	if scanner.Code != 401 || strings.Contains(scanner.Body.String(), "poem") || stranger.Code != 404 {
		t.Fatalf("a scanner got %d %s, a stranger %d", scanner.Code, scanner.Body, stranger.Code)
	}
	page := ask(s, "GET", link.Path, "", "Cookie", demo)
	if page.Code != 200 || !strings.Contains(page.Body.String(), "The words of a poem") {
		t.Fatalf("%d %s", page.Code, page.Body)
	}
	_, rest, _ := strings.Cut(page.Body.String(), `name="form" value="`)
	form, _, _ := strings.Cut(rest, `"`)
	answer := func() *httptest.ResponseRecorder {
		return ask(s, "POST", link.Path, url.Values{"form": {form}, "decision": {"accept"}}.Encode(),
			"Content-Type", "application/x-www-form-urlencoded", "Origin", "http://example.test", "Cookie", demo)
	}
	if written.Load() != 0 {
		t.Fatal("looking wrote")
	}
	if got := answer(); got.Code != 200 || !strings.Contains(got.Body.String(), "Accepted") {
		t.Fatalf("%d %s", got.Code, got.Body)
	}
	events := ask(s, "GET", "/api/agent/turns/"+string(began.Turn.ID)+"/events", "", "Cookie", demo).Body.String()
	if !strings.Contains(events, `"state":"applied"`) || !strings.Contains(events, "event: turn.completed") {
		t.Fatalf("the turn went %s", events)
	}
	if again := answer(); again.Code != 410 || written.Load() != 1 {
		t.Fatalf("again: %d, written %d times", again.Code, written.Load())
	}
	if len(told) != 0 {
		t.Error("it was told twice")
	}
	rows, err := s.store.AuditAfter(agent.WithPrincipal(t.Context(), agent.Principal{UserID: "user_demo", OrgID: "org_demo"}), 0, 10)
	if err != nil || len(rows) != 1 || rows[0].Action != agent.AuditLinkDecided || rows[0].Actor != "user_demo" {
		t.Errorf("the audit log tells %+v, %v", rows, err)
	}
}

func TestAWayToPeopleThatCannotWorkStopsTheStart(t *testing.T) {
	good := func() *AwayWebhook {
		return &AwayWebhook{URL: "https://hook.example/", Secret: agent.NewSecret("0123456789abcdef")}
	}
	for name, c := range map[string]struct {
		away Away
		ok   bool
	}{
		"good":                     {Away{Webhook: good()}, true},
		"no channel is no way":     {Away{BaseURL: "https://agent.example"}, true},
		"an address that is none":  {Away{BaseURL: "nope"}, false},
		"a login that is none":     {Away{LoginURL: "/login"}, false},
		"a script for a link":      {Away{BaseURL: "javascript://agent.example"}, false},
		"a wait below zero":        {Away{After: -1}, false},
		"an address of another":    {Away{BaseURL: "https://other.example", Webhook: good()}, false},
		"an address with a path":   {Away{BaseURL: "http://example.test/x", Webhook: good()}, false},
		"a hook without a secret":  {Away{Webhook: &AwayWebhook{URL: "https://hook.example/"}}, false},
		"mail without a sender":    {Away{Mail: &AwayMail{Server: "mail.example:587"}}, false},
		"mail in the clear abroad": {Away{Mail: &AwayMail{Server: "mail.example:25", From: "a@b.example", Security: "none"}}, false},
	} {
		cfg := config(t.TempDir())
		cfg.Away = &c.away
		s, err := New(context.Background(), cfg)
		if (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			if err := s.Close(context.Background()); err != nil {
				t.Error(err)
			}
		}
	}
}
