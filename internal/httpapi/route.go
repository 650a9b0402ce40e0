package httpapi

import (
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

// routes builds the mux from the table: one pattern a path, so that a wrong method
// and an unknown path get a problem of ours and not the mux's text.
func (a *api) routes() http.Handler {
	handlers := a.handlers()
	byPath := make(map[string]map[string]handler)
	for _, op := range Operations {
		h, ok := handlers[op.Client]
		if !ok {
			panic("httpapi: no handler for " + op.Client)
		}
		if byPath[op.Path] == nil {
			byPath[op.Path] = make(map[string]handler)
		}
		byPath[op.Path][op.Method] = h
		if op.Method == http.MethodGet && !op.Stream { // net/http leaves the content out
			byPath[op.Path][http.MethodHead] = h
		}
	}
	mux := http.NewServeMux()
	for p, methods := range byPath {
		mux.Handle(Base+p, a.byMethod(methods))
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { a.fail(w, r, noRoute()) })
	return a.cleanPath(mux)
}

// byMethod picks the handler of the method, checks who asks and runs it.
func (a *api) byMethod(methods map[string]handler) http.Handler {
	allowed := make([]string, 0, len(methods))
	for m := range methods {
		allowed = append(allowed, m)
	}
	slices.Sort(allowed)
	allow := strings.Join(allowed, ", ")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h, ok := methods[r.Method]
		if !ok {
			WrongMethod(w, r, allow)
			return
		}
		p, err := a.principal(r)
		if err != nil {
			a.fail(w, r, err)
			return
		}
		if err := h(w, r.WithContext(agent.WithPrincipal(r.Context(), p))); err != nil {
			a.fail(w, r, err)
		}
	})
}

// cleanPath refuses a path that the mux would redirect: an API has one address
// for a thing.
func (a *api) cleanPath(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/") || path.Clean(r.URL.Path) != r.URL.Path {
			a.fail(w, r, noRoute())
			return
		}
		next.ServeHTTP(w, r)
	})
}

func noRoute() error { return agent.NotFound("address") }

// WrongMethod answers 405, the one status that no code of the list stands for; allow
// lists the methods that the address takes.
func WrongMethod(w http.ResponseWriter, r *http.Request, allow string) {
	p := problemOf(r.Context(), agent.Errorf(agent.CodeInvalidRequest, "This address does not take %s.", r.Method))
	p.Status, p.Title = http.StatusMethodNotAllowed, http.StatusText(http.StatusMethodNotAllowed)
	p.Hint = "Use " + allow + "."
	harden(w.Header(), p.RequestID)
	w.Header().Set("Allow", allow)
	writeProblem(w, p.Status, p)
}

var idForm = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,100}$`)

// id gives an id from the path. What cannot be one of ours does not exist.
func id(r *http.Request, name, what string) (string, error) {
	v := r.PathValue(name)
	if !idForm.MatchString(v) {
		return "", agent.NotFound(what)
	}
	return v, nil
}
