package engine

import (
	"context"
	"errors"

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
			return ref, e.unopened(p, route.Provider, agent.KeySourceOrg, err)
		}
	}
	ref, err := e.Vault.Find(ctx, route.Provider)
	if agent.ErrorCode(err) == agent.CodeNotFound {
		return agent.KeyRef{}, keyRequired(route.Provider)
	}
	return ref, e.unopened(p, route.Provider, agent.KeySourceUser, err)
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
	if p, perr := agent.PrincipalFrom(ctx); err != nil && perr == nil {
		err = e.unopened(p, t.Provider, t.KeySource, err)
	}
	if err == nil && ref.ID != "" && t.KeySource != agent.KeySourceOrg && first {
		if terr := e.Vault.Touch(ctx, ref.ID); terr != nil {
			e.Log.Warn("a key's last use was not noted", "key", ref.ID, "error", terr)
		}
	}
	return ref, err
}

// unopened words a stored key that does not open for whoever can do something about it;
// why it does not is for the log. Errors that are not about the key stay as they are.
func (e *Engine) unopened(p agent.Principal, provider string, source agent.KeySource, err error) error {
	var ours *agent.Error
	if !errors.As(err, &ours) || ours.Code != agent.CodeInternal {
		return err
	}
	e.Log.Error("a stored key does not open", "provider", provider, "keySource", source, "error", err)
	told := agent.Wrap(agent.CodeKeyInvalid, err, "Your stored key for %s cannot be opened any more.", provider)
	told.Provider, told.KeySource, told.Panel = provider, source, panelBYOK
	told.Hint = "Store it again in the settings, and send the message again."
	if source == agent.KeySourceOrg {
		told.Message, told.Panel = "Your organisation's key for "+provider+" cannot be opened any more.", ""
		told.Hint = replaceOrgKey(p, provider)
	}
	return told
}

// refused adds to a provider's refusal of a key whose key it was, and what this person
// can do about it: only their own can they replace in the settings.
func (r *run) refused(err error) error {
	var ours *agent.Error
	t := r.rec.Turn
	if !errors.As(err, &ours) || ours.Code != agent.CodeKeyInvalid || ours.KeySource != "" {
		return err
	}
	told := *ours
	told.KeySource = t.KeySource
	switch t.KeySource {
	case agent.KeySourceOrg:
		told.Message = ours.Message + " It is your organisation's key."
		told.Hint, told.Panel = replaceOrgKey(r.principal, t.Provider), ""
	case agent.KeySourceNone:
		told.Message = ours.Message + " This server sends none there."
		told.Hint, told.Panel = "Choose another model, or ask whoever runs this server: "+t.Provider+" is configured as keyless.", ""
	}
	return &told
}

// replaceOrgKey says how an org's key is replaced: an admin hears how, a member whom to ask.
func replaceOrgKey(p agent.Principal, provider string) string {
	if !p.Tier.Covers(agent.TierAdmin) {
		return "Ask an admin of your organisation to replace it, or choose a model of another provider. Your message is kept."
	}
	org := p.OrgSlug
	if org == "" {
		org = p.OrgID
	}
	return "Replace it where the server runs: in-app-agent keys set --org " + org + " --provider " + provider + " < key.txt; or change it in the server's environment. Then send the message again."
}
