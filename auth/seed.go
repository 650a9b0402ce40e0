package auth

import (
	"context"
	"fmt"

	agent "github.com/lossless-group/in-app-agent"
)

// ScriptedModel is the name of the keyless model.
const ScriptedModel = "scripted"

// PayingOrg is the id of the development login's org that pays.
const PayingOrg = "org_paying"

// SeedOptions chooses what the seeded orgs ask by default.
type SeedOptions struct {
	// PayingModel is the default model of paying-client: one of a provider that the org
	// has a key for, else ScriptedModel.
	PayingModel string
	// DemoModel is the default model of demo: ScriptedModel where the server has it and its
	// own default model needs a key.
	DemoModel string
}

// DevUser is one of the people of the development login.
type DevUser struct {
	Name string // as in POST /api/dev/login
	ID   string
	Org  string // the org's id
	Role agent.Role
}

// DevUsers are the people of the development login.
var DevUsers = []DevUser{
	{"demo", "user_demo", "org_demo", agent.RoleEditor},
	{"lin", "user_lin", "org_lingering", agent.RoleEditor},
	{"pay", "user_pay", PayingOrg, agent.RoleEditor},
	{"adm", "user_adm", PayingOrg, agent.RoleOrgAdmin},
	{"view", "user_view", PayingOrg, agent.RoleViewer},
}

func devUser(name string) (DevUser, bool) {
	for _, u := range DevUsers {
		if u.Name == name {
			return u, true
		}
	}
	return DevUser{}, false
}

// SeedDev writes the orgs and the people of the development login. Doing it again
// changes nothing. Errors: the directory's.
func SeedDev(ctx context.Context, dir agent.Directory, o SeedOptions) error {
	orgs := []agent.Org{
		{ID: "org_demo", Slug: "demo", Name: "Demo", Billing: agent.BillingPaying, DefaultModel: o.DemoModel},
		{ID: "org_lingering", Slug: "lingering-client", Name: "Lingering Client", Billing: agent.BillingLingering},
		{ID: PayingOrg, Slug: "paying-client", Name: "Paying Client", Billing: agent.BillingPaying, DefaultModel: o.PayingModel},
	}
	for _, org := range orgs {
		if err := dir.PutOrg(ctx, org); err != nil {
			return fmt.Errorf("seed org %s: %w", org.Slug, err)
		}
	}
	for _, u := range DevUsers {
		user := agent.User{ID: u.ID, Name: u.Name, Email: u.Name + "@example.test"}
		if err := dir.PutUser(ctx, user); err != nil {
			return fmt.Errorf("seed user %s: %w", u.Name, err)
		}
		if err := dir.PutMembership(ctx, agent.Membership{UserID: u.ID, OrgID: u.Org, Role: u.Role}); err != nil {
			return fmt.Errorf("seed membership of %s: %w", u.Name, err)
		}
	}
	return nil
}
