package policy

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

const day = int64(24 * time.Hour / time.Millisecond)

// ceiling says whether the org lets this kind of capability be remembered at all.
func ceiling(c agent.Capability, pol agent.OrgPolicy) bool {
	if pol.RememberDays < 1 || c.StaffOnly {
		return false
	}
	switch pol.Remember {
	case agent.RememberMutate:
		return true
	case agent.RememberPreview:
		return c.Kind != agent.KindMutate
	}
	return false
}

// Remember derives the permission that an accept of a receipt is remembered as: this
// capability in this project, on the resources of the preview, with its arguments
// as limits, for as long as the org's ceiling lets it. Errors: policy_denied,
// invalid_input (the preview names nothing to bind a permission to).
func Remember(c agent.Capability, pol agent.OrgPolicy, r agent.Receipt, now int64) (agent.Permission, error) {
	if !ceiling(c, pol) {
		return agent.Permission{}, &agent.Error{Code: agent.CodePolicyDenied, Message: "Your organization does not let this be remembered.",
			Hint: "Accept it without remembering it; an org admin can change that."}
	}
	p := agent.Permission{
		ReceiptID: r.ID, Summary: r.Preview.Summary, Capability: r.Capability, ProjectID: r.Project.ID, ProjectKind: r.Project.Kind,
		CreatedAt: now, Until: now + int64(pol.RememberDays)*day,
	}
	for _, res := range r.Resources {
		if res.ID != "" && !slices.Contains(p.Resources, res.ID) {
			p.Resources = append(p.Resources, res.ID)
		}
	}
	var err error
	if p.Limits, err = limits(c, r.Input); err != nil || len(p.Resources) == 0 {
		return agent.Permission{}, &agent.Error{Code: agent.CodeInvalidInput, Cause: err,
			Message: "This change cannot be remembered: it does not say what it would be limited to.", Hint: "Accept it without remembering it."}
	}
	slices.Sort(p.Resources)
	return p, nil
}

// limits bounds each argument to what was accepted: whole numbers may be smaller,
// what the capability left free may be anything, all else must be the same.
func limits(c agent.Capability, input json.RawMessage) ([]agent.ArgumentLimit, error) {
	args, err := arguments(input)
	if err != nil {
		return nil, err
	}
	for _, name := range c.RememberFree { // it may also come when it was not there
		if _, there := args[name]; !there {
			args[name] = nil
		}
	}
	out := make([]agent.ArgumentLimit, 0, len(args))
	for name, value := range args {
		l := agent.ArgumentLimit{Argument: name}
		switch n, whole := wholeNumber(value); {
		case slices.Contains(c.RememberFree, name):
			l.Any = true
		case whole && n >= 0:
			l.Max = &n
		default:
			l.Equal = value
		}
		out = append(out, l)
	}
	slices.SortFunc(out, func(a, b agent.ArgumentLimit) int { return bytes.Compare([]byte(a.Argument), []byte(b.Argument)) })
	return out, nil
}

// arguments takes canonical arguments apart.
func arguments(input json.RawMessage) (map[string]json.RawMessage, error) {
	args := map[string]json.RawMessage{}
	err := json.Unmarshal(input, &args)
	return args, err
}

func wholeNumber(raw json.RawMessage) (int64, bool) {
	n, err := strconv.ParseInt(string(raw), 10, 64)
	return n, err == nil
}

// Permits says whether a permission lets a preview be accepted without a person: it
// was given before the preview was made, the org's ceiling as it is now still lets
// it, and the preview is the first one of its call and wholly inside its scope.
func Permits(p agent.Permission, c agent.Capability, pol agent.OrgPolicy, r agent.Receipt, now int64) bool {
	switch {
	case !InForce(p, c, pol, now), p.CreatedAt >= r.CreatedAt, r.Replaces != "":
		return false
	case p.Capability != c.Name, p.Capability != r.Capability, p.ProjectID != r.Project.ID, p.ProjectKind != r.Project.Kind:
		return false
	case len(r.Resources) == 0:
		return false
	}
	for _, res := range r.Resources {
		if !slices.Contains(p.Resources, res.ID) {
			return false
		}
	}
	return within(p.Limits, r.Input)
}

// InForce says whether a permission may act at all under the policy as it is now.
func InForce(p agent.Permission, c agent.Capability, pol agent.OrgPolicy, now int64) bool {
	return ceiling(c, pol) && now < p.Until && now < p.CreatedAt+int64(pol.RememberDays)*day
}

// within says whether canonical arguments are inside limits.
func within(limits []agent.ArgumentLimit, input json.RawMessage) bool {
	args, err := arguments(input)
	if err != nil {
		return false
	}
	for _, l := range limits {
		value, there := args[l.Argument]
		delete(args, l.Argument)
		switch {
		case l.Any:
		case !there:
			return false
		case l.Max != nil:
			if n, whole := wholeNumber(value); !whole || n < 0 || n > *l.Max {
				return false
			}
		case len(l.Equal) == 0 || !bytes.Equal(l.Equal, value):
			return false
		}
	}
	return len(args) == 0 // nothing that was not there when it was accepted
}
