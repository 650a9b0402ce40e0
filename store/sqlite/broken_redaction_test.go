package sqlite_test

import (
	"context"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/store/storetest"
)

// Stores that are broken in how they keep what placeholders stand for.
type (
	overwritesMap struct{ storetest.Store }
	leaksMap      struct{ leak }
)

// overwritesMap writes over what another process wrote.
func (s overwritesMap) PutRedactionRow(ctx context.Context, r agent.RedactionRow) error {
	if now, err := s.RedactionRow(ctx, r.ThreadID); err == nil {
		r.Version = now.Version + 1
	}
	return s.Store.PutRedactionRow(ctx, r)
}

func (s leaksMap) RedactionRow(ctx context.Context, id agent.ThreadID) (agent.RedactionRow, error) {
	return s.Store.RedactionRow(s.as(ctx, string(id), true), id)
}
