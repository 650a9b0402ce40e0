package engine

import agent "github.com/lossless-group/in-app-agent"

// responseMode gives the mode of a turn's answer: what its user chose, else the org.
func responseMode(s agent.UserSettings, p agent.OrgPolicy) string {
	if s.ResponseMode != "" {
		return s.ResponseMode
	}
	return p.ResponseMode
}
