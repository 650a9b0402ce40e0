package engine

import (
	"context"
	"errors"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/failpoint"
	"github.com/lossless-group/in-app-agent/internal/policy"
)

// byRule is who decides where a remembered permission does.
const byRule = "rule"

// ruleTries bounds how often a rule that was overtaken by another policy is weighed
// again before the preview is left to its user.
const ruleTries = 3

// rememberAs gives an accept the permission that it is to be remembered as.
func (e *Engine) rememberAs(c *choice, cp agent.Capability, pol agent.OrgPolicy) error {
	p, err := policy.Remember(cp, pol, c.receipt, e.at())
	if err != nil {
		return err
	}
	p.ID = e.IDs("perm")
	c.remember = &p
	return nil
}

// scope gives what an accept would be remembered as, as things are; nil where it may
// not be.
func (r *run) scope(cp agent.Capability, receipt agent.Receipt) *agent.PermissionScope {
	p, err := policy.Remember(cp, r.policy, receipt, r.e.at())
	if err != nil {
		return nil
	}
	return &agent.PermissionScope{Resources: p.Resources, Limits: p.Limits, Days: r.policy.RememberDays}
}

// byRules gives the open previews of the turn that remembered permissions let
// through now, and the version of the policy that this was weighed under. A run that
// took up a dead process's turn leaves every preview to its user, and so does one
// whose credential may not approve.
func (r *run) byRules(ctx context.Context) (allowed []choice, version int64, err error) {
	if r.adopted || !r.principal.Has(agent.ScopeApprove) {
		return nil, 0, nil
	}
	var pol agent.OrgPolicy
	var now agent.Principal
	for _, rc := range r.rec.Receipts {
		if rc.State != agent.ReceiptOpen || rc.Replaces != "" {
			continue
		}
		rules, err := r.e.Store.PermissionsFor(ctx, rc.Capability, rc.Project, r.e.at())
		if err != nil {
			return nil, 0, err
		}
		if len(rules) == 0 {
			continue
		}
		if now.UserID == "" { // nobody is asked, so everything is asked again
			if pol, now, err = r.asOfNow(ctx); err != nil {
				return nil, 0, err
			}
		}
		cp, ok := r.e.Registry.Get(rc.Capability)
		if !ok || policy.Allowed(cp, now, pol) != nil || policy.Allowed(cp, r.principal, pol) != nil {
			continue
		}
		for _, rule := range rules {
			if policy.Permits(rule, cp, pol, rc, r.e.at()) || failpoint.Planted("scope_from_client") {
				allowed = append(allowed, choice{receipt: rc, verdict: agent.VerdictAccepted, rule: rule.ID})
				break
			}
		}
	}
	return allowed, pol.Version, nil
}

// asOfNow gives the org's policy and the person's tier as they are now; a person who
// may not open the project any more is an error.
func (r *run) asOfNow(ctx context.Context) (agent.OrgPolicy, agent.Principal, error) {
	pol, err := r.e.Store.Policy(ctx)
	if err != nil {
		return pol, agent.Principal{}, err
	}
	now, err := r.e.Members.Member(ctx, r.principal.UserID, r.principal.OrgID)
	if err != nil {
		return pol, now, err
	}
	_, err = r.e.Host.OpenProject(ctx, r.rec.Turn.ProjectKind, r.rec.Turn.ProjectID)
	return pol, now, err
}

// waitsForUser tells whether an open preview needs its user: not one that a rule
// lets through. Where that cannot be told, its user is asked.
func (r *run) waitsForUser() bool {
	allowed, _, err := r.byRules(context.WithoutCancel(r.ctx))
	return err != nil || len(allowed) == 0
}

// decideOrPark lets remembered permissions accept what they cover, and parks the
// turn when the rest waits for its user.
func (r *run) decideOrPark() (parked bool, err error) {
	for range ruleTries {
		allowed, version, err := r.byRules(context.WithoutCancel(r.ctx))
		if err != nil {
			r.e.Log.Warn("remembered permissions could not be weighed; the user is asked", "turn", r.rec.Turn.ID, "error", err)
			break
		}
		if len(allowed) == 0 {
			break
		}
		switch err = r.takeByRule(allowed, version); {
		case err == nil:
			return false, nil // their effects are due
		case errors.Is(err, errAgain):
		case storageTrouble(err):
			r.e.Log.Warn("a remembered permission was not used; the user is asked", "turn", r.rec.Turn.ID, "error", err)
		default:
			return false, err
		}
	}
	return r.park()
}

func (r *run) takeByRule(allowed []choice, version int64) error {
	r.l.write.Lock()
	defer r.l.write.Unlock()
	if r.effectsDue() > 0 {
		return nil // somebody decided meanwhile; it goes first
	}
	_, err := r.e.takeLocked(context.WithoutCancel(r.ctx), r.l, allowed, version, false)
	return err
}
