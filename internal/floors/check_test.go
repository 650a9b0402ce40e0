package floors

import (
	"strings"
	"testing"
)

func TestImportsStayOnTheirFloors(t *testing.T) {
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	packages, err := Load(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(packages) < 5 {
		t.Fatalf("only %d packages were listed", len(packages))
	}
	for _, breach := range Check(packages) {
		t.Error(breach)
	}
}

func TestEveryKindOfBreachIsReported(t *testing.T) {
	in := func(path string) string { return module + "/" + path }
	one := func(path string, imports ...string) Package { return Package{ImportPath: in(path), Imports: imports} }
	for name, tt := range map[string]struct {
		p    Package
		says string
	}{
		"a package that no floor knows":         {one("internal/misc"), "internal/misc stands on no floor"},
		"a new top-level package":               {one("extras"), "extras stands on no floor"},
		"a package below one that is known":     {one("vault/deep"), "vault/deep stands on no floor"},
		"the root importing ours":               {Package{ImportPath: module, Imports: []string{in("capability")}}, ". may not import capability (floor 0 ground"},
		"the root importing a third party":      {Package{ImportPath: module, Imports: []string{"golang.org/x/text"}}, ". may not import golang.org/x/text"},
		"a rule importing the heart":            {one("internal/policy", in("internal/engine")), "may not import internal/engine (floor 1 rules"},
		"a rule importing another rule":         {one("internal/prompt", in("capability")), "may not import capability (floor 1 rules"},
		"built in importing a socket":           {one("capability/builtin", in("corpus/embedded")), "may not import corpus/embedded (floor 1b"},
		"a tool importing a rule":               {one("internal/sse", in("capability")), "may not import capability (floor 1 tool"},
		"the engine importing a store":          {one("internal/engine", in("store/sqlite")), "may not import store/sqlite (floor 2 heart"},
		"the engine importing a presenter":      {one("internal/engine", in("internal/httpapi")), "may not import internal/httpapi"},
		"a provider importing another":          {one("provider/openai", in("provider/anthropic")), "may not import provider/anthropic (floor 3"},
		"a provider importing its kit":          {one("provider/openai", in("provider/providertest")), "may not import provider/providertest"},
		"a store importing the vault":           {one("store/sqlite", in("vault")), "may not import vault (floor 3"},
		"a store importing the engine":          {one("store/sqlite", in("internal/engine")), "may not import internal/engine"},
		"a presenter importing the engine":      {one("internal/httpapi", in("internal/engine")), "may not import internal/engine (floor 4"},
		"a presenter importing the registry":    {one("internal/httpapi", in("capability")), "may not import capability (floor 4"},
		"the server importing the command":      {one("server", in("cmd/in-app-agent")), "may not import cmd/in-app-agent (floor 5"},
		"an example looking inside":             {one("examples/dididecks/deck", in("internal/engine")), "may not import internal/engine (floor 6"},
		"the command looking inside":            {one("cmd/in-app-agent", in("internal/account")), "may not import internal/account (floor 6"},
		"an end test looking inside":            {one("e2e/crash", in("internal/engine")), "may not import internal/engine (floor 6"},
		"a kit importing an adapter":            {one("store/storetest", in("store/sqlite")), "may not import store/sqlite (floor kits"},
		"a tool of the tree importing ours":     {one("internal/floors", module), "may not import . (floor tools"},
		"wiregen importing the engine":          {one("internal/wiregen", in("internal/engine")), "may not import internal/engine (floor tools"},
		"a third party that is not wrapped":     {one("provider/openai", "github.com/anthropics/anthropic-sdk-go/v2/option"), "may not import github.com/anthropics/anthropic-sdk-go/v2/option (third party"},
		"a module whose name only begins alike": {one("store/sqlite", "modernc.org/sqlite2"), "may not import modernc.org/sqlite2"},
		"a module of ours that only seems so":   {one("vault", module+"x/y"), "third party"},
		"a test that reaches across": {Package{ImportPath: in("provider/openai"), TestImports: []string{in("provider/scripted")}},
			"provider/openai (in a test) may not import provider/scripted"},
		"an external test that reaches up": {Package{ImportPath: in("internal/httpapi"), XTestImports: []string{in("server")}},
			"internal/httpapi (in a test) may not import server"},
		"a third party in a test": {Package{ImportPath: in("vault"), TestImports: []string{"github.com/stretchr/testify/require"}},
			"vault (in a test) may not import github.com/stretchr/testify/require"},
	} {
		t.Run(name, func(t *testing.T) {
			got := Check([]Package{tt.p})
			if len(got) != 1 || !strings.Contains(got[0], tt.says) {
				t.Fatalf("reported %q, want one with %q", got, tt.says)
			}
		})
	}
}

func TestWhatIsAllowedIsNotReported(t *testing.T) {
	in := func(path string) string { return module + "/" + path }
	for _, p := range []Package{
		{ImportPath: module, Imports: []string{"context", "encoding/json"}},
		{ImportPath: in("capability"), Imports: []string{module, "github.com/google/jsonschema-go/jsonschema", "github.com/santhosh-tekuri/jsonschema/v6/kind"}},
		{ImportPath: in("capability"), XTestImports: []string{in("capability"), "pgregory.net/rapid"}},
		{ImportPath: in("internal/engine"), Imports: []string{in("internal/policy")}, XTestImports: []string{in("store/sqlite")}},
		{ImportPath: in("provider/openai"), Imports: []string{in("internal/outbound")}, TestImports: []string{in("provider/providertest")}},
		{ImportPath: in("server"), Imports: []string{in("internal/engine"), in("provider/anthropic"), in("auth")}},
		{ImportPath: in("examples/dididecks"), Imports: []string{in("capability"), in("examples/dididecks/deck"), "github.com/yuin/goldmark"}},
		{ImportPath: in("e2e/fakeprovider"), Imports: []string{in("provider/scripted"), in("e2e/fakeprovider/fake")}},
		{ImportPath: in("agenttest"), Imports: []string{in("internal/engine"), in("server")}},
	} {
		if got := Check([]Package{p}); len(got) != 0 {
			t.Errorf("%s: %q", p.ImportPath, got)
		}
	}
}

func TestEveryRowHasAReasonAndSaysNothingTwice(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range Floors {
		if f.Reason == "" || f.Name == "" || len(f.Packages) == 0 {
			t.Errorf("the row %+v is not complete", f)
		}
		for _, pattern := range f.Packages {
			if seen[pattern] {
				t.Errorf("%s stands in two rows", pattern)
			}
			seen[pattern] = true
		}
	}
}
