//go:build selfhosted

package server

import agent "github.com/lossless-group/in-app-agent"

// addCrossClient has nothing to register in a build for self-hosting. Errors:
// invalid_input (an unknown deployment), unavailable (an operated one).
func (s *Server) addCrossClient() error {
	operated, err := operated(s.cfg.Deployment)
	if err == nil && operated {
		err = &agent.Error{Code: agent.CodeUnavailable, Message: "This program was built for self-hosting; it cannot be an operated deployment.",
			Hint: "Set deployment to self-hosted, or use a build without the tag selfhosted."}
	}
	return err
}
