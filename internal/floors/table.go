package floors

// module is the path before every package of ours.
const module = "github.com/lossless-group/in-app-agent"

// Floor is one row of the import table. Patterns are package paths below the
// module, "." for the root; "x/*" is every package directly below x, and
// "x/..." is x with everything below it.
type Floor struct {
	Name     string
	Packages []string
	// Ours are the packages of ours that may be imported; TestOurs may be imported
	// by tests besides.
	Ours, TestOurs []string
	// Free lets third-party packages in without a list.
	Free   bool
	Reason string
}

// shelves are the sockets that a host may pick from.
var shelves = []string{"provider/*", "store/*", "vault", "corpus/*", "memory", "auth"}

// Floors is the import table, from the ground up. The first row that names a
// package is its row; a package that no row names is an error.
var Floors = []Floor{
	{
		Name: "0 ground", Packages: []string{"."},
		Reason: "the vocabulary knows nobody, so that everybody can know it",
	},
	{
		Name: "1b built in", Packages: []string{"capability/builtin"},
		Ours: []string{".", "capability"}, TestOurs: []string{"corpus/embedded", "memory"},
		Reason: "what the house declares it declares as a host does",
	},
	{
		Name: "1 rules", Packages: []string{"capability", "internal/policy", "internal/prompt"},
		Ours:   []string{"."},
		Reason: "rules are pure: they are given everything and reach for nothing",
	},
	{
		Name: "1 tool", Packages: []string{"internal/sse", "internal/outbound", "internal/ranking"},
		Ours:   []string{"."},
		Reason: "a tool serves every floor above and knows none of them",
	},
	{
		Name: "1 tool for crashes", Packages: []string{"internal/failpoint"},
		Reason: "a point at which a test may end the process knows nothing of what it ends, and is empty in a usual build",
	},
	{
		Name: "2 heart", Packages: []string{"internal/engine", "internal/account"},
		Ours:     []string{".", "capability", "internal/policy", "internal/prompt", "internal/failpoint"},
		TestOurs: []string{"provider/scripted", "store/sqlite", "store/sqlite/faultydisk", "store/storetest", "vault"},
		Reason:   "the engine speaks to ports; only its tests plug in real sockets",
	},
	{
		Name: "2 heart: by the clock", Packages: []string{"internal/jobs"},
		Ours: []string{"."}, TestOurs: []string{"store/sqlite", "corpus/embedded"},
		Reason: "a job speaks to ports; only its tests plug in real sockets",
	},
	{
		Name: "kits of providers and stores", Packages: []string{"provider/providertest", "store/storetest"},
		Ours:   []string{"."},
		Reason: "a conformance suite fits every adapter, also a foreign one, so it knows the port alone",
	},
	{
		Name: "kit of disks", Packages: []string{"store/sqlite/faultydisk"},
		Reason: "it makes SQLite's files fail beneath a store, and knows nothing of what is stored",
	},
	{
		Name: "3 providers", Packages: []string{"provider/*"},
		Ours: []string{".", "internal/outbound"}, TestOurs: []string{"provider/providertest"},
		Reason: "an adapter knows the root and what it wraps; two adapters never meet",
	},
	{
		Name: "3 stores", Packages: []string{"store/*"},
		Ours: []string{".", "internal/outbound", "internal/failpoint"}, TestOurs: []string{"store/storetest"},
		Reason: "an adapter knows the root and what it wraps; two adapters never meet",
	},
	{
		Name: "kit of corpora", Packages: []string{"corpus/corpustest"},
		Ours:   []string{"."},
		Reason: "a conformance suite fits every adapter, also a foreign one, so it knows the port alone",
	},
	{
		Name: "kit of Chroma", Packages: []string{"corpus/chroma/chromatest"},
		Reason: "it starts a real server, and knows nothing of who asks it",
	},
	{
		Name: "3 corpora", Packages: []string{"corpus/*"},
		Ours: []string{".", "internal/outbound", "internal/ranking"}, TestOurs: []string{"corpus/corpustest", "corpus/chroma/chromatest"},
		Reason: "an adapter knows the root and what it wraps, and all adapters rank alike; two adapters never meet",
	},
	{
		Name: "3 sockets", Packages: []string{"vault", "memory", "auth"},
		Ours:   []string{".", "internal/outbound"},
		Reason: "an adapter knows the root and what it wraps; two adapters never meet",
	},
	{
		Name: "4 presenters", Packages: []string{"internal/httpapi", "internal/away"},
		Ours:   []string{".", "internal/sse", "internal/outbound"},
		Reason: "a presenter is thin because it cannot reach past the agent.Agent port, least of all to the engine",
	},
	{
		Name: "5 assembly", Packages: []string{"server"},
		Ours: append([]string{".", "capability", "capability/builtin", "internal/policy", "internal/prompt", "internal/sse", "internal/outbound",
			"internal/engine", "internal/account", "internal/jobs", "internal/httpapi", "internal/away"}, shelves...), TestOurs: []string{"corpus/chroma/chromatest"},
		Reason: "the one place where everything meets; nothing below it may need it",
	},
	{
		Name: "6 the command", Packages: []string{"cmd/*"},
		Ours: append([]string{".", "capability", "capability/builtin", "server", "examples/..."}, shelves...), TestOurs: []string{"agenttest", "corpus/chroma/chromatest"}, Free: true,
		Reason: "an end is built as a foreign host could build it: nothing internal. Its demo is an example",
	},
	{
		Name: "6 the test kit of hosts", Packages: []string{"agenttest"},
		Ours:   append([]string{".", "capability", "capability/builtin", "server", "internal/..."}, shelves...),
		Reason: "it hands hosts what they cannot reach themselves, so it alone of the ends looks inside",
	},
	{
		Name: "6 examples", Packages: []string{"examples/..."},
		Ours: append([]string{".", "capability", "capability/builtin", "server", "examples/..."}, shelves...), TestOurs: []string{"agenttest"}, Free: true,
		Reason: "an example shows what a foreign host can do: nothing internal",
	},
	{
		Name: "6 ends of tests and benchmarks", Packages: []string{"e2e/...", "bench/..."},
		Ours: append([]string{".", "capability", "capability/builtin", "server", "agenttest", "examples/...", "e2e/...", "bench/...", "corpus/chroma/chromatest"}, shelves...), Free: true,
		Reason: "what is measured and tested from outside is used as from outside: nothing internal",
	},
	{
		Name: "tools", Packages: []string{"internal/wiregen", "internal/wiregen/..."},
		Ours:   []string{".", "internal/httpapi", "internal/wiregen/..."},
		Reason: "it writes down the types of the wire: the root's and the presenters'",
	},
	{
		Name: "tools", Packages: []string{"internal/floors"},
		Reason: "it looks at the tree from outside",
	},
}

// Wraps names the third-party modules that a package may import: what it wraps
// and nothing else. A package that is not here imports none.
var Wraps = map[string][]string{
	"capability":         {"github.com/google/jsonschema-go", "github.com/santhosh-tekuri/jsonschema/v6"},
	"provider/anthropic": {"github.com/anthropics/anthropic-sdk-go/v2"},
	"provider/openai":    {"github.com/openai/openai-go/v3"},
	"store/sqlite":       {"modernc.org/sqlite", "github.com/pressly/goose/v3"},
	// SQLite's file system is reached below its driver, in the terms of the C library.
	"store/sqlite/faultydisk": {"modernc.org/sqlite", "modernc.org/libc"},

	"corpus/embedded":  {"modernc.org/sqlite"},
	"corpus/minilm":    {"golang.org/x/text"},
	"internal/ranking": {"golang.org/x/text"},
	"memory":           {"github.com/aymanbagabas/go-udiff", "golang.org/x/text"},
	"server":           {"github.com/knadh/koanf", "go.opentelemetry.io/otel"},
}

// TestTools are the third-party modules that any test may import.
var TestTools = []string{"pgregory.net/rapid", "github.com/google/go-cmp"}
