package dididecks

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/examples/dididecks/deck"
	"github.com/lossless-group/in-app-agent/examples/dididecks/render"
)

// maxHistory bounds the commits that a deck's history gives.
const maxHistory = 50

// Routes serves the deck's page:
//
//	GET /api/decks                                the decks that the caller may open
//	GET /api/decks/{id}                           title, slides, brand kits, branch, head
//	GET /api/decks/{id}/slides/{slide}/render     a slide as a document for an opaque frame (?kit=)
//	GET /api/decks/{id}/history                   the last commits of the working branch
//	GET /api/decks/{id}/exports/{name}            an exported file, as an attachment
//
// The principal comes from the request's context. Answers carry the commit as
// their ETag; errors are problem documents.
func (a *App) Routes() http.Handler {
	mux := http.NewServeMux()
	for pattern, serve := range map[string]func(http.ResponseWriter, *http.Request) error{
		"GET /api/decks":                            a.serveDecks,
		"GET /api/decks/{id}":                       a.serveDeck,
		"GET /api/decks/{id}/slides/{slide}/render": a.serveSlide,
		"GET /api/decks/{id}/history":               a.serveHistory,
		"GET /api/decks/{id}/exports/{name}":        a.serveExport,
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Content-Type-Options", "nosniff")
			w.Header().Set("Cache-Control", "private, no-cache")
			w.Header().Set("Vary", "Cookie, Authorization")
			if err := serve(w, r); err != nil {
				a.fail(w, r, err)
			}
		})
	}
	mux.HandleFunc("/api/decks/", func(w http.ResponseWriter, r *http.Request) { a.fail(w, r, agent.NotFound("page")) })
	return mux
}

type slideLine struct {
	ID    string      `json:"id"`
	Name  string      `json:"name"`
	Title string      `json:"title"`
	Kind  deck.Format `json:"kind"`
	Path  string      `json:"path"`
	// Version changes when the slide does.
	Version string `json:"version"`
}

type kitLine struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

type deckView struct {
	ID         string      `json:"id"`
	Kind       string      `json:"kind"`
	Title      string      `json:"title"`
	Subtitle   string      `json:"subtitle,omitempty"`
	Width      int         `json:"width"`
	Height     int         `json:"height"`
	Slides     []slideLine `json:"slides"`
	BrandKits  []kitLine   `json:"brandKits"`
	BrandKit   string      `json:"brandKit,omitempty"`
	Branch     string      `json:"branch"`
	HeadCommit string      `json:"headCommit"`
}

func (a *App) serveDecks(w http.ResponseWriter, r *http.Request) error {
	ids, err := a.Decks(r.Context())
	if err != nil {
		return err
	}
	decks := []map[string]string{}
	for _, id := range ids {
		p, err := a.OpenProject(r.Context(), ProjectKind, id)
		if err != nil {
			return err
		}
		decks = append(decks, map[string]string{"id": p.ID, "kind": p.Kind, "title": p.Title})
	}
	return writeJSON(w, map[string]any{"decks": decks})
}

func (a *App) serveDeck(w http.ResponseWriter, r *http.Request) error {
	d, snap, err := a.snapshotFor(r)
	if err != nil {
		return err
	}
	if fresh(w, r, snap.Commit) {
		return nil
	}
	v := deckView{
		ID: d.ID, Kind: ProjectKind, Title: snap.Title(), Subtitle: snap.Manifest.Subtitle,
		Width: snap.Manifest.Width, Height: snap.Manifest.Height,
		Slides: []slideLine{}, BrandKits: []kitLine{}, Branch: d.Working, HeadCommit: snap.Commit,
	}
	for _, s := range snap.Slides {
		v.Slides = append(v.Slides, slideLine{ID: s.ID, Name: s.Stem, Title: s.Title, Kind: s.Format, Path: s.Path, Version: s.Blob + s.CSSBlob})
	}
	for _, k := range snap.Kits {
		v.BrandKits = append(v.BrandKits, kitLine{ID: k.Name, Title: k.Title})
	}
	if kit, err := snap.Kit(""); err == nil {
		v.BrandKit = kit.Name
	}
	return writeJSON(w, v)
}

func (a *App) serveSlide(w http.ResponseWriter, r *http.Request) error {
	d, snap, err := a.snapshotFor(r)
	if err != nil {
		return err
	}
	sl, err := snap.Find(r.PathValue("slide"))
	if err != nil {
		return err
	}
	kit, err := snap.Kit(r.URL.Query().Get("kit"))
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Security-Policy", render.Policy+"; sandbox; frame-ancestors 'self'")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	if fresh(w, r, snap.Commit+"-"+kit.Name) {
		return nil
	}
	doc, err := a.renderSlide(r.Context(), d, snap, sl, kit.Name)
	if err != nil {
		return err
	}
	h.Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(doc) // a client that left reads no error
	return nil
}

func (a *App) serveHistory(w http.ResponseWriter, r *http.Request) error {
	d, snap, err := a.snapshotFor(r)
	if err != nil {
		return err
	}
	if fresh(w, r, snap.Commit) {
		return nil
	}
	commits, err := d.repo.Log(r.Context(), d.Working, maxHistory)
	if err != nil {
		return err
	}
	lines := []map[string]any{}
	for _, c := range commits {
		lines = append(lines, map[string]any{
			"commit": c.ID, "subject": c.Subject, "author": c.Author, "at": c.When * 1000, "byAgent": c.Key != "",
		})
	}
	return writeJSON(w, map[string]any{"branch": d.Working, "commits": lines})
}

func (a *App) serveExport(w http.ResponseWriter, r *http.Request) error {
	d, err := a.deckIn(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	name := r.PathValue("name")
	if !validExport.MatchString(name) {
		return agent.NotFound("file")
	}
	root, err := os.OpenRoot(a.exportDir(d))
	if err != nil {
		return agent.NotFound("file")
	}
	defer func() { _ = root.Close() }()
	f, err := root.Open(name)
	if err != nil {
		return agent.NotFound("file")
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return agent.NotFound("file")
	}
	h := w.Header()
	h.Set("Content-Type", exportFormats[strings.TrimPrefix(filepath.Ext(name), ".")])
	h.Set("Content-Disposition", `attachment; filename="`+name+`"`)
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	http.ServeContent(w, r, "", info.ModTime(), f)
	return nil
}

func (a *App) snapshotFor(r *http.Request) (*Deck, *deck.Snapshot, error) {
	d, err := a.deckIn(r.Context(), r.PathValue("id"))
	if err != nil {
		return nil, nil, err
	}
	snap, err := d.Snapshot(r.Context())
	return d, snap, err
}

// fresh answers 304 when the caller holds this version, and sets the ETag.
func fresh(w http.ResponseWriter, r *http.Request, version string) bool {
	tag := `"` + version + `"`
	w.Header().Set("ETag", tag)
	for t := range strings.SplitSeq(r.Header.Get("If-None-Match"), ",") {
		if t = strings.TrimPrefix(strings.TrimSpace(t), "W/"); t == tag || t == "*" {
			w.WriteHeader(http.StatusNotModified)
			return true
		}
	}
	return false
}

func writeJSON(w http.ResponseWriter, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(raw) // a client that left reads no error
	return nil
}

// fail answers with a problem document that says no more than people may know.
func (a *App) fail(w http.ResponseWriter, r *http.Request, err error) {
	code := agent.ErrorCode(err)
	if code == agent.CodeInternal && r.Context().Err() == nil { // else the page was closed
		a.log.Error("a deck route failed", "path", r.URL.Path, "error", err)
	}
	problem := map[string]any{
		"type": "about:blank", "title": http.StatusText(code.Status()), "status": code.Status(),
		"code": code, "message": agent.ErrorMessage(err), "detail": agent.ErrorMessage(err),
	}
	if id := w.Header().Get("X-Request-Id"); id != "" { // the server's, around these routes
		problem["requestId"] = id
	}
	var e *agent.Error
	if errors.As(err, &e) && e.Hint != "" && code != agent.CodeInternal {
		problem["hint"] = e.Hint
	}
	raw, err := json.Marshal(problem)
	if err != nil {
		raw = []byte(`{"code":"internal"}`)
	}
	w.Header().Del("ETag")
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(code.Status())
	_, _ = w.Write(raw)
}
