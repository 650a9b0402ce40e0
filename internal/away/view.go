package away

import (
	"context"
	_ "embed"
	"encoding/base64"
	"errors"
	"html/template"
	"net/http"
	"slices"
	"time"
	"unicode/utf8"

	agent "github.com/lossless-group/in-app-agent"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Parse(pageText))

// Bounds of what the page shows of an artifact; the app shows the rest.
const (
	maxText  = 64 << 10
	maxDoc   = 1 << 20
	maxImage = 2 << 20
)

// message is a page without a preview.
type message struct {
	Title, Text, Hint string
	Login             string
}

type pageData struct {
	App     string
	Message *message
	View    *agent.ApprovalView
	Parts   []part
	Expires string
	Form    string
}

// part is an artifact on the page: exactly one of Text, Doc, Image and Elsewhere.
type part struct {
	Title, Path string
	Text        string
	Cut         bool
	Doc         string // one self-contained document, for an opaque frame
	Image       template.URL
	Elsewhere   string // why it is not shown
}

func (a *Away) say(w http.ResponseWriter, status int, m message) {
	a.render(w, status, pageData{Message: &m})
}

// refuse shows an error in the words that were written for people.
func (a *Away) refuse(w http.ResponseWriter, r *http.Request, err error) {
	code := agent.ErrorCode(err)
	if code == agent.CodeInternal {
		a.Log.Error("an approval page failed", "error", err)
	}
	m := message{Title: "This cannot be answered here", Text: agent.ErrorMessage(err)}
	var ours *agent.Error
	if errors.As(err, &ours) && code != agent.CodeInternal {
		m.Hint = ours.Hint
	}
	a.say(w, code.Status(), m)
}

func (a *Away) show(ctx context.Context, w http.ResponseWriter, v visit) error {
	d := pageData{View: &v.view, Form: a.formToken(v.who.SessionID, v.link.ID),
		Expires: time.UnixMilli(v.link.ExpiresAt).UTC().Format("2 January 2006, 15:04 UTC")}
	for _, one := range v.view.Preview.Artifacts {
		p, err := a.part(ctx, v.view.CallID, one)
		if err != nil {
			return err
		}
		d.Parts = append(d.Parts, p)
	}
	a.render(w, http.StatusOK, d)
	return nil
}

func (a *Away) render(w http.ResponseWriter, status int, d pageData) {
	d.App = a.App
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	if err := page.Execute(w, d); err != nil {
		a.Log.Warn("an approval page was not sent whole", "error", err)
	}
}

var images = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// part makes an artifact fit to be shown without running or loading anything.
func (a *Away) part(ctx context.Context, call agent.CallID, one agent.Artifact) (part, error) {
	p := part{Title: one.Title, Path: one.Path}
	if one.Digest != "" {
		if one.Bytes > maxImage {
			p.Elsewhere = "It is too big for this page. Look at it in the app before you decide."
			return p, nil
		}
		blob, err := a.Artifacts.Artifact(ctx, call, one.Digest)
		if err != nil {
			return p, err
		}
		one.Data = blob.Data
		if one.MIME == "" {
			one.MIME = blob.MIME
		}
	}
	content := one.Data
	if content == nil {
		content = []byte(one.Text)
	}
	switch {
	case one.Kind == agent.ArtifactImage:
		p.Image, p.Elsewhere = picture(one, content)
	case one.Kind == agent.ArtifactHTML && len(content) <= maxDoc && utf8.Valid(content):
		p.Doc = string(content)
	case utf8.Valid(content):
		p.Cut = len(content) > maxText
		p.Text = cut(string(content), maxText)
	default:
		p.Elsewhere = "It is not text. Look at it in the app before you decide."
	}
	return p, nil
}

// picture gives an image as an address that holds it; only kinds that cannot run.
func picture(one agent.Artifact, content []byte) (template.URL, string) {
	if !slices.Contains(images, one.MIME) || len(content) > maxImage {
		return "", "This picture cannot be shown here. Look at it in the app before you decide."
	}
	text := string(content)
	if one.Data != nil {
		text = base64.StdEncoding.EncodeToString(content)
	} else if _, err := base64.StdEncoding.DecodeString(text); err != nil {
		return "", "This picture cannot be read."
	}
	return template.URL("data:" + one.MIME + ";base64," + text), "" //nolint:gosec // the kind is one of the list, the rest base64
}

// cut shortens a text to at most so many bytes, between two characters.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}
