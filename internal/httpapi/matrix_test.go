package httpapi

import (
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

// concrete fills a path of the table with ids that alice owns, or with ones that
// nobody does.
func concrete(path string, missing bool) string {
	if path == "/transparency" {
		return path + map[bool]string{false: "?threadId=th1", true: "?threadId=none"}[missing]
	}
	id := map[string]string{"turns": "tn1", "threads": "th1", "keys": "ky1", "calls": "cl1", "permissions": "pm1"}[strings.Split(path, "/")[1]]
	digest, file := strings.Repeat("a", 64), "gotchas"
	if missing {
		id, digest, file = "none", strings.Repeat("b", 64), "none"
	}
	return strings.NewReplacer("{id}", id, "{digest}", digest, "{file}", file).Replace(path)
}

// goodBody is a body that the operation takes.
func goodBody(op Operation) string {
	return bases[op.Method+" "+concrete(op.Path, false)]
}

// tenanted lists the operations whose answer depends on an id, in path or body. The name
// of a reminder file is the same in every org.
func tenanted(op Operation) bool {
	return !strings.Contains(op.Path, "{file}") && (strings.Contains(op.Path, "{") || op.Client == "transparency" || op.Client == "confirm" || op.Client == "feedback")
}

func matrixDesk(t *testing.T) *desk {
	d := ended(t)
	d.ports.blob = agent.Blob{MIME: "image/png", Data: []byte("x")}
	d.agent.decide = func(agent.DecisionRequest) ([]agent.Outcome, error) { return nil, nil }
	return d
}

func TestEveryRouteRefusesWhoIsNobody(t *testing.T) {
	for _, op := range Operations {
		for _, missing := range []bool{false, true} {
			d := matrixDesk(t)
			before := len(d.agent.started)
			rec := d.do(as("", request(op.Method, concrete(op.Path, missing), goodBody(op))))
			if p := problem(t, rec); p.Status != 401 || p.Code != agent.CodeUnauthenticated {
				t.Errorf("%s: %s", op.Client, rec.Body)
			}
			if len(d.agent.started) != before || len(d.agent.stopped) != 0 || len(d.ports.keys) != 0 || d.ports.deleted != "" {
				t.Errorf("%s did something for nobody", op.Client)
			}
		}
	}
}

func TestWhatBelongsToSomebodyElseIsAsIfItWereNotThere(t *testing.T) {
	for _, op := range Operations {
		if !tenanted(op) {
			continue
		}
		for _, who := range []string{"bob", "mallory"} {
			d := matrixDesk(t)
			theirs := d.do(as(who, request(op.Method, concrete(op.Path, false), goodBody(op))))
			body := strings.NewReplacer("tn1", "none").Replace(goodBody(op))
			missing := d.do(as(who, request(op.Method, concrete(op.Path, true), body)))
			if p := problem(t, theirs); p.Status != 404 {
				t.Errorf("%s as %s: %s", op.Client, who, theirs.Body)
			}
			if theirs.Body.String() != missing.Body.String() || !reflect.DeepEqual(theirs.Header(), missing.Header()) {
				t.Errorf("%s as %s tells theirs from missing:\n%s%s", op.Client, who, theirs.Body, missing.Body)
			}
		}
	}
}

func TestEveryRouteServesItsOwner(t *testing.T) {
	for _, op := range Operations {
		d := matrixDesk(t)
		r := request(op.Method, concrete(op.Path, false), goodBody(op))
		if op.Client == "chat" {
			r.Header.Set("Accept", "application/json")
		}
		if op.Client == "watchThread" {
			continue // it never ends by itself; stream_test.go follows one
		}
		if rec := d.do(r); rec.Code >= 300 {
			t.Errorf("%s: %d %s", op.Client, rec.Code, rec.Body)
		}
	}
}

func TestHeadAnswersAsGetDoesWithoutContent(t *testing.T) {
	for _, op := range Operations {
		if op.Method != "GET" || op.Stream {
			continue
		}
		d := matrixDesk(t)
		server := httptest.NewServer(d.handler)
		answered := func(method, who string) *http.Response {
			r := as(who, request(method, concrete(op.Path, false), ""))
			r.RequestURI, r.URL.Host, r.Body = "", strings.TrimPrefix(server.URL, "http://"), nil
			res, err := server.Client().Do(r)
			if err != nil {
				t.Fatal(err)
			}
			res.Header.Del("Date")
			return res
		}
		for _, who := range []string{"alice", "bob", ""} {
			get, head := answered("GET", who), answered("HEAD", who)
			content, err := io.ReadAll(head.Body)
			if err != nil || len(content) != 0 || head.StatusCode != get.StatusCode || !reflect.DeepEqual(head.Header, get.Header) {
				t.Errorf("%s as %q: %d %v and %d %v, %d bytes, %v", op.Client, who, get.StatusCode, get.Header, head.StatusCode, head.Header, len(content), err)
			}
			_, _ = get.Body.Close(), head.Body.Close()
		}
		server.Close()
	}
}

func TestTheTableNamesEachOperationOnce(t *testing.T) {
	clients, routes := make(map[string]bool), make(map[string]bool)
	handlers := (&api{}).handlers()
	for _, op := range Operations {
		route := op.Method + " " + op.Path
		if clients[op.Client] || routes[route] || handlers[op.Client] == nil {
			t.Errorf("%+v is there twice or has no handler", op)
		}
		clients[op.Client], routes[route] = true, true
	}
	if len(handlers) != len(Operations) {
		t.Errorf("%d handlers for %d operations", len(handlers), len(Operations))
	}
}

func TestAPresenterWithoutAPortDoesNotStart(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("it started")
		}
	}()
	New(Config{})
}
