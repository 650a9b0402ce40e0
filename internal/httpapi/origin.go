package httpapi

import (
	"net/http"
	"slices"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

// sameOrigin refuses what a page of another site sends on its user's behalf.
//
// A request that changes something must come from our own origin, as the browser
// says: Sec-Fetch-Site same-origin or none, and an Origin that is exactly ours.
// A sibling host (same-site) is another site. Without either header it is no
// browser of today, and then a cookie alone does not count: a bearer does, because
// no page can add one to another site's request.
//
// A read is refused to a foreign page as well, unless it is a plain navigation:
// what it embeds it can measure.
func (a *api) sameOrigin(r *http.Request) error {
	site, origin := r.Header.Get("Sec-Fetch-Site"), r.Header.Get("Origin")
	foreign := site != "" && site != "same-origin" && site != "none"
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		if foreign && r.Header.Get("Sec-Fetch-Mode") != "navigate" {
			return crossOrigin()
		}
		return nil
	}
	switch {
	case foreign, origin != "" && !a.ownOrigin(r, origin):
		return crossOrigin()
	case site == "" && origin == "" && r.Header.Get("Cookie") != "" && r.Header.Get("Authorization") == "":
		return crossOrigin()
	}
	return nil
}

// ownOrigin compares an origin with the request's host, which is on the list of
// hosts by then. Behind a proxy that ends TLS we cannot know the scheme.
func (a *api) ownOrigin(r *http.Request, origin string) bool {
	if slices.Contains(a.Origins, origin) {
		return true
	}
	scheme, host, ok := strings.Cut(origin, "://")
	if !ok || !strings.EqualFold(host, r.Host) {
		return false
	}
	return scheme == "https" || scheme == "http" && r.TLS == nil
}

func crossOrigin() error {
	return &agent.Error{Code: agent.CodeForbidden, Message: "This request came from another site.",
		Hint: "A program sends its session as Authorization: Bearer; a page must be on the server's own origin."}
}
