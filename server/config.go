package server

import (
	"log/slog"
	"net"
	"net/http"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/capability"
)

// Config is what a host says about itself. App, Data, Registry and Host are
// needed; everything else has a default.
type Config struct {
	// App is the name people know the app by; it stands in the prompt.
	App string
	// Data is the folder for database, keys and corpus; it is made with mode 0700.
	Data string
	// Database and AuthDatabase are URLs or paths; "" means agent.db inside Data,
	// and the same file for both.
	Database     string
	AuthDatabase string
	// Registry holds the app's capabilities; New adds the shared ones.
	Registry *capability.Registry
	Host     agent.Host
	// Corpus replaces the embedded one inside Data.
	Corpus agent.Corpus
	// Chroma, when set, is where the corpus is instead of inside Data.
	Chroma *ChromaServer
	// Embed makes the vectors of the corpus; without it words alone rank.
	Embed *Embed
	// Similarity ranks the agent's notes when it recalls them; nil compares their words.
	Similarity agent.Similarity
	// Providers are the model endpoints; nil means DefaultProviders.
	Providers []Provider
	// Scripted, when set, is offered as the model "scripted", which needs no key.
	Scripted agent.Model
	// DefaultModel is model.default; "" means claude-sonnet-4-6.
	DefaultModel string
	// PriceFile is a price table of the operator's, which replaces the one built in.
	PriceFile string
	// OrgKeys are the keys of the server's environment by provider id: what paying
	// orgs use without a key of their own.
	OrgKeys map[string]agent.Secret
	// Hosts are the Host values that are answered, Origins the origins that may sign
	// in with the development login. Loopback gives both for a listener.
	Hosts   []string
	Origins []string
	// Deployment says whose server this is; "" means self-hosted. Only an operated one
	// has what reaches across clients, and only for staff.
	Deployment agent.Deployment
	// Dev mounts the development login and seeds its people.
	Dev bool
	// Jobs opens the server for jobs alone: it takes up no turn that was left and
	// starts none, so no model is asked.
	Jobs bool
	// Schedule says when the jobs run; HostJobs are the host's own, such as the clean-up
	// of what its previews leave behind.
	Schedule Schedule
	HostJobs []Job
	// Secure marks cookies Secure; set it wherever TLS is spoken to the browser.
	Secure bool
	// Away, when set, tells people who left the tab of previews that wait.
	Away *Away
	// Routes makes the app's own pages, mounted at /; signedIn answers 401 to who
	// has no principal and puts it into the context of who has.
	Routes func(signedIn func(http.Handler) http.Handler) http.Handler
	Log    *slog.Logger
	Now    func() time.Time
	IDs    agent.IDSource
}

// Provider is a model endpoint that the operator configured.
type Provider struct {
	// ID is what key rows carry: anthropic, openai, groq, or the operator's word.
	ID string `koanf:"id"`
	// Kind is the wire: anthropic or openai.
	Kind string `koanf:"kind"`
	// BaseURL is the address; "" means the maker's own. It may be private.
	BaseURL string `koanf:"baseUrl"`
	// API is chat or responses, for kind openai; "" lets the address say.
	API string `koanf:"api"`
	// Models are names and globs; the first plain name is the one that keys are
	// tested with.
	Models []string `koanf:"models"`
	// Windows are the context windows of models, where DefaultWindows does not have
	// the right ones. A conversation that grows longer is compacted.
	Windows []ModelWindow `koanf:"windows"`
	// Keyless marks an endpoint that takes no key, such as a local server.
	Keyless bool `koanf:"keyless"`
	// From says in an error where BaseURL was given, such as the name of a variable.
	From string `koanf:"-"`
}

// DefaultModel is the model where nobody chose another.
const DefaultModel = "claude-sonnet-4-6"

// DefaultProviders gives the known providers; baseURL replaces an address by
// provider id, as the operator's environment says.
func DefaultProviders(baseURL map[string]string) []Provider {
	return []Provider{
		{ID: "anthropic", Kind: "anthropic", BaseURL: baseURL["anthropic"],
			Models: []string{DefaultModel, "claude-opus-4-6", "claude-haiku-4-5", "claude-*"}},
		{ID: "openai", Kind: "openai", BaseURL: baseURL["openai"], API: "responses",
			Models: []string{"gpt-5.2", "gpt-5-mini", "gpt-*", "o3*", "o4*"}},
		{ID: "groq", Kind: "openai", BaseURL: orElse(baseURL["groq"], "https://api.groq.com/openai/v1/"), API: "chat",
			Models: []string{"openai/gpt-oss-120b", "llama-3.3-70b-versatile", "llama-*"}},
	}
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// Loopback gives the Host values and origins under which a loopback listener is
// reached: its own address and port, and localhost.
func Loopback(addr net.Addr) (hosts, origins []string) {
	host, port, err := net.SplitHostPort(addr.String())
	if err != nil {
		return nil, nil
	}
	for _, h := range []string{host, "localhost"} {
		at := net.JoinHostPort(h, port)
		hosts = append(hosts, at)
		origins = append(origins, "http://"+at)
	}
	return hosts, origins
}
