package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

type orgsPolicyCmd struct {
	Get orgsPolicyGetCmd `cmd:"" help:"Show the policy of an org as JSON."`
	Set orgsPolicySetCmd `cmd:"" help:"Change members of the policy of an org, also beside a running server."`
}

type orgsPolicyGetCmd struct {
	common
	Org string `arg:"" help:"Slug of the org." placeholder:"SLUG"`
}

// Run shows the policy.
func (c *orgsPolicyGetCmd) Run(e *env) error {
	a, err := c.openAdmin(e)
	if err != nil {
		return err
	}
	defer func() { _ = a.Close() }()
	org, err := findOrg(e, a.Directory, c.Org)
	if err != nil {
		return err
	}
	p, err := a.OrgPolicy(asOperator(e, org))
	if err != nil {
		return err
	}
	return showPolicy(e, p)
}

type orgsPolicySetCmd struct {
	common
	Org     string   `arg:"" help:"Slug of the org." placeholder:"SLUG"`
	Members []string `arg:"" help:"Members with their new values, as orgs policy get shows them: rememberDays=14, disabledCapabilities=[\"deck.export\"]. What is no JSON is taken for a word." placeholder:"NAME=VALUE"`
}

// Run changes the policy on the version that it has now.
func (c *orgsPolicySetCmd) Run(e *env) error {
	set, err := membersToSet(c.Members)
	if err != nil {
		return usageError{err}
	}
	a, err := c.openAdmin(e)
	if err != nil {
		return err
	}
	defer func() { _ = a.Close() }()
	org, err := findOrg(e, a.Directory, c.Org)
	if err != nil {
		return err
	}
	ctx := asOperator(e, org)
	p, err := a.OrgPolicy(ctx)
	if err != nil {
		return err
	}
	if p, err = a.PutOrgPolicy(ctx, agent.PolicyChange{Version: p.Version, Set: set}); err != nil {
		return err
	}
	return showPolicy(e, p)
}

// membersToSet reads NAME=VALUE words into an object. A member that stands twice is a
// mistake.
func membersToSet(words []string) (json.RawMessage, error) {
	set := map[string]json.RawMessage{}
	for _, w := range words {
		name, value, ok := strings.Cut(w, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("%q is not NAME=VALUE", w)
		}
		if _, twice := set[name]; twice {
			return nil, errors.New(name + " stands twice")
		}
		raw := json.RawMessage(value)
		if !json.Valid(raw) {
			raw, _ = json.Marshal(value) // a string always encodes
		}
		set[name] = raw
	}
	return json.Marshal(set)
}

func showPolicy(e *env, p agent.OrgPolicy) error {
	text, err := json.MarshalIndent(p, "", "  ")
	if err == nil {
		fmt.Fprintln(e.stdout, string(text))
	}
	return err
}
