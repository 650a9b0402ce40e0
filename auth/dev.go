package auth

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"slices"

	agent "github.com/lossless-group/in-app-agent"
)

// DevPath is where the development login is mounted.
const DevPath = "/api/dev/login"

// DevConfig sets up the development login. It must be mounted only on a server
// that was started with --dev or as the demo, and only on loopback.
type DevConfig struct {
	Auth *Auth
	// Origins lists the exact origins that may sign in, such as
	// http://127.0.0.1:8787. The Host header plays no part: a rebound name would
	// agree with itself.
	Origins []string
	Log     *slog.Logger
}

// Dev gives the handler of POST /api/dev/login {"user": NAME}. It sets the session
// cookie and answers with the user, or with a problem document.
func Dev(c DevConfig) http.Handler {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.Header().Set("Allow", http.MethodPost)
			writeProblem(w, http.StatusMethodNotAllowed,
				agent.Errorf(agent.CodeInvalidRequest, "This address takes POST only."))
			return
		}
		login, err := c.login(w, r)
		if err != nil {
			if agent.ErrorCode(err).Status() >= http.StatusInternalServerError {
				c.Log.ErrorContext(r.Context(), "development login failed", "error", err)
			}
			writeProblem(w, agent.ErrorCode(err).Status(), err)
			return
		}
		http.SetCookie(w, login.Cookie)
		p := login.Principal
		writeJSON(w, http.StatusOK, "application/json", map[string]any{"user": agent.UserInfo{
			ID: p.UserID, Name: p.UserName, Org: p.OrgSlug, Tier: p.Tier, Billing: p.Billing,
		}})
	})
}

func (c DevConfig) login(w http.ResponseWriter, r *http.Request) (Login, error) {
	if !slices.Contains(c.Origins, r.Header.Get("Origin")) {
		return Login{}, &agent.Error{Code: agent.CodeForbidden,
			Message: "The development login answers only to its own page.",
			Hint:    "Send the header Origin with the exact address that the server listens on."}
	}
	name, err := readUser(w, r)
	if err != nil {
		return Login{}, err
	}
	user, ok := devUser(name)
	if !ok {
		return Login{}, &agent.Error{Code: agent.CodeInvalidInput, Pointer: "/user",
			Message: "There is no such development user.", Hint: "Choose one of demo, lin, pay, adm and view."}
	}
	return c.Auth.Issue(context.WithoutCancel(r.Context()), user.ID, user.Org)
}

// readUser reads {"user": NAME}, and nothing else.
func readUser(w http.ResponseWriter, r *http.Request) (string, error) {
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/json" {
		return "", agent.Errorf(agent.CodeUnsupportedMedia, "The body must be application/json.")
	}
	dec := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<10))
	dec.DisallowUnknownFields()
	var body struct{ User *string }
	if err := dec.Decode(&body); err != nil || body.User == nil {
		var long *http.MaxBytesError
		if errors.As(err, &long) {
			return "", agent.Errorf(agent.CodeTooLarge, "The body is too long.")
		}
		return "", agent.Errorf(agent.CodeInvalidRequest, `The body must be {"user": NAME}.`)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return "", agent.Errorf(agent.CodeInvalidRequest, `The body must be {"user": NAME} and nothing more.`)
	}
	return *body.User, nil
}

func writeProblem(w http.ResponseWriter, status int, err error) {
	p := map[string]any{
		"type": "about:blank", "title": http.StatusText(status), "status": status,
		"code": agent.ErrorCode(err), "message": agent.ErrorMessage(err),
	}
	// The server around this handler has given the request an id.
	if id := w.Header().Get("X-Request-Id"); id != "" {
		p["requestId"] = id
	}
	var e *agent.Error
	if errors.As(err, &e) && e.Code != agent.CodeInternal {
		if e.Hint != "" {
			p["hint"] = e.Hint
		}
		if e.Pointer != "" {
			p["pointer"] = e.Pointer
		}
	}
	writeJSON(w, status, "application/problem+json", p)
}

func writeJSON(w http.ResponseWriter, status int, media string, v any) {
	h := w.Header()
	h.Set("Content-Type", media)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client is gone: nobody to tell
}
