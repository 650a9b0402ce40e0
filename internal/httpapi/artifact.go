package httpapi

import (
	"mime"
	"net/http"
	"regexp"

	agent "github.com/lossless-group/in-app-agent"
)

// types is the whole list of content types that a download may have. What could
// run in a browser (HTML, SVG, scripts) is text or bytes here: our own UI shows it
// in an opaque frame, and nobody else has to.
var types = map[string]string{
	"image/png":        "image/png",
	"image/jpeg":       "image/jpeg",
	"image/gif":        "image/gif",
	"image/webp":       "image/webp",
	"application/json": "application/json",
	"application/pdf":  "application/pdf",
	"text/plain":       plainText,
	"text/markdown":    "text/markdown; charset=utf-8",
	"text/html":        plainText,
	"text/x-diff":      plainText,
	"text/csv":         "text/csv; charset=utf-8",
}

const (
	plainText = "text/plain; charset=utf-8"
	someBytes = "application/octet-stream"
)

// safeType gives the content type of our table for a stored one.
func safeType(media string) string {
	base, _, err := mime.ParseMediaType(media)
	if err != nil {
		return someBytes
	}
	if t, ok := types[base]; ok {
		return t
	}
	return someBytes
}

var digestForm = regexp.MustCompile(`^[0-9a-f]{64}$`)

// artifact gives a stored artifact of a preview as a download. Its name is made
// from its digest: none that came from outside reaches a file system.
func (a *api) artifact(w http.ResponseWriter, r *http.Request) error {
	call, err := id(r, "id", "artifact")
	if err != nil {
		return err
	}
	digest := r.PathValue("digest")
	if !digestForm.MatchString(digest) {
		return agent.NotFound("artifact")
	}
	b, err := a.Threads.Artifact(r.Context(), agent.CallID(call), digest)
	if err != nil {
		return err
	}
	download(w, "artifact-"+digest[:12], b.MIME, b.Data)
	return nil
}
