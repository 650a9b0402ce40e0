package chroma

import (
	"context"
	"net/http"

	agent "github.com/lossless-group/in-app-agent"
)

// ReadsByID asks the server, past our own checks, for the rows of the owner's
// collection under the other's tenant. Caller: the check of isolation. Errors: as
// Search.
func (c *Corpus) ReadsByID(ctx context.Context, owner, other agent.Scope) (bool, error) {
	owner, err := c.full(owner)
	if err != nil {
		return false, err
	}
	if other, err = c.full(other); err != nil {
		return false, err
	}
	p, err := c.resolve(ctx, owner)
	if p == nil || err != nil {
		return false, trouble(err)
	}
	p.scope = other
	var rows got
	err = c.call(ctx, http.MethodPost, p.records("get"), map[string]any{"limit": 1, "include": []string{}}, &rows)
	if hasStatus(err, http.StatusNotFound) || hasStatus(err, http.StatusForbidden) || hasStatus(err, http.StatusBadRequest) {
		return false, nil
	}
	return len(rows.IDs) > 0, trouble(err)
}
