package main

import (
	"errors"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/go-viper/mapstructure/v2"
	"github.com/knadh/koanf/parsers/yaml"
	"github.com/knadh/koanf/providers/file"
	"github.com/knadh/koanf/v2"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/server"
)

const (
	defaultListen = "127.0.0.1:8787"
	defaultData   = "demo-data"
)

// common holds the flags that every verb takes.
type common struct {
	Data      string `default:"${data}" type:"path" help:"Folder for database, keys and decks (${data})." placeholder:"DIR"`
	Config    string `type:"existingfile" help:"YAML file with providers, prices, model.default, app.database, auth.database, deployment, approvals and jobs." placeholder:"FILE"`
	LogFormat string `enum:"text,json" default:"text" help:"How the log is written: text or json."`
	Verbose   bool   `short:"v" help:"Log more."`
}

// Validate refuses a data folder without a name, which would be the current one.
func (c common) Validate() error {
	if c.Data == "" {
		return errors.New("--data needs the name of a folder")
	}
	return nil
}

func (c common) logger(e *env) *slog.Logger {
	level := slog.LevelWarn
	if c.Verbose {
		level = slog.LevelInfo
	}
	o := &slog.HandlerOptions{Level: level}
	if c.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(e.stderr, o))
	}
	return slog.New(slog.NewTextHandler(e.stderr, o))
}

// fileConfig is what the YAML file may hold.
type fileConfig struct {
	Model struct {
		Default string `koanf:"default"`
	} `koanf:"model"`
	App struct {
		Database string `koanf:"database"`
	} `koanf:"app"`
	Auth struct {
		Database string `koanf:"database"`
	} `koanf:"auth"`
	Providers []server.Provider `koanf:"providers"`
	// Prices is the path of a price table that replaces the one built in.
	Prices string `koanf:"prices"`
	// Deployment is operated or self-hosted.
	Deployment agent.Deployment `koanf:"deployment"`
	// Corpus says that the corpus is on a Chroma server, Embed what makes its vectors.
	Corpus *server.ChromaServer `koanf:"corpus"`
	Embed  *server.Embed        `koanf:"embed"`
	// Approvals says how people who left the tab hear of a preview that waits.
	Approvals *server.Away `koanf:"approvals"`
	// Jobs says when the jobs run.
	Jobs server.Schedule `koanf:"jobs"`
}

// settings reads the file, then the environment. Providers of the file replace the
// known ones with the same id and stand before them.
func (c common) settings() (fileConfig, error) {
	var cfg fileConfig
	k := koanf.New(".")
	if c.Config != "" {
		if err := k.Load(file.Provider(c.Config), yaml.Parser()); err != nil {
			return cfg, &agent.Error{Code: agent.CodeInvalidInput, Message: "The configuration " + c.Config + " cannot be read.",
				Hint: "It must be YAML with the members model, providers, prices, app, auth, deployment, corpus, embed, approvals and jobs.", Cause: err}
		}
		var read mapstructure.Metadata
		into := &mapstructure.DecoderConfig{Result: &cfg, TagName: "koanf", Metadata: &read, WeaklyTypedInput: true,
			DecodeHook: mapstructure.StringToTimeDurationHookFunc()}
		if err := k.UnmarshalWithConf("", &cfg, koanf.UnmarshalConf{DecoderConfig: into}); err != nil {
			return cfg, c.misread(misfits(err), "docs/guides/operate.md shows the form of each member.")
		}
		if len(read.Unused) > 0 {
			slices.Sort(read.Unused)
			return cfg, c.misread("not known: "+strings.Join(read.Unused, ", "),
				"A member that is not known is refused, because it may be misspelt; docs/guides/operate.md lists them.")
		}
	}
	takeSecrets(cfg.Approvals)
	takeCorpusSecrets(cfg.Corpus, cfg.Embed)
	named := map[string]bool{}
	for i, p := range cfg.Providers {
		named[p.ID] = true
		cfg.Providers[i].From = "baseUrl in " + c.Config
	}
	for _, p := range server.DefaultProviders(baseURLs()) {
		p.From = baseURLEnv(p.ID)
		if !named[p.ID] {
			cfg.Providers = append(cfg.Providers, p)
		}
	}
	return cfg, nil
}

func (c common) misread(what, hint string) error {
	return &agent.Error{Code: agent.CodeInvalidInput, Message: "The configuration " + c.Config + " does not have the expected form: " + what + ".", Hint: hint}
}

// misfits words what the decoder says of members with the wrong form, without its own
// heading and quotes.
func misfits(err error) string {
	var out []string
	for line := range strings.Lines(err.Error()) {
		line = strings.TrimPrefix(strings.TrimSpace(line), "* ")
		if line == "" || strings.HasPrefix(line, "decoding failed") || strings.HasPrefix(line, "1 error") || strings.HasSuffix(line, "errors occurred:") {
			continue
		}
		out = append(out, strings.ReplaceAll(line, "'", ""))
	}
	return strings.Join(out, "; ")
}

// takeSecrets reads the secrets of the channels, which no file holds.
func takeSecrets(a *server.Away) {
	if a != nil && a.Mail != nil {
		a.Mail.Password = agent.NewSecret(os.Getenv("IN_APP_AGENT_MAIL_PASSWORD"))
	}
	if a != nil && a.Webhook != nil {
		a.Webhook.Secret = agent.NewSecret(os.Getenv("IN_APP_AGENT_WEBHOOK_SECRET"))
	}
}

// databases says where the databases are.
func (c common) databases() (server.Databases, error) {
	cfg, err := c.settings()
	return server.Databases{Data: c.Data, App: cfg.App.Database, Auth: cfg.Auth.Database}, err
}

// baseURLs are the operator's addresses of the known providers.
func baseURLs() map[string]string {
	urls := map[string]string{}
	for _, p := range server.DefaultProviders(nil) {
		urls[p.ID] = os.Getenv(baseURLEnv(p.ID))
	}
	return urls
}

// baseURLEnv names the variable that holds the address of a known provider.
func baseURLEnv(provider string) string {
	return "IN_APP_AGENT_" + strings.ToUpper(provider) + "_BASE_URL"
}

// orgKeys are the server's own keys.
func orgKeys() map[string]agent.Secret {
	keys := map[string]agent.Secret{}
	for provider, name := range map[string]string{"anthropic": "ANTHROPIC_API_KEY", "openai": "OPENAI_API_KEY", "groq": "GROQ_API_KEY"} {
		if v := strings.TrimSpace(os.Getenv(name)); v != "" {
			keys[provider] = agent.NewSecret(v)
		}
	}
	return keys
}
