package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/auth"
	"github.com/lossless-group/in-app-agent/capability"
	"github.com/lossless-group/in-app-agent/capability/builtin"
	"github.com/lossless-group/in-app-agent/internal/account"
	"github.com/lossless-group/in-app-agent/internal/engine"
	"github.com/lossless-group/in-app-agent/internal/httpapi"
	"github.com/lossless-group/in-app-agent/internal/jobs"
	"github.com/lossless-group/in-app-agent/memory"
	"github.com/lossless-group/in-app-agent/store/sqlite"
	"github.com/lossless-group/in-app-agent/vault"
)

// policyEvery is how often the copy of the orgs' policies is refreshed.
const policyEvery = 5 * time.Second

// Server is an assembled agent.
type Server struct {
	cfg     Config
	log     *slog.Logger
	store   *sqlite.Store
	corpus  agent.Corpus
	auth    *auth.Auth
	vault   *vault.Vault
	engine  *engine.Engine
	jobs    *jobs.Runner
	ingest  *jobs.Ingest
	mirror  *jobs.Mirror
	handler http.Handler
	stop    context.CancelFunc
	loops   sync.WaitGroup
	close   []func() error
}

// New assembles a server: it opens and migrates the store, takes up the turns
// that a dead process left, and is ready to be mounted. The error says what to do.
func New(ctx context.Context, cfg Config) (*Server, error) {
	s := &Server{cfg: cfg.withDefaults()}
	s.log = s.cfg.Log
	if err := s.assemble(ctx); err != nil {
		return nil, errors.Join(err, s.Close(ctx))
	}
	return s, nil
}

func (c Config) withDefaults() Config {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.IDs == nil {
		c.IDs = newID(c.Now)
	}
	if c.Providers == nil {
		c.Providers = DefaultProviders(nil)
	}
	if c.Database == "" {
		c.Database = filepath.Join(c.Data, databaseFile)
	}
	return c
}

func (s *Server) assemble(ctx context.Context) error {
	c := s.cfg
	if c.App == "" || c.Data == "" || c.Registry == nil || c.Host == nil {
		return errors.New("server.Config needs App, Data, Registry and Host")
	}
	if err := os.MkdirAll(c.Data, 0o700); err != nil {
		return &agent.Error{Code: agent.CodeUnavailable, Message: "The data folder " + c.Data + " cannot be made.",
			Hint: "Name one with --data whose parent is a folder that you may write to.", Cause: err}
	}
	models, err := newCatalogue(c)
	if err != nil {
		return err
	}
	prices, err := c.prices()
	if err != nil {
		return err
	}
	if err := s.openStore(ctx); err != nil {
		return err
	}
	if err := s.openVault(ctx); err != nil {
		return err
	}
	if err := s.openCorpus(ctx); err != nil {
		return err
	}
	c.Registry.Add(builtin.Help(c.Registry), builtin.Facts(c.Host), builtin.CorpusSearch(s.corpus))
	c.Registry.Add(s.remembering()...)
	if err := s.addCrossClient(); err != nil {
		return err
	}
	if err := lint(c.Registry, s.log); err != nil {
		return err
	}
	if err := s.openAuth(ctx, models); err != nil {
		return err
	}
	s.engine, err = engine.New(ctx, engine.Config{
		App: c.App, Store: s.store, Members: s.store, Registry: c.Registry, Models: models, Vault: s.vault, Redactions: s.vault, Host: c.Host,
		Now: c.Now, IDs: c.IDs, Log: s.log, Jobs: c.Jobs, Reminders: s.store,
		Prices: prices,
	})
	if err != nil {
		return err
	}
	if err := s.openJobs(); err != nil {
		return err
	}
	acc := s.account(models)
	notices, err := s.openAway(acc)
	if err != nil {
		return err
	}
	loop, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.stop = stop
	mux := s.mount(acc, models)
	s.tellAway(loop, notices, mux)
	s.handler = httpapi.Identified(s.cfg.IDs, inTime(bodyTimeout, s.answersFor(mux)))
	s.loops.Go(func() { s.refreshPolicies(loop) })
	if !c.Jobs {
		s.loops.Go(func() { s.jobs.Loop(loop) })
	}
	return nil
}

func (s *Server) openStore(ctx context.Context) (err error) {
	for _, path := range []string{s.cfg.Database, s.cfg.AuthDatabase} {
		if err := notEmptied(s.cfg.Data, path); err != nil {
			return err
		}
	}
	key, err := auditKey(s.cfg.Data)
	if err != nil {
		return err
	}
	s.store, err = sqlite.Open(ctx, sqlite.Config{App: s.cfg.Database, Auth: s.cfg.AuthDatabase, AuditKey: key, Clock: s.cfg.Now, IDs: s.cfg.IDs, Log: s.log})
	if err == nil {
		s.close = append(s.close, s.store.Close)
	}
	return err
}

// notEmptied refuses a database file without content in a folder that was used before: it
// was cut off or restored badly, and a start would make a new one in its place.
func notEmptied(data, path string) error {
	info, err := os.Stat(path)
	log, logErr := os.Stat(path + "-wal")
	emptied := err == nil && info.Mode().IsRegular() && info.Size() == 0 && (logErr != nil || log.Size() == 0)
	if !emptied {
		return nil // a new one is made, or its own error is told
	}
	for _, made := range []string{secretFile, masterFile} { // both come after the database
		if _, err := os.Stat(filepath.Join(data, made)); err == nil {
			return &agent.Error{Code: agent.CodeUnavailable, Message: "The database " + path + " is empty, and " + made + " beside it says that this folder was used before.",
				Hint: "Put the database back from your backup. To begin anew, move the whole folder " + data + " away."}
		}
	}
	return nil
}

func (s *Server) openVault(ctx context.Context) error {
	master, damaged, err := openMaster(ctx, s.cfg.Data, s.store)
	if err != nil {
		return err
	}
	if damaged > 0 {
		s.log.Warn("some stored keys do not open: they were changed, or stored under another master key; their owners must store them again", "keys", damaged)
	}
	s.vault, err = vault.New(vault.Config{Rows: s.store, Maps: s.store, Master: master, Reload: reloadMaster(s.cfg.Data), Env: s.cfg.OrgKeys, Now: s.cfg.Now, IDs: s.cfg.IDs})
	return err
}

// lint refuses to start with a capability that a provider would refuse in the
// middle of a turn.
func lint(reg *capability.Registry, log *slog.Logger) error {
	var errs []error
	for _, f := range reg.Lint() {
		if f.Severity == "error" {
			errs = append(errs, fmt.Errorf("%s: %s", f.Capability, f.Message))
			continue
		}
		log.Warn("capability lint", "capability", f.Capability, "finding", f.Message)
	}
	return errors.Join(errs...)
}

func (s *Server) openAuth(ctx context.Context, models agent.Models) error {
	secret, err := auth.LoadOrCreateSecret(filepath.Join(s.cfg.Data, secretFile))
	if err != nil {
		return err
	}
	s.auth, err = auth.New(auth.Config{Sessions: s.store, Secret: secret, Secure: s.cfg.Secure, Now: s.cfg.Now, IDs: s.cfg.IDs})
	if err != nil || !s.cfg.Dev {
		return err
	}
	if err := auth.SeedDev(ctx, s.store, auth.SeedOptions{PayingModel: s.payingModel(ctx, models), DemoModel: s.freeModel(models)}); err != nil {
		return err
	}
	if err := s.seedReminders(ctx); err != nil {
		return err
	}
	return s.store.RefreshPolicies(ctx)
}

// payingModel is what the development login's paying org asks: a model of the first
// provider that it has a key for, stored or of the environment, else what needs none. A
// stored key that does not open counts: who asks with it is told, not answered by another
// model.
func (s *Server) payingModel(ctx context.Context, models agent.Models) string {
	ctx = agent.WithPrincipal(ctx, agent.Principal{UserID: "system", OrgID: auth.PayingOrg, Billing: agent.BillingPaying})
	for _, provider := range account.KeyProviders(models) {
		if _, err := s.vault.FindOrg(ctx, provider); err != nil {
			if agent.ErrorCode(err) == agent.CodeNotFound {
				continue
			}
			s.log.Error("a stored key cannot be used", "provider", provider, "error", err)
		}
		if route, err := models.RouteProvider(provider); err == nil {
			return route.Name
		}
	}
	return s.freeModel(models)
}

// freeModel is what the development login's orgs ask without a key: "" (the operator's
// default) where that model needs none or there is no scripted one, else the scripted one.
func (s *Server) freeModel(models agent.Models) string {
	route, err := models.Route(models.Default())
	if s.cfg.Scripted == nil || err == nil && !route.NeedsKey {
		return ""
	}
	return auth.ScriptedModel
}

// account is the part of the API that is no turn.
func (s *Server) account(models agent.Models) *account.Account {
	return account.New(account.Config{
		Agent: s.engine, Threads: s.store, Traces: s.store, Events: s.store, Receipts: s.store, Waiting: s.store, Vault: s.vault, Models: models,
		Settings: s.store, Feedback: s.store, Policies: s.store, Host: s.cfg.Host, Now: s.cfg.Now,
		Tools:      func() []agent.ToolSchema { return s.cfg.Registry.Tools(names(s.cfg.Registry)) },
		Capability: s.cfg.Registry.Get, Permissions: s.store, Reminders: s.store, Diff: memory.Diff,
		Usage: s.store, Egress: s.store,
		Changed: s.threadChanged,
	})
}

func names(reg *capability.Registry) []string {
	var out []string
	for _, c := range reg.All() {
		out = append(out, c.Name)
	}
	return out
}

func (s *Server) mount(acc *account.Account, models agent.Models) *http.ServeMux {
	mux := http.NewServeMux()
	mux.Handle("/api/agent/", httpapi.New(httpapi.Config{
		Agent: s.engine, Threads: acc, Approvals: acc, Permissions: acc, Keys: acc, Settings: acc, Feedback: acc,
		CacheDoctor:  acc,
		Admin:        s.admin(models),
		Reminders:    acc,
		Redaction:    acc,
		UsageReports: acc,
		Egress:       acc,
		Authenticate: s.auth.Authenticate, Hosts: s.cfg.Hosts, Log: s.log, IDs: s.cfg.IDs,
	}))
	if s.cfg.Dev {
		mux.Handle(auth.DevPath, auth.Dev(auth.DevConfig{Auth: s.auth, Origins: s.cfg.Origins, Log: s.log}))
	}
	for path, serve := range s.health() {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) { onlyRead(w, r, serve) })
	}
	var pages http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		httpapi.Fail(w, r, agent.NotFound("address"))
	})
	if s.cfg.Routes != nil {
		pages = s.cfg.Routes(s.signedIn)
	}
	mux.Handle("/", pages)
	return mux
}

// answersFor refuses a Host that is not ours, so that a name rebound to this
// address reaches nothing. The health routes answer to any: a balancer asks by
// address, and they tell nothing that a name would guard.
func (s *Server) answersFor(next http.Handler) http.Handler {
	health := s.health()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ours := slices.ContainsFunc(s.cfg.Hosts, func(h string) bool { return strings.EqualFold(h, r.Host) })
		if _, asked := health[r.URL.Path]; !ours && !asked {
			httpapi.Misdirected(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// signedIn lets only a principal through.
func (s *Server) signedIn(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, err := s.auth.Authenticate(r)
		if err != nil {
			httpapi.Fail(w, r, agent.Wrap(agent.CodeUnauthenticated, err, "Please sign in."))
			return
		}
		next.ServeHTTP(w, r.WithContext(agent.WithPrincipal(r.Context(), p)))
	})
}

func (s *Server) refreshPolicies(ctx context.Context) {
	tick := time.NewTicker(policyEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := s.store.RefreshPolicies(ctx); err != nil && ctx.Err() == nil {
				s.log.Warn("the copy of the orgs' policies was not refreshed", "error", err)
			}
		}
	}
}

// Handler serves everything: /api/agent, the health routes and the app's own pages.
func (s *Server) Handler() http.Handler { return s.handler }

// Agent is the port that presenters speak to.
func (s *Server) Agent() agent.Agent { return s.engine }

// Corpus is where corpus.search looks; a host may put its documents in.
func (s *Server) Corpus() agent.Corpus { return s.corpus }

// Auth begins and ends login sessions: a host's own login calls Issue once it knows
// who is there, and Logout.
func (s *Server) Auth() *auth.Auth { return s.auth }

// Vault keeps keys. Caller: the keys verb.
func (s *Server) Vault() agent.KeyVault { return s.vault }

// Directory holds users and orgs. Caller: the orgs and keys verbs.
func (s *Server) Directory() agent.Directory { return s.store }

// ExpirePreviews is the job that ends previews nobody answered in time.
func (s *Server) ExpirePreviews(ctx context.Context) (int, error) {
	return s.engine.ExpirePreviews(ctx)
}

// Close releases what runs at its last finished step and closes the stores. It
// waits until the context ends.
func (s *Server) Close(ctx context.Context) error {
	if s.stop != nil {
		s.stop()
		s.loops.Wait()
	}
	if s.engine != nil {
		s.engine.Close(ctx)
	}
	var errs []error
	for _, f := range slices.Backward(s.close) {
		errs = append(errs, f())
	}
	return errors.Join(errs...)
}
