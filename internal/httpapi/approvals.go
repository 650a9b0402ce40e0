package httpapi

import (
	"net/http"

	agent "github.com/lossless-group/in-app-agent"
)

// approvals lists what waits for the caller in all of their threads.
func (a *api) approvals(w http.ResponseWriter, r *http.Request) error {
	limit, err := queryInt(r, "limit")
	if err != nil {
		return err
	}
	page, err := a.Approvals.Approvals(r.Context(), agent.ApprovalQuery{Cursor: r.URL.Query().Get("cursor"), Limit: limit})
	if err != nil {
		return err
	}
	if page.Items == nil {
		page.Items = []agent.Approval{}
	}
	writeJSON(w, http.StatusOK, page)
	return nil
}
