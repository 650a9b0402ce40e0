package builtin_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/capability"
	"github.com/lossless-group/in-app-agent/capability/builtin"
)

var editor = agent.Principal{UserID: "u1", OrgID: "o1", OrgSlug: "acme", Tier: agent.TierUser}

// run dispatches a call of a principal with everything offered.
func run(t *testing.T, reg *capability.Registry, p agent.Principal, name, input string, hidden ...string) agent.Result {
	t.Helper()
	env := &capability.Env{Offered: map[string]bool{}, Counter: capability.NewCounter(capability.Limits{}, 0, 0),
		Allow: func(agent.Capability) *agent.ResultError { return nil }}
	for _, c := range reg.All() {
		env.Offered[c.Name] = true
	}
	for _, name := range hidden {
		delete(env.Offered, name)
	}
	return reg.Dispatch(context.Background(), env, &agent.Call{Capability: name, Input: json.RawMessage(input), Principal: p,
		Project: agent.Project{ID: "deck_1", Kind: "deck", Title: "Pitch"}}).Result
}

func read[T any](t *testing.T, res agent.Result) (out T) {
	t.Helper()
	if !res.OK {
		t.Fatalf("refused: %+v", res.Error)
	}
	if err := json.Unmarshal(res.Output, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

type help struct {
	Capabilities []struct{ Name, Title, Description, Effect string }
	Note         string
}

func (h help) names() string {
	var names []string
	for _, c := range h.Capabilities {
		names = append(names, c.Name)
	}
	return strings.Join(names, " ")
}

func helpRegistry() *capability.Registry {
	reg := capability.NewRegistry()
	declare := func(name, title string, kind agent.Kind, tier agent.Tier) agent.Capability {
		return capability.Func(capability.Spec{Name: name, Title: title, Description: title + " of a deck.", Kind: kind, Tier: tier},
			func(context.Context, *agent.Call, struct{}) (int, error) { return 1, nil })
	}
	reg.Add(declare("slide.read", "Read a slide", agent.KindRead, agent.TierViewer), declare("deck.export", "Export", agent.KindMutate, agent.TierUser),
		declare("deck.purge", "Purge", agent.KindMutate, agent.TierAdmin), builtin.Help(reg))
	reg.Add(capability.Confirming(capability.Spec{Name: "slide.edit", Title: "Edit a slide", Description: "Edits.", Kind: agent.KindMutate, Tier: agent.TierUser},
		capability.Confirm[struct{}, int]{
			Resources: func(context.Context, *agent.Call, struct{}) ([]agent.Resource, error) { return nil, nil },
			Preview:   func(context.Context, *agent.Call, struct{}) (agent.Preview, error) { return agent.Preview{}, nil },
			Apply:     func(context.Context, *agent.Call, struct{}, agent.Receipt) (int, error) { return 1, nil },
		}))
	return reg
}

func TestHelpTellsWhatThisCallerCanAskFor(t *testing.T) {
	viewer, admin := editor, editor
	viewer.Tier, admin.Tier = agent.TierViewer, agent.TierAdmin
	for name, tt := range map[string]struct {
		who    agent.Principal
		input  string
		hidden []string
		want   string
	}{
		"an editor":        {editor, ``, nil, "capability.help deck.export slide.edit slide.read"},
		"a viewer":         {viewer, ``, nil, "capability.help slide.read"},
		"an admin":         {admin, ``, nil, "capability.help deck.export deck.purge slide.edit slide.read"},
		"a shorter list":   {editor, ``, []string{"deck.export"}, "capability.help slide.edit slide.read"},
		"about something":  {editor, `{"about":" SLIDE "}`, nil, "capability.help slide.edit slide.read"},
		"about the export": {editor, `{"about":"export"}`, nil, "capability.help deck.export"},
		"what is hidden":   {editor, `{"about":"purge"}`, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := read[help](t, run(t, helpRegistry(), tt.who, "capability.help", tt.input, tt.hidden...))
			if got.names() != tt.want {
				t.Errorf("got %q, want %q", got.names(), tt.want)
			}
			if (got.Note != "") != (tt.want == "") {
				t.Errorf("the note is %q", got.Note)
			}
		})
	}
}

func TestHelpSaysWhatEachThingDoes(t *testing.T) {
	got := read[help](t, run(t, helpRegistry(), editor, "capability.help", ``))
	want := map[string]string{"slide.edit": "preview first", "deck.export": "changes something at once", "slide.read": "only looks"}
	for _, c := range got.Capabilities {
		if !strings.Contains(c.Effect, want[c.Name]) || c.Title == "" || c.Description == "" {
			t.Errorf("%+v", c)
		}
	}
}

// host knows facts and nothing else.
type host struct {
	agent.Host
	facts []agent.Fact
	err   error
	asked agent.Project
}

func (h *host) Facts(_ context.Context, p agent.Project) ([]agent.Fact, error) {
	h.asked = p
	return h.facts, h.err
}

func TestFactsAreTheHostsOwn(t *testing.T) {
	h := &host{facts: []agent.Fact{{Name: "Slides", Value: "12"}}}
	reg := capability.NewRegistry()
	reg.Add(builtin.Facts(h))
	if res := run(t, reg, editor, "facts.list", `{}`); string(res.Output) != `{"project":{"id":"deck_1","kind":"deck","title":"Pitch"},"facts":[{"name":"Slides","value":"12"}]}` {
		t.Errorf("got %s %+v", res.Output, res.Error)
	}
	if h.asked.ID != "deck_1" {
		t.Errorf("asked about %+v", h.asked)
	}
	h.facts = nil
	if res := run(t, reg, editor, "facts.list", ``); !strings.Contains(string(res.Output), `"facts":[]`) {
		t.Errorf("got %s", res.Output)
	}
	if res := run(t, reg, editor, "facts.list", `{"projectId":"deck_of_others"}`); res.OK || res.Error.Code != agent.CodeInvalidInput {
		t.Errorf("a project in the arguments gave %+v", res)
	}
	h.err = agent.NotFound("project")
	if res := run(t, reg, editor, "facts.list", ``); res.OK || res.Error.Code != agent.CodeNotFound {
		t.Errorf("got %+v", res)
	}
}

func TestWhatTheHouseDeclaresIsClean(t *testing.T) {
	reg := capability.NewRegistry()
	reg.Add(builtin.Help(reg), builtin.Facts(&host{}), builtin.CorpusSearch(&corpus{}))
	for _, f := range reg.Lint() {
		t.Error(f)
	}
	names, _ := reg.Match([]string{})
	if got := strings.Join(names, " "); got != "capability.help corpus.search facts.list" {
		t.Errorf("shared are %q", got)
	}
}
