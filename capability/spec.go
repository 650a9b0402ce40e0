package capability

import (
	"strings"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// Spec is what a capability says about itself, besides its functions.
type Spec struct {
	// Name is globally unique and dot-namespaced: entity.verb.
	Name string
	// Title and Description are plain words for people and for the model. White
	// space around the description is cut, so that it can be an embedded file.
	Title, Description string
	Kind               agent.Kind
	Tier               agent.Tier
	// Retrieval counts the calls against the turn's cap of searches; Shared offers
	// the capability besides the host's whitelist.
	Retrieval, Shared bool
	// StaffOnly keeps the capability to the operator's own people.
	StaffOnly bool
	// Timeout bounds one run; 0 means the turn's default.
	Timeout time.Duration
	// KeyHonoured says that the other system treats the call's key as an
	// idempotency key.
	KeyHonoured bool
	// Commits says that whatever lasts is written inside call.Commit.
	Commits bool
	// RememberFree names arguments that may have any value under an "always allow".
	RememberFree []string
}

func (s Spec) capability(input []byte) agent.Capability {
	return agent.Capability{
		Name: s.Name, Title: s.Title, Description: strings.TrimSpace(s.Description),
		Input: input, Kind: s.Kind, RequiredTier: s.Tier, StaffOnly: s.StaffOnly,
		Retrieval: s.Retrieval, Shared: s.Shared, Timeout: s.Timeout, KeyHonoured: s.KeyHonoured, Commits: s.Commits, RememberFree: s.RememberFree,
	}
}
