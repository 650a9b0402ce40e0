package dididecks

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

// get asks a route as a principal; nil is nobody.
func get(tb testing.TB, a *App, p *agent.Principal, path string, headers ...string) *httptest.ResponseRecorder {
	tb.Helper()
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.URL.Path, r.URL.RawQuery, _ = strings.Cut(path, "?")
	if p != nil {
		r = r.WithContext(agent.WithPrincipal(r.Context(), *p))
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	a.Routes().ServeHTTP(w, r)
	return w
}

func decoded[T any](tb testing.TB, w *httptest.ResponseRecorder) T {
	tb.Helper()
	var v T
	if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil {
		tb.Fatalf("%v: %s", err, w.Body)
	}
	return v
}

func TestTheDeckPageGetsWhatItShows(t *testing.T) {
	a := newApp(t, Options{})
	w := get(t, a, &ana, "/api/decks/"+DemoDeckID)
	v := decoded[deckView](t, w)
	if w.Code != 200 || len(v.Slides) != 8 || v.Slides[3].ID != "04" || len(v.BrandKits) != 2 || v.Branch != a.decks[0].Working || v.Width != 1280 || v.BrandKit == "" {
		t.Fatalf("%d %+v", w.Code, v)
	}
	tag := w.Header().Get("ETag")
	if tag != `"`+v.HeadCommit+`"` {
		t.Errorf("the ETag is %s", tag)
	}
	if w := get(t, a, &ana, "/api/decks/"+DemoDeckID, "If-None-Match", "W/"+tag); w.Code != http.StatusNotModified || w.Body.Len() != 0 {
		t.Errorf("the same again: %d, %d bytes", w.Code, w.Body.Len())
	}
	call := newCall(ana, "slide.edit", "call_1", map[string]any{"slide_id": "04", "instruction": "make it dark"})
	_, err := accept(t, a, call, shown(t, a, call))
	must(t, err)
	after := decoded[deckView](t, get(t, a, &ana, "/api/decks/"+DemoDeckID, "If-None-Match", tag))
	if after.HeadCommit == v.HeadCommit || after.Slides[3].Version == v.Slides[3].Version || after.Slides[4].Version != v.Slides[4].Version {
		t.Error("an accepted change does not show, or shows elsewhere")
	}
	list := decoded[struct{ Decks []map[string]string }](t, get(t, a, &ana, "/api/decks"))
	if len(list.Decks) != 1 || list.Decks[0]["id"] != DemoDeckID {
		t.Errorf("the list is %+v", list)
	}
	history := decoded[struct {
		Commits []struct {
			Author  string
			ByAgent bool
		}
	}](t, get(t, a, &ana, "/api/decks/"+DemoDeckID+"/history"))
	if n := len(history.Commits); n != 2 || !history.Commits[0].ByAgent || history.Commits[0].Author != "Ana" || history.Commits[n-1].ByAgent {
		t.Errorf("the history is %+v", history)
	}
}

func TestARenderedSlideIsOpaque(t *testing.T) {
	a := newApp(t, Options{})
	for _, slide := range []string{"01", "4", "07"} {
		w := get(t, a, &ana, "/api/decks/"+DemoDeckID+"/slides/"+slide+"/render")
		csp := w.Header().Get("Content-Security-Policy")
		if w.Code != 200 || !strings.HasPrefix(w.Body.String(), "<!doctype html>") || w.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %d", slide, w.Code)
		}
		for _, want := range []string{"default-src 'none'", "style-src 'unsafe-inline'", "img-src data:", "font-src data:", "sandbox;"} {
			if !strings.Contains(csp, want) {
				t.Errorf("%s: the policy %q lacks %s", slide, csp, want)
			}
		}
		if strings.Contains(csp, "allow-") || strings.Contains(csp, "script") {
			t.Errorf("%s: the policy allows too much: %s", slide, csp)
		}
	}
	kits := decoded[deckView](t, get(t, a, &ana, "/api/decks/"+DemoDeckID)).BrandKits
	one := get(t, a, &ana, "/api/decks/"+DemoDeckID+"/slides/04/render?kit="+kits[0].ID)
	two := get(t, a, &ana, "/api/decks/"+DemoDeckID+"/slides/04/render?kit="+kits[1].ID)
	if one.Body.String() == two.Body.String() || one.Header().Get("ETag") == two.Header().Get("ETag") {
		t.Error("two brand kits render alike")
	}
}

func TestEveryRouteAsksWhoMayOpenTheDeck(t *testing.T) {
	a := newApp(t, Options{Orgs: []string{"one"}})
	out, err := exportOnce(t, a, "call_1", map[string]any{"format": "md"})
	must(t, err)
	for _, path := range []string{"", "/slides/04/render", "/history", "/exports/" + out.Name} {
		for _, id := range []string{DemoDeckID, "none"} {
			if w := get(t, a, &bo, "/api/decks/"+id+path); w.Code != 404 {
				t.Errorf("another org, %s%s: %d", id, path, w.Code)
			}
			if w := get(t, a, nil, "/api/decks/"+id+path); w.Code != 401 {
				t.Errorf("nobody, %s%s: %d", id, path, w.Code)
			}
		}
		ours, none := get(t, a, &bo, "/api/decks/"+DemoDeckID+path), get(t, a, &bo, "/api/decks/none"+path)
		if ours.Body.String() != none.Body.String() {
			t.Errorf("%s: what exists elsewhere can be told from what does not", path)
		}
	}
	if w := get(t, a, &bo, "/api/decks"); w.Code != 200 || strings.Contains(w.Body.String(), DemoDeckID) {
		t.Errorf("the list of another org: %d %s", w.Code, w.Body)
	}
}

func TestAnExportIsAnAttachment(t *testing.T) {
	a := newApp(t, Options{})
	out, err := exportOnce(t, a, "call_1", map[string]any{"format": "html"})
	must(t, err)
	w := get(t, a, &ana, out.URL)
	if w.Code != 200 || int64(w.Body.Len()) != out.Bytes || w.Header().Get("Content-Disposition") != `attachment; filename="`+out.Name+`"` ||
		w.Header().Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(w.Header().Get("Content-Security-Policy"), "sandbox") {
		t.Errorf("%d, %d bytes, %v", w.Code, w.Body.Len(), w.Header())
	}
	// The other org has a deck with the same id, but not this file.
	if w := get(t, a, &bo, out.URL); w.Code != 404 {
		t.Errorf("another org's export: %d", w.Code)
	}
	secret := filepath.Join(t.TempDir(), "secret.txt")
	must(t, os.WriteFile(secret, []byte("x"), 0o644))
	must(t, os.Symlink(secret, filepath.Join(a.exportDir(a.decks[0]), "demo-deck-0123456789abcdef.md")))
	for _, name := range []string{"secret.txt", "..%2fsecret.txt", "../secret.txt", "x", "demo-deck-0123456789abcde.md", "demo-deck-0123456789abcdef.md", "demo-deck-0123456789abcdef.exe", "demo-deck-1123456789abcdef.md", "demo-deck-0123456789abcdef.md\x00"} {
		if w := get(t, a, &ana, "/api/decks/"+DemoDeckID+"/exports/"+name); w.Code == 200 {
			t.Errorf("%q was served", name)
		}
	}
}

func TestErrorsAreProblemDocuments(t *testing.T) {
	a := newApp(t, Options{})
	for path, code := range map[string]string{
		"/api/decks/" + DemoDeckID + "/slides/99/render": "not_found", "/api/decks/" + DemoDeckID + "/slides/04/render?kit=none": "not_found",
		"/api/decks/" + DemoDeckID + "/nothing": "not_found", "/api/decks/\x00": "not_found",
	} {
		w := get(t, a, &ana, path)
		v := decoded[map[string]any](t, w)
		if w.Header().Get("Content-Type") != "application/problem+json" || v["code"] != code || v["message"] == "" || int(v["status"].(float64)) != w.Code || w.Header().Get("ETag") != "" {
			t.Errorf("%q: %d %v", path, w.Code, v)
		}
	}
}
