package server_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/capability"
	"github.com/lossless-group/in-app-agent/provider/scripted"
	"github.com/lossless-group/in-app-agent/server"
)

// notes is the app: a few notes, by org.
type notes map[string]string

type noteRef struct {
	ID string `json:"id" jsonschema:"the note's id"`
}

func (n notes) read(_ context.Context, _ *agent.Call, in noteRef) (string, error) {
	text, ok := n[in.ID]
	if !ok {
		return "", agent.NotFound("note")
	}
	return text, nil
}

// notebook tells the agent what only the app knows.
type notebook struct{}

func (notebook) OpenProject(ctx context.Context, kind, id string) (agent.Project, error) {
	p, err := agent.PrincipalFrom(ctx)
	if err != nil {
		return agent.Project{}, err
	}
	if id != p.OrgSlug+"-notes" { // each org has one notebook, and opens no other
		return agent.Project{}, agent.NotFound("project")
	}
	return agent.Project{ID: id, Kind: "notebook", Title: "Notes"}, nil
}

func (notebook) ResolveNoun(context.Context, agent.Project, string, string) (agent.Noun, error) {
	return agent.Noun{}, agent.NotFound("noun")
}
func (notebook) Facts(context.Context, agent.Project) ([]agent.Fact, error) { return nil, nil }
func (notebook) Suggestions(context.Context, agent.Project, string) ([]agent.Suggestion, error) {
	return nil, nil
}

func Example() {
	data, err := os.MkdirTemp("", "notes")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(data)

	// 1. What the agent may do.
	app := notes{"n1": "Buy milk."}
	reg := capability.NewRegistry()
	reg.Add(capability.Func(capability.Spec{
		Name: "note.read", Title: "Read a note", Description: "Gives the text of a note.",
		Kind: agent.KindRead, Tier: agent.TierViewer,
	}, app.read))

	// 2. Where it is served. Dev signs people in without a password, on loopback only.
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	hosts, origins := server.Loopback(l.Addr())
	srv, err := server.New(context.Background(), server.Config{
		App: "Notes", Data: data, Registry: reg, Host: notebook{},
		Hosts: hosts, Origins: origins, Dev: true,
		// A model for trying things out, without a key.
		Scripted: scripted.New(scripted.NewScript(
			scripted.Round{When: &scripted.When{ResultOf: "note.read"}, Text: scripted.Text{"It says: ${result}"}},
			scripted.Round{Calls: []scripted.Call{{Name: "note.read", Input: []byte(`{"id":"n1"}`)}}},
		), scripted.Options{}),
	})
	if err != nil {
		log.Fatal(err)
	}
	defer srv.Close(context.Background())
	go http.Serve(l, srv.Handler())

	// 3. A message, as the panel sends it.
	cookie := login(origins[0], "demo")
	events := say(origins[0], cookie, `{"projectId":"demo-notes","text":"What is on my list?"}`)
	fmt.Println(strings.Contains(events, "Buy milk."))
	// Output: true
}

// login signs in as one of the development users and gives the session cookie.
func login(origin, user string) string {
	res := post(origin, "/api/dev/login", "", `{"user":"`+user+`"}`)
	defer res.Body.Close()
	return strings.SplitN(res.Header.Get("Set-Cookie"), ";", 2)[0]
}

// say sends a message and gives the whole event stream of its turn.
func say(origin, cookie, body string) string {
	res := post(origin, "/api/agent/chat", cookie, body)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		log.Fatal(err)
	}
	return string(text)
}

func post(origin, path, cookie, body string) *http.Response {
	req, err := http.NewRequest(http.MethodPost, origin+path, strings.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Origin", origin)
	if cookie != "" {
		req.Header.Set("Cookie", cookie)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		log.Fatal(err)
	}
	return res
}
