package server

import agent "github.com/lossless-group/in-app-agent"

// operated tells whether this is an operated deployment. Nothing said is self-hosted:
// what reaches across clients must be asked for. Errors: invalid_input.
func operated(d agent.Deployment) (bool, error) {
	switch d {
	case agent.DeploymentOperated:
		return true, nil
	case "", agent.DeploymentSelfHosted:
		return false, nil
	}
	return false, &agent.Error{Code: agent.CodeInvalidInput, Message: "The deployment " + string(d) + " is not known.", Hint: "It is operated or self-hosted."}
}
