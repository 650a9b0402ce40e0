//go:build !selfhosted

package server

import "github.com/lossless-group/in-app-agent/capability/builtin"

// addCrossClient registers the search across clients on an operated server, and
// nowhere else. Errors: invalid_input (an unknown deployment).
func (s *Server) addCrossClient() error {
	operated, err := operated(s.cfg.Deployment)
	if err == nil && operated {
		s.cfg.Registry.Add(builtin.CrossClientSearch(builtin.Across{Corpus: s.corpus, Clients: s.store}))
	}
	return err
}
