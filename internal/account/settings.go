package account

import (
	"context"
	"log/slog"

	agent "github.com/lossless-group/in-app-agent"
)

// Settings gives the caller's settings with what can be chosen.
func (a *Account) Settings(ctx context.Context) (agent.SettingsView, error) {
	p, err := agent.PrincipalFrom(ctx)
	if err != nil {
		return agent.SettingsView{}, err
	}
	s, err := a.Config.Settings.UserSettings(ctx)
	if err != nil {
		return agent.SettingsView{}, err
	}
	policy, err := a.Policies.Policy(ctx)
	if err != nil {
		return agent.SettingsView{}, err
	}
	view := agent.SettingsView{
		UserSettings: s, Models: a.Models.List(), Billing: policy.Billing,
		Providers: KeyProviders(a.Models), ModelChoice: policy.AllowModelChoice,
	}
	if view.ResponseMode == "" {
		view.ResponseMode = policy.ResponseMode
	}
	if view.ResponseMode == "" {
		view.ResponseMode = agent.ResponseConcise
	}
	if view.Billing == "" {
		view.Billing = p.Billing
	}
	route, ok := a.effective(s, policy)
	if !ok {
		view.KeyRequired = true
		return view, nil
	}
	view.Effective = route.ModelInfo
	view.KeySource, view.KeyRequired = a.keySource(ctx, route, view.Billing)
	return view, nil
}

// effective finds the model that the next turn will ask: the user's, where they
// may choose, else the org's, else the operator's. One that is not served any more
// is passed over. ok is false when no model is configured.
func (a *Account) effective(s agent.UserSettings, policy agent.OrgPolicy) (agent.ModelRoute, bool) {
	names := []string{policy.DefaultModel, a.Models.Default()}
	if policy.AllowModelChoice {
		names = append([]string{s.Model}, names...)
	}
	for _, name := range names {
		if name == "" {
			continue
		}
		if route, err := a.Models.Route(name); err == nil {
			return route, true
		}
	}
	return agent.ModelRoute{}, false
}

// keySource finds whose key the next turn would use: the org's where it pays, else
// the user's. required is true when there is none that opens, and one of the user's own
// would help: in place of an org's key that does not open, none is asked for.
func (a *Account) keySource(ctx context.Context, route agent.ModelRoute, billing agent.Billing) (source agent.KeySource, required bool) {
	if !route.NeedsKey {
		return agent.KeySourceNone, false
	}
	if billing == agent.BillingPaying {
		ref, err := a.Vault.FindOrg(ctx, route.Provider)
		if _, ok := a.found(ref, err); ok {
			return ref.Source, false
		}
		if agent.ErrorCode(err) != agent.CodeNotFound {
			return agent.KeySourceOrg, false
		}
	}
	if ref, ok := a.found(a.Vault.Find(ctx, route.Provider)); ok {
		return ref.Source, false
	}
	return "", true
}

// found takes a key that does not open for none, and says so in the log.
func (a *Account) found(ref agent.KeyRef, err error) (agent.KeyRef, bool) {
	if err != nil && agent.ErrorCode(err) != agent.CodeNotFound {
		a.Log.Error("a stored key cannot be used", slog.Any("error", err))
	}
	return ref, err == nil
}

// PutSettings stores the caller's settings.
func (a *Account) PutSettings(ctx context.Context, s agent.UserSettings) (agent.SettingsView, error) {
	if _, err := agent.PrincipalFrom(ctx); err != nil {
		return agent.SettingsView{}, err
	}
	switch s.ResponseMode {
	case "", agent.ResponseConcise, agent.ResponseThorough:
	default:
		return agent.SettingsView{}, invalid("/responseMode", "The response mode is concise or thorough.")
	}
	if s.Model != "" {
		policy, err := a.Policies.Policy(ctx)
		if err != nil {
			return agent.SettingsView{}, err
		}
		if !policy.AllowModelChoice {
			return agent.SettingsView{}, &agent.Error{Code: agent.CodePolicyDenied, Pointer: "/model",
				Message: "Your organisation has fixed the model.", Hint: "Ask an admin of your organisation."}
		}
		if _, err := a.Models.Route(s.Model); err != nil {
			return agent.SettingsView{}, invalid("/model", "There is no such model here.")
		}
	}
	if err := a.Config.Settings.PutUserSettings(ctx, s, a.now()); err != nil {
		return agent.SettingsView{}, err
	}
	return a.Settings(ctx)
}
