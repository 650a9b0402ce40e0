package policy

import (
	"encoding/json"
	"reflect"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

const made = int64(1_800_000_000_000)

var (
	rewrite = agent.Capability{Name: "slide.edit", Kind: agent.KindMutate, RememberFree: []string{"text", "note"}}
	sketch  = agent.Capability{Name: "slide.edit", Kind: agent.KindPreview}
	lets    = agent.OrgPolicy{Remember: agent.RememberMutate, RememberDays: 30}
)

func shownAs(input string, resources ...string) agent.Receipt {
	r := agent.Receipt{ID: "rc", Capability: "slide.edit", Project: agent.Project{ID: "deck", Kind: "slides"}, Input: json.RawMessage(input),
		Preview: agent.Preview{Summary: "Edit"}, CreatedAt: made + 5}
	for _, id := range resources {
		r.Resources = append(r.Resources, agent.Resource{ID: id, Version: "1"})
	}
	return r
}

func TestAPermissionIsDerivedFromTheReceiptAlone(t *testing.T) {
	p, err := Remember(rewrite, lets, shownAs(`{"count":3,"flag":true,"ratio":1.5,"shift":-2,"style":"bold","text":"x"}`, "slide/4", "slide/3", "slide/4"), made)
	if err != nil {
		t.Fatal(err)
	}
	three := int64(3)
	want := agent.Permission{ReceiptID: "rc", Summary: "Edit", Capability: "slide.edit", ProjectID: "deck", ProjectKind: "slides",
		Resources: []string{"slide/3", "slide/4"}, CreatedAt: made, Until: made + 30*day, Limits: []agent.ArgumentLimit{
			{Argument: "count", Max: &three}, {Argument: "flag", Equal: json.RawMessage("true")}, {Argument: "note", Any: true},
			{Argument: "ratio", Equal: json.RawMessage("1.5")}, {Argument: "shift", Equal: json.RawMessage("-2")},
			{Argument: "style", Equal: json.RawMessage(`"bold"`)}, {Argument: "text", Any: true}}}
	if !reflect.DeepEqual(p, want) {
		t.Errorf("got  %+v\nwant %+v", p, want)
	}
}

func TestTheCeilingSaysWhatMayBeRemembered(t *testing.T) {
	for name, c := range map[string]struct {
		cap  agent.Capability
		pol  agent.OrgPolicy
		code agent.Code
	}{
		"a mutate where changes may be":       {rewrite, lets, ""},
		"a mutate by default":                 {rewrite, agent.OrgPolicy{Remember: agent.RememberPreview, RememberDays: 30}, agent.CodePolicyDenied},
		"a preview by default":                {sketch, agent.OrgPolicy{Remember: agent.RememberPreview, RememberDays: 30}, ""},
		"a preview where nothing may be":      {sketch, agent.OrgPolicy{Remember: agent.RememberOff, RememberDays: 30}, agent.CodePolicyDenied},
		"a preview under a policy of nothing": {sketch, agent.OrgPolicy{}, agent.CodePolicyDenied},
		"an unknown word":                     {sketch, agent.OrgPolicy{Remember: "all", RememberDays: 30}, agent.CodePolicyDenied},
		"no days at all":                      {sketch, agent.OrgPolicy{Remember: agent.RememberMutate}, agent.CodePolicyDenied},
	} {
		if _, err := Remember(c.cap, c.pol, shownAs(`{}`, "slide/4"), made); agent.ErrorCode(err) != c.code && (err != nil || c.code != "") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Remember(rewrite, lets, shownAs(`{}`), made); agent.ErrorCode(err) != agent.CodeInvalidInput {
		t.Errorf("a change that names no resource: %v", err)
	}
	if _, err := Remember(rewrite, lets, shownAs(`[]`, "slide/4"), made); agent.ErrorCode(err) != agent.CodeInvalidInput {
		t.Errorf("arguments that are none: %v", err)
	}
}

func TestAPermissionLetsThroughWhatIsInsideItsScopeOnly(t *testing.T) {
	accepted := shownAs(`{"count":3,"style":"bold","text":"x"}`, "slide/4", "slide/5")
	p, err := Remember(rewrite, lets, accepted, made)
	if err != nil {
		t.Fatal(err)
	}
	at := made + 10
	for name, c := range map[string]struct {
		change func(*agent.Permission, *agent.Capability, *agent.OrgPolicy, *agent.Receipt)
		input  string
		at     int64
		want   bool
	}{
		"the same again":         {want: true},
		"a smaller number":       {input: `{"count":0,"style":"bold","text":"x"}`, want: true},
		"the number itself":      {input: `{"count":3,"style":"bold","text":"x"}`, want: true},
		"a larger number":        {input: `{"count":4,"style":"bold","text":"x"}`},
		"a negative number":      {input: `{"count":-1,"style":"bold","text":"x"}`},
		"a fraction":             {input: `{"count":2.5,"style":"bold","text":"x"}`},
		"a number as text":       {input: `{"count":"3","style":"bold","text":"x"}`},
		"a huge number":          {input: `{"count":99999999999999999999,"style":"bold","text":"x"}`},
		"another style":          {input: `{"count":3,"style":"Bold","text":"x"}`},
		"another text":           {input: `{"count":3,"style":"bold","text":"anything"}`, want: true},
		"a free one that is new": {input: `{"count":3,"note":"n","style":"bold","text":"x"}`, want: true},
		"a free one left out":    {input: `{"count":3,"style":"bold"}`, want: true},
		"an argument left out":   {input: `{"style":"bold","text":"x"}`},
		"an argument more":       {input: `{"count":3,"force":true,"style":"bold","text":"x"}`},
		"no arguments":           {input: `null`},
		"one resource of the two": {change: func(_ *agent.Permission, _ *agent.Capability, _ *agent.OrgPolicy, r *agent.Receipt) {
			r.Resources = r.Resources[:1]
		}, want: true},
		"another resource": {change: func(_ *agent.Permission, _ *agent.Capability, _ *agent.OrgPolicy, r *agent.Receipt) {
			r.Resources[0].ID = "slide/40"
		}},
		"one resource more": {change: func(_ *agent.Permission, _ *agent.Capability, _ *agent.OrgPolicy, r *agent.Receipt) {
			r.Resources = append(r.Resources, agent.Resource{ID: "slide/6"})
		}},
		"no resource": {change: func(_ *agent.Permission, _ *agent.Capability, _ *agent.OrgPolicy, r *agent.Receipt) {
			r.Resources = nil
		}},
		"another version": {change: func(_ *agent.Permission, _ *agent.Capability, _ *agent.OrgPolicy, r *agent.Receipt) {
			r.Resources[0].Version = "9"
		}, want: true},
		"another project": {change: func(_ *agent.Permission, _ *agent.Capability, _ *agent.OrgPolicy, r *agent.Receipt) {
			r.Project.ID = "deck2"
		}},
		"another kind of project": {change: func(_ *agent.Permission, _ *agent.Capability, _ *agent.OrgPolicy, r *agent.Receipt) {
			r.Project.Kind = "memo"
		}},
		"another capability": {change: func(_ *agent.Permission, c *agent.Capability, _ *agent.OrgPolicy, r *agent.Receipt) {
			r.Capability, c.Name = "slide.drop", "slide.drop"
		}},
		"a preview made again": {change: func(_ *agent.Permission, _ *agent.Capability, _ *agent.OrgPolicy, r *agent.Receipt) {
			r.Replaces = "rc0"
		}},
		"a preview from before": {change: func(p *agent.Permission, _ *agent.Capability, _ *agent.OrgPolicy, r *agent.Receipt) {
			r.CreatedAt = p.CreatedAt
		}},
		"a moment before its end": {at: made + 30*day - 1, want: true},
		"at its end":              {at: made + 30*day},
		"a ceiling that was lowered": {change: func(_ *agent.Permission, _ *agent.Capability, pol *agent.OrgPolicy, _ *agent.Receipt) {
			pol.Remember = agent.RememberPreview
		}},
		"a ceiling that was closed": {change: func(_ *agent.Permission, _ *agent.Capability, pol *agent.OrgPolicy, _ *agent.Receipt) {
			pol.Remember = agent.RememberOff
		}},
		"fewer days, still inside": {change: func(_ *agent.Permission, _ *agent.Capability, pol *agent.OrgPolicy, _ *agent.Receipt) {
			pol.RememberDays = 2
		}, at: made + 2*day - 1, want: true},
		"fewer days, and over": {change: func(_ *agent.Permission, _ *agent.Capability, pol *agent.OrgPolicy, _ *agent.Receipt) {
			pol.RememberDays = 2
		}, at: made + 2*day},
		"a limit that says nothing": {change: func(p *agent.Permission, _ *agent.Capability, _ *agent.OrgPolicy, _ *agent.Receipt) {
			p.Limits[0].Max = nil
		}},
	} {
		q, cap, pol, r, when := p, rewrite, lets, shownAs(string(accepted.Input), "slide/4", "slide/5"), at
		q.Limits = append([]agent.ArgumentLimit(nil), p.Limits...)
		if c.input != "" {
			r.Input = json.RawMessage(c.input)
		}
		if c.change != nil {
			c.change(&q, &cap, &pol, &r)
		}
		if c.at != 0 {
			when = c.at
		}
		if got := Permits(q, cap, pol, r, when); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
