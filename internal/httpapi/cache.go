package httpapi

import (
	"net/http"

	agent "github.com/lossless-group/in-app-agent"
)

// threadCache says how the provider's prompt cache was used in a thread.
func (a *api) threadCache(w http.ResponseWriter, r *http.Request) error {
	id, err := id(r, "id", "thread")
	if err != nil {
		return err
	}
	limit, err := queryInt(r, "limit")
	if err != nil {
		return err
	}
	report, err := a.CacheDoctor.CacheReport(r.Context(), agent.ThreadID(id), agent.TurnID(r.URL.Query().Get("before")), limit)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, report)
	return nil
}
