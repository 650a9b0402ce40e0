//go:build !selfhosted

package server

import (
	"context"

	"github.com/lossless-group/in-app-agent/capability/builtin"
	"github.com/lossless-group/in-app-agent/internal/account"
)

// addCrossClient registers the search across clients on an operated server, and
// nowhere else. Errors: invalid_input (an unknown deployment).
func (s *Server) addCrossClient() error {
	operated, err := operated(s.cfg.Deployment)
	if err == nil && operated {
		s.cfg.Registry.Add(builtin.CrossClientSearch(builtin.Across{Corpus: s.corpus, Clients: s.store, Redact: s.redacted}))
	}
	return err
}

// redacted gives a text as the policy of the caller's org lets it be read outside.
func (s *Server) redacted(ctx context.Context, text string) (string, error) {
	office := account.Account{Config: account.Config{Policies: s.store}} // it needs no other port for this
	shown, err := office.PreviewRedaction(ctx, text)
	return shown.Text, err
}
