package engine

import (
	"context"

	agent "github.com/lossless-group/in-app-agent"
)

// panelBYOK is the settings panel that a missing or refused key leads to.
const panelBYOK = "byok"

// chooseModel takes the request's model where the org leaves the choice, else the
// user's setting, the org's, the operator's.
func (e *Engine) chooseModel(requested, setting string, pol agent.OrgPolicy) (agent.ModelRoute, error) {
	if requested != "" {
		route, err := e.Models.Route(requested)
		if err != nil {
			return route, err
		}
		if pol.AllowModelChoice {
			return route, nil
		}
	}
	if setting != "" && pol.AllowModelChoice {
		// A model that the operator took away since is no reason to refuse a message.
		if route, err := e.Models.Route(setting); err == nil {
			return route, nil
		}
	}
	if pol.DefaultModel != "" {
		// The same for the org's: the operator's default serves whom it does not.
		if route, err := e.Models.Route(pol.DefaultModel); err == nil {
			return route, nil
		}
	}
	return e.Models.Route(e.Models.Default())
}

// chooseKey finds who pays: the org of a paying client, else the user's own key.
func (e *Engine) chooseKey(ctx context.Context, p agent.Principal, route agent.ModelRoute) (agent.KeyRef, error) {
	if !route.NeedsKey {
		return agent.KeyRef{Source: agent.KeySourceNone, Provider: route.Provider}, nil
	}
	if p.Billing == agent.BillingPaying {
		ref, err := e.Vault.FindOrg(ctx, route.Provider)
		if err == nil || agent.ErrorCode(err) != agent.CodeNotFound {
			return ref, err
		}
	}
	ref, err := e.Vault.Find(ctx, route.Provider)
	if agent.ErrorCode(err) == agent.CodeNotFound {
		return agent.KeyRef{}, keyRequired(route.Provider)
	}
	return ref, err
}

func keyRequired(provider string) error {
	return &agent.Error{Code: agent.CodeKeyRequired, Provider: provider, Panel: panelBYOK,
		Message: "There is no key for " + provider + " yet.",
		Hint:    "Open the settings, paste your own key, and send the message again."}
}

// openKey opens the turn's key for one model call. A key that was revoked since
// the turn began is gone at once. first notes the key's use, once a turn.
func (e *Engine) openKey(ctx context.Context, t agent.Turn, first bool) (agent.KeyRef, error) {
	var ref agent.KeyRef
	var err error
	switch t.KeySource {
	case agent.KeySourceNone:
		return agent.KeyRef{Source: agent.KeySourceNone, Provider: t.Provider}, nil
	case agent.KeySourceOrg:
		ref, err = e.Vault.FindOrg(ctx, t.Provider)
	default:
		ref, err = e.Vault.Open(ctx, t.KeyID)
	}
	if agent.ErrorCode(err) == agent.CodeNotFound {
		return ref, keyRequired(t.Provider)
	}
	if err == nil && ref.ID != "" && t.KeySource != agent.KeySourceOrg && first {
		if terr := e.Vault.Touch(ctx, ref.ID); terr != nil {
			e.Log.Warn("a key's last use was not noted", "key", ref.ID, "error", terr)
		}
	}
	return ref, err
}
