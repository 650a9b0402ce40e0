package httpapi

import (
	"net/http"

	agent "github.com/lossless-group/in-app-agent"
)

// permissions lists what the caller had remembered.
func (a *api) permissions(w http.ResponseWriter, r *http.Request) error {
	limit, err := queryInt(r, "limit")
	if err != nil {
		return err
	}
	page, err := a.Permissions.Permissions(r.Context(), agent.PermissionQuery{Cursor: r.URL.Query().Get("cursor"), Limit: limit})
	if err != nil {
		return err
	}
	if page.Items == nil {
		page.Items = []agent.Permission{}
	}
	writeJSON(w, http.StatusOK, page)
	return nil
}

// revokePermission ends one.
func (a *api) revokePermission(w http.ResponseWriter, r *http.Request) error {
	id, err := id(r, "id", "permission")
	if err != nil {
		return err
	}
	if err := noBody(w, r); err != nil {
		return err
	}
	if err := a.Permissions.RevokePermission(r.Context(), id); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
