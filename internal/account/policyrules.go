package account

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/policy"
)

// maxRememberDays is the longest that an "always allow" may last.
const maxRememberDays = 365

// changed puts the members that are set into a policy, each as a whole. The policy's
// own JSON says which there are, so that a new member needs no word here. Errors:
// invalid_request.
func changed(p agent.OrgPolicy, set json.RawMessage) (agent.OrgPolicy, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(set, &members); err != nil || members == nil {
		return p, &agent.Error{Code: agent.CodeInvalidRequest, Pointer: "/set", Message: "The member /set must be an object."}
	}
	text, err := json.Marshal(p)
	if err != nil {
		return p, err
	}
	var known map[string]json.RawMessage
	if err := json.Unmarshal(text, &known); err != nil {
		return p, err
	}
	for name, value := range members {
		if _, ok := known[name]; !ok {
			return p, &agent.Error{Code: agent.CodeInvalidRequest, Pointer: "/set", Message: fmt.Sprintf("The policy has no member %q.", name),
				Hint: "GET /admin/policy shows the members."}
		}
		if string(value) == "null" {
			return p, wrongType(name)
		}
		known[name] = value
	}
	if text, err = json.Marshal(known); err != nil {
		return p, err
	}
	next := agent.OrgPolicy{OrgID: p.OrgID}
	reader := json.NewDecoder(bytes.NewReader(text))
	reader.DisallowUnknownFields() // of what stands inside a member
	if err := reader.Decode(&next); err != nil {
		var typ *json.UnmarshalTypeError
		if errors.As(err, &typ) {
			name, _, _ := strings.Cut(typ.Field, ".")
			return p, wrongType(name)
		}
		return p, &agent.Error{Code: agent.CodeInvalidRequest, Pointer: "/set", Message: "A member of the policy has a form that is not known here.", Cause: err}
	}
	return next, nil
}

func wrongType(name string) error {
	return &agent.Error{Code: agent.CodeInvalidRequest, Pointer: "/set/" + name, Message: "The member /set/" + name + " is not of the type that it must have."}
}

// same compares policies by their JSON, so that a new member counts.
func same(a, b agent.OrgPolicy) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

var capabilityForm = regexp.MustCompile(`^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$`)

// fits refuses a policy that says what cannot be meant. What stood there before stays
// allowed: a capability may be gone from the app, and a model from the providers.
func (a *Admin) fits(was, p agent.OrgPolicy) error {
	switch {
	case p.Version != was.Version:
		return invalid("/set/version", "The version moves by itself.")
	case p.Billing != was.Billing:
		return invalid("/set/billing", "Who pays is not changed here.")
	case len(p.DisabledCapabilities) > agent.MaxCapabilities:
		return invalid("/set/disabledCapabilities", fmt.Sprintf("At most %d capabilities can be disabled.", agent.MaxCapabilities))
	case !slices.Contains([]agent.RememberMode{agent.RememberOff, agent.RememberPreview, agent.RememberMutate}, p.Remember):
		return invalid("/set/remember", "What may be remembered is off, preview or mutate.")
	case p.RememberDays < 1 || p.RememberDays > maxRememberDays:
		return invalid("/set/rememberDays", fmt.Sprintf("A permission may last 1 to %d days.", maxRememberDays))
	case !slices.Contains([]string{"", agent.ResponseConcise, agent.ResponseThorough}, p.ResponseMode):
		return invalid("/set/responseMode", "The response mode is concise or thorough.")
	case !slices.Contains([]agent.CrossClientChoice{agent.CrossClientByBilling, agent.CrossClientAllowed, agent.CrossClientRefused}, p.CrossClientSearch):
		return invalid("/set/crossClientSearch", "It is allowed, refused, or empty to leave it to billing.")
	}
	for i, name := range p.DisabledCapabilities {
		at := fmt.Sprintf("/set/disabledCapabilities/%d", i)
		switch {
		case slices.Contains(p.DisabledCapabilities[:i], name):
			return invalid(at, "This capability stands twice in the list.")
		case slices.Contains(was.DisabledCapabilities, name):
		case !capabilityForm.MatchString(name) || (a.Known != nil && !a.Known(name)):
			return invalid(at, "There is no such capability here.")
		}
	}
	if _, err := policy.CompileRedaction(p.Redaction); err != nil {
		var fault *agent.Error
		if errors.As(err, &fault) {
			return invalid("/set/redaction"+fault.Pointer, fault.Message)
		}
		return err
	}
	if a.Models != nil && p.DefaultModel != "" && p.DefaultModel != was.DefaultModel {
		if _, err := a.Models.Route(p.DefaultModel); err != nil {
			return invalid("/set/defaultModel", "There is no such model here.")
		}
	}
	return nil
}
