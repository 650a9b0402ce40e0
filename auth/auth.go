// Package auth turns the credential of a request into a principal. A credential
// is a signed session token, in a cookie or as a bearer; nothing else counts, not
// the address, not the path, not another header.
package auth

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"net/http"
	"strings"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// Defaults of a Config.
const (
	// DefaultTTL is how long a login lasts.
	DefaultTTL = 30 * 24 * time.Hour
	// Leeway is how far the clocks of two servers may differ: a token is taken for
	// this long after its end.
	Leeway = 2 * time.Minute
	// DefaultCookie names the session cookie. Where cookies are Secure, the prefix
	// __Host- is put before it, so that no other host of the domain can set it.
	DefaultCookie = "in_app_agent"
)

// Config says what a credential is checked against.
type Config struct {
	Sessions agent.Sessions
	// Secret signs the tokens: at least 32 bytes, of this app alone.
	Secret []byte
	// Secure marks the cookie Secure. Leave it off only for plain HTTP on loopback.
	Secure bool
	// CookieName replaces the default name.
	CookieName string
	// TTL replaces DefaultTTL.
	TTL time.Duration
	// Now and IDs replace the clock and the source of session ids.
	Now func() time.Time
	IDs agent.IDSource
}

// Auth checks and issues login sessions.
type Auth struct {
	sessions agent.Sessions
	sign     signer
	secure   bool
	cookie   string
	ttl      time.Duration
	now      func() time.Time
	ids      agent.IDSource
}

// New makes an Auth. Errors: invalid_input for a missing store or a short secret.
func New(c Config) (*Auth, error) {
	if c.Sessions == nil {
		return nil, agent.Errorf(agent.CodeInvalidInput, "auth needs the store of the sessions.")
	}
	if len(c.Secret) < SecretBytes {
		return nil, agent.Errorf(agent.CodeInvalidInput,
			"The session secret has %d bytes; it needs at least %d.", len(c.Secret), SecretBytes)
	}
	a := &Auth{
		sessions: c.Sessions, sign: newSigner(c.Secret), secure: c.Secure,
		cookie: c.CookieName, ttl: c.TTL, now: c.Now, ids: c.IDs,
	}
	if a.cookie == "" {
		a.cookie = DefaultCookie
		if a.secure {
			a.cookie = "__Host-" + DefaultCookie
		}
	}
	if a.ttl <= 0 {
		a.ttl = DefaultTTL
	}
	if a.now == nil {
		a.now = time.Now
	}
	if a.ids == nil {
		a.ids = randomID
	}
	return a, nil
}

// Authenticate gives the principal behind a request's credential. Errors:
// unauthenticated (none, malformed, forged, expired, revoked, ambiguous, or the
// membership is gone), unavailable (the sessions cannot be read).
func (a *Auth) Authenticate(r *http.Request) (agent.Principal, error) {
	token, err := a.credential(r)
	if err != nil {
		return agent.Principal{}, err
	}
	return a.Verify(r.Context(), token)
}

// Verify gives the principal behind a token. Errors: as Authenticate.
func (a *Auth) Verify(ctx context.Context, token string) (agent.Principal, error) {
	id, expires, ok := a.sign.open(token)
	if !ok || a.expired(expires) {
		return agent.Principal{}, signIn()
	}
	session, p, err := a.sessions.Session(ctx, id)
	if err != nil {
		return agent.Principal{}, refusal(err)
	}
	if session.RevokedAt != 0 || a.expired(session.ExpiresAt) || p.UserID == "" || p.OrgID == "" {
		return agent.Principal{}, signIn()
	}
	p.SessionID = session.ID
	p.Scopes = scopes(p.Tier)
	return p, nil
}

// expired reports whether a time has passed by more than the leeway.
func (a *Auth) expired(at int64) bool {
	return a.now().UnixMilli() > at+Leeway.Milliseconds()
}

// scopes gives what a login session may do: its user's own word counts as approval.
func scopes(t agent.Tier) []agent.CredentialScope {
	s := []agent.CredentialScope{agent.ScopeChat, agent.ScopeApprove}
	if t == agent.TierAdmin {
		s = append(s, agent.ScopeAdmin)
	}
	return s
}

// refusal hides why a session does not count, but not that the store is away: a
// live stream must be able to tell the two apart.
func refusal(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return agent.Wrap(agent.CodeUnavailable, err, "The sign-in could not be checked in time. Please try again.")
	}
	switch agent.ErrorCode(err) {
	case agent.CodeNotFound, agent.CodeUnauthenticated, agent.CodeForbidden:
		return signIn()
	default:
		return agent.Wrap(agent.CodeUnavailable, err, "The sign-in cannot be checked just now. Please try again.")
	}
}

func signIn() error {
	return &agent.Error{Code: agent.CodeUnauthenticated, Message: "Please sign in.",
		Hint: "Sign in again, then repeat what you did."}
}

// credential finds the one credential of a request. Two that differ are refused
// rather than ranked: a page that can add one must not choose whose turn it is.
func (a *Auth) credential(r *http.Request) (string, error) {
	var found []string
	for _, header := range r.Header.Values("Authorization") {
		scheme, token, _ := strings.Cut(header, " ")
		if !strings.EqualFold(scheme, "Bearer") {
			return "", signIn()
		}
		found = append(found, strings.TrimSpace(token))
	}
	for _, c := range r.CookiesNamed(a.cookie) {
		found = append(found, c.Value)
	}
	if len(found) == 0 {
		return "", signIn()
	}
	for _, token := range found[1:] {
		if token != found[0] {
			return "", signIn()
		}
	}
	return found[0], nil
}

func randomID(prefix string) string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails: the runtime ends the process instead
	return prefix + "_" + hex.EncodeToString(b[:])
}
