package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// Problem is an error as it travels: RFC 9457, with our members beside its own.
type Problem struct {
	Type      string     `json:"type"`
	Title     string     `json:"title"`
	Status    int        `json:"status"`
	Code      agent.Code `json:"code"`
	Message   string     `json:"message"`
	Hint      string     `json:"hint,omitempty"`
	Pointer   string     `json:"pointer,omitempty"`
	RequestID string     `json:"requestId,omitempty"`
	// TurnID, KeyID, Provider, KeySource and Panel complete key_required and key_invalid.
	TurnID   agent.TurnID `json:"turnId,omitempty"`
	KeyID    string       `json:"keyId,omitempty"`
	Provider string       `json:"provider,omitempty"`
	// KeySource says whose key was refused; what is not the person's own has no Panel.
	KeySource agent.KeySource `json:"keySource,omitempty"`
	Panel     string          `json:"panel,omitempty"`
}

// panelBYOK names the panel that a 402 opens.
const panelBYOK = "byok"

// problemOf makes the problem of an error. An internal one says nothing more than
// that; what is not ours is internal.
func problemOf(ctx context.Context, err error) Problem {
	code := agent.ErrorCode(err)
	p := Problem{
		Type: "about:blank", Status: code.Status(), Code: code,
		Message: agent.ErrorMessage(err), RequestID: requestID(ctx),
	}
	if p.Status == http.StatusInternalServerError {
		p.Code, p.Message = agent.CodeInternal, agent.ErrorMessage(nil)
	}
	p.Title = http.StatusText(p.Status)
	var e *agent.Error
	if errors.As(err, &e) && p.Code != agent.CodeInternal {
		p.Hint, p.Pointer = e.Hint, e.Pointer
		p.KeyID, p.Provider, p.KeySource, p.Panel = e.KeyID, e.Provider, e.KeySource, e.Panel
	}
	var turn turnFault
	if errors.As(err, &turn) {
		p.TurnID = turn.turn
	}
	if p.Status == http.StatusPaymentRequired && ownKey(p.KeySource) {
		p.Panel = panelBYOK
	}
	return p
}

// ownKey reports whether a key is one that the person can enter; an error that does not
// say whose it was is about their own.
func ownKey(k agent.KeySource) bool { return k != agent.KeySourceOrg && k != agent.KeySourceNone }

// severity is how loud a failure is logged: a request that is put off is no fault.
func severity(code agent.Code) slog.Level {
	switch code {
	case agent.CodeOverloaded, agent.CodeStorageBusy, agent.CodeUnavailable:
		return slog.LevelWarn
	}
	return slog.LevelError
}

// fail answers a request with the problem of an error and logs what is our fault.
func (a *api) fail(w http.ResponseWriter, r *http.Request, err error) {
	p := problemOf(r.Context(), err)
	if p.Status >= http.StatusInternalServerError {
		a.log.LogAttrs(r.Context(), severity(p.Code), "request failed",
			slog.String("request", p.RequestID), slog.String("method", r.Method),
			slog.String("route", r.Pattern), slog.Any("error", err))
	}
	refuse(w, p, err)
}

// refuse writes the problem of an error with the headers that go with it.
func refuse(w http.ResponseWriter, p Problem, err error) {
	var e *agent.Error
	if errors.As(err, &e) && e.RetryAfter > 0 {
		w.Header().Set("Retry-After", seconds(e.RetryAfter))
	}
	if p.Status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	writeProblem(w, p.Status, p)
}

// Fail answers a request outside of /api/agent with the problem of an error, so that
// a server's errors all have one form. The caller logs what is its fault.
func Fail(w http.ResponseWriter, r *http.Request, err error) {
	harden(w.Header(), requestID(r.Context()))
	refuse(w, problemOf(r.Context(), err), err)
}

// seconds rounds up, so that nobody comes back too early.
func seconds(d time.Duration) string {
	return strconv.Itoa(max(1, int(math.Ceil(d.Seconds()))))
}

// writeProblem writes a problem, or a body that carries a problem's members.
func writeProblem(w http.ResponseWriter, status int, body any) {
	writeAs(w, status, "application/problem+json", body)
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	writeAs(w, status, "application/json", body)
}

func writeAs(w http.ResponseWriter, status int, media string, body any) {
	data, err := json.Marshal(body)
	if err != nil { // a payload of a host that is no JSON
		panic("httpapi: an answer cannot be written: " + err.Error())
	}
	h := w.Header()
	h.Set("Content-Type", media)
	h.Set("Content-Length", strconv.Itoa(len(data)+1))
	w.WriteHeader(status)
	_, _ = w.Write(append(data, '\n')) // the client is gone: nobody to tell
}
