package away

import (
	"context"
	"crypto/hmac"
	"errors"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

// maxForm bounds the body of an answer.
const maxForm = 4 << 10

// Handler serves the page behind a link, under Path.
func (a *Away) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		harden(w.Header())
		if !slices.ContainsFunc(a.Hosts, func(h string) bool { return strings.EqualFold(h, r.Host) }) {
			a.say(w, http.StatusMisdirectedRequest, message{Title: "Not here", Text: "This server does not answer for that host name."})
			return
		}
		if err := a.serve(w, r); err != nil {
			a.refuse(w, r, err)
		}
	})
}

// harden sets the headers of every page: it runs nothing, loads nothing, is framed by
// nobody, kept by nobody, and its address goes nowhere.
func harden(h http.Header) {
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "same-origin") // with no-referrer a form would come from the origin null
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Robots-Tag", "noindex, nofollow")
}

// visit is a link that was opened by its own user.
type visit struct {
	who  agent.Principal
	link agent.ApprovalLink
	view agent.ApprovalView
}

func (a *Away) serve(w http.ResponseWriter, r *http.Request) error {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost:
	default:
		w.Header().Set("Allow", "GET, HEAD, POST")
		a.say(w, http.StatusMethodNotAllowed, message{Title: "Not like this", Text: "Open the link in a browser."})
		return nil
	}
	if r.Method == http.MethodPost {
		if err := sameOrigin(r); err != nil {
			return err
		}
	}
	id, expires, ok := a.open(strings.TrimPrefix(r.URL.Path, Path))
	if !ok {
		return noLink()
	}
	if a.now() >= expires {
		return tooOld()
	}
	// Before somebody signs in, nothing is looked up: a scanner learns and changes nothing.
	who, err := a.Authenticate(r)
	if err != nil || who.UserID == "" || who.OrgID == "" {
		var ours *agent.Error
		if errors.As(err, &ours) && ours.Code != agent.CodeUnauthenticated {
			return err
		}
		a.say(w, http.StatusUnauthorized, message{Title: "Please sign in", Text: "A change in " + a.App + " waits for you. Sign in to look at it, then open this link again. Nothing was decided.", Login: a.login(r)})
		return nil
	}
	ctx := agent.WithPrincipal(r.Context(), who)
	v := visit{who: who}
	if v.link, err = a.Links.ApprovalLink(ctx, id); err != nil {
		return err
	}
	if v.link.SpentAt != 0 {
		return used()
	}
	if v.view, err = a.Approvals.Approval(ctx, v.link.ReceiptID); err != nil {
		return err
	}
	if v.view.State != agent.ReceiptOpen {
		return answered(v.view.State)
	}
	if r.Method == http.MethodPost {
		return a.answer(ctx, w, r, v)
	}
	return a.show(ctx, w, v)
}

// answer takes the user's decision: it spends the link and decides, in this order, so
// that of two answers one is taken.
func (a *Away) answer(ctx context.Context, w http.ResponseWriter, r *http.Request, v visit) error {
	decision, err := a.form(w, r, v)
	if err != nil {
		return err
	}
	if err := a.Links.SpendLink(ctx, v.link.ID, a.now()); err != nil {
		if agent.ErrorCode(err) == agent.CodeConflict {
			return used()
		}
		return err
	}
	out, err := a.Agent.Decide(agent.WithApprovalLink(ctx, v.link.ID), agent.DecisionRequest{TurnID: v.view.TurnID,
		Decisions: []agent.Decision{{CallID: v.view.CallID, ReceiptID: v.view.ReceiptID, Decision: decision}}})
	if err != nil {
		if passes(err) {
			if free := a.Links.FreeLink(context.WithoutCancel(ctx), v.link.ID); free != nil {
				a.Log.Error("a link stays spent without a decision", "link", v.link.ID, "error", free)
			}
		}
		return err
	}
	m := message{Title: "Discarded", Text: "Nothing was changed."}
	switch {
	case len(out) > 0 && out[0].Outcome == agent.OutcomeStale:
		m = message{Title: "It has changed meanwhile", Text: "Nothing was applied. The change is worked out again, and you will be asked again."}
	case decision == agent.AnswerAccept:
		m = message{Title: "Accepted", Text: "The change is being made. " + a.App + " shows how it went."}
	}
	a.say(w, http.StatusOK, m)
	return nil
}

// passes tells whether the same answer may work in a moment.
func passes(err error) bool {
	switch agent.ErrorCode(err) {
	case agent.CodeStorageBusy, agent.CodeStorageFull, agent.CodeUnavailable, agent.CodeOverloaded, agent.CodeInternal, agent.CodeTimeout:
		return true
	}
	return false
}

// form reads an answer that was given on our own page, in the session that it was
// shown to.
func (a *Away) form(w http.ResponseWriter, r *http.Request, v visit) (string, error) {
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/x-www-form-urlencoded" {
		return "", agent.Errorf(agent.CodeUnsupportedMedia, "Answer with the form of the page.")
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		return "", agent.Wrap(agent.CodeInvalidRequest, err, "The form could not be read.")
	}
	if !hmac.Equal([]byte(r.PostForm.Get("form")), []byte(a.formToken(v.who.SessionID, v.link.ID))) {
		return "", &agent.Error{Code: agent.CodeForbidden, Message: "This form is not the one that you were shown.", Hint: "Open the link again."}
	}
	decision := r.PostForm.Get("decision")
	if decision != agent.AnswerAccept && decision != agent.AnswerDiscard {
		return "", agent.Errorf(agent.CodeInvalidInput, "An answer is accept or discard.")
	}
	return decision, nil
}

// sameOrigin refuses a form that another page sent.
func sameOrigin(r *http.Request) error {
	site, origin := r.Header.Get("Sec-Fetch-Site"), r.Header.Get("Origin")
	u, err := url.Parse(origin)
	own := origin != "" && err == nil && strings.EqualFold(u.Host, r.Host)
	if (site == "" || site == "same-origin") && (own || (origin == "" && site == "same-origin")) {
		return nil
	}
	return &agent.Error{Code: agent.CodeForbidden, Message: "This answer came from another page.", Hint: "Open the link yourself and answer there."}
}

// login gives where to sign in, with the way back.
func (a *Away) login(r *http.Request) string {
	if a.LoginURL == "" {
		return ""
	}
	u, err := url.Parse(a.LoginURL)
	if err != nil {
		return ""
	}
	q := u.Query()
	q.Set("next", r.URL.Path)
	u.RawQuery = q.Encode()
	return u.String()
}

func noLink() error { return agent.NotFound("link") }

func tooOld() error {
	return &agent.Error{Code: agent.CodeGone, Message: "This link is too old.", Hint: "Look into the app: what still waits is in its inbox."}
}

func used() error {
	return &agent.Error{Code: agent.CodeGone, Message: "This link was used already.", Hint: "The app shows how it went."}
}

func answered(state agent.ReceiptState) error {
	if state == agent.ReceiptExpired {
		return &agent.Error{Code: agent.CodeGone, Message: "Nobody answered this in time. Nothing was changed.", Hint: "Ask for it again in the app."}
	}
	return &agent.Error{Code: agent.CodeGone, Message: "This was decided already.", Hint: "The app shows how it went."}
}
