package server

import (
	"net/http"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/httpapi"
)

// health gives the routes that a balancer asks, by path.
func (s *Server) health() map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{
		"/healthz": func(w http.ResponseWriter, _ *http.Request) { say(w, "ok\n") },
		"/readyz":  s.ready,
	}
}

// ready answers once the store does.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	if err := s.store.Ping(r.Context()); err != nil {
		s.log.Error("not ready", "error", err)
		httpapi.Fail(w, r, agent.Errorf(agent.CodeUnavailable, "The store does not answer."))
		return
	}
	say(w, "ready\n")
}

// say answers a word of now, which nobody keeps.
func say(w http.ResponseWriter, word string) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write([]byte(word)) // the client is gone: nobody to tell
}

// onlyRead refuses any method but GET and HEAD.
func onlyRead(w http.ResponseWriter, r *http.Request, serve http.HandlerFunc) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		httpapi.WrongMethod(w, r, "GET, HEAD")
		return
	}
	serve(w, r)
}
