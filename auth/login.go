package auth

import (
	"context"
	"net/http"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// Login is a session that was issued: the token, and the cookie that carries it.
type Login struct {
	Token     string
	Cookie    *http.Cookie
	Principal agent.Principal
	ExpiresAt int64 // milliseconds since the Unix epoch
}

// Issue begins a session for a user in an org. The caller has checked who they
// are. Errors: not_found (no such membership), and the store's.
func (a *Auth) Issue(ctx context.Context, userID, orgID string) (Login, error) {
	p, err := a.sessions.Member(ctx, userID, orgID)
	if err != nil {
		return Login{}, err
	}
	now := a.now()
	s := agent.Session{
		ID: a.ids("ses"), UserID: userID, OrgID: orgID,
		CreatedAt: now.UnixMilli(), ExpiresAt: now.Add(a.ttl).UnixMilli(),
	}
	if err := a.sessions.CreateSession(ctx, s); err != nil {
		return Login{}, err
	}
	p.SessionID, p.Scopes = s.ID, scopes(p.Tier)
	token := a.sign.seal(s.ID, s.ExpiresAt)
	return Login{Token: token, Cookie: a.sessionCookie(token, now.Add(a.ttl)), Principal: p, ExpiresAt: s.ExpiresAt}, nil
}

// Logout ends the session behind a request's credential, if there is one, and
// clears the cookie. Errors: unavailable and the store's; then nothing ended.
func (a *Auth) Logout(w http.ResponseWriter, r *http.Request) error {
	p, err := a.Authenticate(r)
	if err != nil && agent.ErrorCode(err) != agent.CodeUnauthenticated {
		return err
	}
	if err == nil {
		if err := a.sessions.RevokeSession(r.Context(), p.SessionID, a.now().UnixMilli()); err != nil {
			return err
		}
	}
	gone := a.sessionCookie("", time.Unix(0, 0))
	gone.MaxAge = -1
	http.SetCookie(w, gone)
	return nil
}

// CookieName gives the name of the session cookie.
func (a *Auth) CookieName() string { return a.cookie }

func (a *Auth) sessionCookie(token string, expires time.Time) *http.Cookie {
	return &http.Cookie{
		Name: a.cookie, Value: token, Path: "/", Expires: expires.UTC(),
		HttpOnly: true, Secure: a.secure, SameSite: http.SameSiteLaxMode,
	}
}
