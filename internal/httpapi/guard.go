package httpapi

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

// guarded puts everything that holds for every request around the routes, outside
// in: an id, headers, a panic's end, the host, the origin.
func (a *api) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = identified(r, a.IDs)
		harden(w.Header(), requestID(r.Context()))
		track := &tracker{ResponseWriter: w}
		defer a.recovered(track, r)
		if !a.hostAllowed(r) {
			Misdirected(track, r)
			return
		}
		if err := a.sameOrigin(r); err != nil {
			a.fail(track, r, err)
			return
		}
		next.ServeHTTP(track, r)
	})
}

// Identified gives each request its id before anybody answers it: in the context and
// in the header of the answer.
func Identified(ids agent.IDSource, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = identified(r, ids)
		w.Header().Set(requestHeader, requestID(r.Context()))
		next.ServeHTTP(w, r)
	})
}

// identified gives a request an id, unless a server around us did already.
func identified(r *http.Request, ids agent.IDSource) *http.Request {
	if requestID(r.Context()) != "" {
		return r
	}
	return r.WithContext(context.WithValue(r.Context(), requestKey{}, ids("req")))
}

type requestKey struct{}

const requestHeader = "X-Request-Id"

// requestID gives the id of the request of a context, "" outside of one.
func requestID(ctx context.Context) string {
	id, _ := ctx.Value(requestKey{}).(string)
	return id
}

// harden sets the headers of every answer: nothing here is a page, nothing may
// frame it, guess its type, keep it or read it from another origin.
func harden(h http.Header, id string) {
	h.Set(requestHeader, id)
	h.Set("Content-Security-Policy", "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

// tracker remembers whether an answer has begun.
type tracker struct {
	http.ResponseWriter
	begun bool
}

func (t *tracker) WriteHeader(status int) {
	t.begun = true
	t.ResponseWriter.WriteHeader(status)
}

func (t *tracker) Write(p []byte) (int, error) {
	t.begun = true
	return t.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController reach flush and deadlines.
func (t *tracker) Unwrap() http.ResponseWriter { return t.ResponseWriter }

// recovered ends a panic with its request: the answer is a 500, or where one has
// begun the connection is cut, so that nobody takes half an answer for a whole.
func (a *api) recovered(t *tracker, r *http.Request) {
	v := recover()
	if v == nil {
		return
	}
	if err, ok := v.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(v)
	}
	a.log.LogAttrs(r.Context(), slog.LevelError, "request panicked",
		slog.String("request", requestID(r.Context())), slog.String("method", r.Method),
		slog.Any("panic", v), slog.String("stack", string(debug.Stack())))
	if t.begun {
		panic(http.ErrAbortHandler)
	}
	p := problemOf(r.Context(), nil)
	writeProblem(t, p.Status, p)
}

// principal checks the credential of a request. What is not clearly somebody is
// nobody.
func (a *api) principal(r *http.Request) (agent.Principal, error) {
	p, err := a.Authenticate(r)
	var e *agent.Error
	switch {
	case errors.As(err, &e):
		return agent.Principal{}, err
	case err != nil || p.UserID == "" || p.OrgID == "":
		return agent.Principal{}, agent.Wrap(agent.CodeUnauthenticated, err, "Please sign in.")
	}
	return p, nil
}

// hostAllowed compares the Host with the list, exactly but for case: a name that
// was rebound to our address is not ours.
func (a *api) hostAllowed(r *http.Request) bool {
	return slices.ContainsFunc(a.Hosts, func(h string) bool { return strings.EqualFold(h, r.Host) })
}

// Misdirected refuses a Host that is not ours.
func Misdirected(w http.ResponseWriter, r *http.Request) {
	harden(w.Header(), requestID(r.Context()))
	p := problemOf(r.Context(), agent.Errorf(agent.CodeInvalidRequest, "This server does not answer for that host name."))
	p.Status, p.Title = http.StatusMisdirectedRequest, http.StatusText(http.StatusMisdirectedRequest)
	p.Hint = "Use the address that the server printed when it started, or add the name to its configured hosts."
	writeProblem(w, p.Status, p)
}

func randomID(prefix string) string {
	var b [12]byte
	_, _ = rand.Read(b[:]) // never fails: the runtime ends the process instead
	return prefix + "_" + hex.EncodeToString(b[:])
}
