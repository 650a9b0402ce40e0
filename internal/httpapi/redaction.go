package httpapi

import (
	"net/http"

	agent "github.com/lossless-group/in-app-agent"
)

// previewRedaction shows a text as a provider would see it.
func (a *api) previewRedaction(w http.ResponseWriter, r *http.Request) error {
	var text string
	if err := decode(w, r, func(o *object) { text = o.required("text") }); err != nil {
		return err
	}
	shown, err := a.Redaction.PreviewRedaction(r.Context(), text)
	if err != nil {
		return err
	}
	if shown.Found == nil {
		shown.Found = []agent.RedactionCount{}
	}
	writeJSON(w, http.StatusOK, shown)
	return nil
}
