package web

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

func get(t *testing.T, method, path string) *http.Response {
	t.Helper()
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, httptest.NewRequest(method, path, nil))
	return w.Result()
}

func body(t *testing.T, path string) string {
	t.Helper()
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	if w.Code != http.StatusOK {
		t.Fatalf("GET %s: %d", path, w.Code)
	}
	return w.Body.String()
}

func TestThePageIsAskedForEachTimeAndItsAssetsAreKept(t *testing.T) {
	if got := get(t, http.MethodGet, "/").Header.Get("Cache-Control"); got != "no-cache" {
		t.Errorf("the page: %q", got)
	}
	paths := regexp.MustCompile(`(?:src|href)="([^"]+)"`).FindAllStringSubmatch(body(t, "/"), -1)
	if len(paths) < 4 {
		t.Fatalf("the page names %d files", len(paths))
	}
	for _, p := range paths {
		r := get(t, http.MethodGet, p[1])
		kept := strings.Contains(r.Header.Get("Cache-Control"), "immutable")
		if r.StatusCode != http.StatusOK || kept != strings.HasPrefix(p[1], "/assets/") {
			t.Errorf("%s: %d, %q", p[1], r.StatusCode, r.Header.Get("Cache-Control"))
		}
	}
}

func TestThePageKeepsItsOwnPolicy(t *testing.T) {
	h := get(t, http.MethodGet, "/").Header
	for _, part := range []string{"default-src 'none'", "script-src 'self';", "connect-src 'self'", "frame-src 'self'", "frame-ancestors 'none'"} {
		if !strings.Contains(h.Get("Content-Security-Policy"), part) {
			t.Errorf("the policy lacks %q", part)
		}
	}
	page := body(t, "/")
	for name, wrong := range map[string]string{
		"a script in the page":    `<script[^>]*>[^<]`,
		"a handler in the page":   `\son[a-z]+=`,
		"an address of elsewhere": `(src|href)="(https?:)?//`,
	} {
		if found := regexp.MustCompile(wrong).FindString(page); found != "" {
			t.Errorf("%s: %q", name, found)
		}
	}
}

func TestOnlyReadingIsAnswered(t *testing.T) {
	for _, c := range []struct {
		method, path string
		status       int
	}{
		{http.MethodHead, "/", http.StatusOK},
		{http.MethodPost, "/", http.StatusMethodNotAllowed},
		{http.MethodDelete, "/look.js", http.StatusMethodNotAllowed},
		{http.MethodGet, "/nothing.js", http.StatusNotFound},
		{http.MethodGet, "/assets/../../web.go", http.StatusNotFound},
	} {
		if got := get(t, c.method, c.path).StatusCode; got != c.status {
			t.Errorf("%s %s: %d instead of %d", c.method, c.path, got, c.status)
		}
	}
}
