package main

import (
	"context"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"path"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/capability"
	"github.com/lossless-group/in-app-agent/corpus/embedded"
	"github.com/lossless-group/in-app-agent/examples/dididecks"
	"github.com/lossless-group/in-app-agent/examples/dididecks/brain"
	"github.com/lossless-group/in-app-agent/examples/dididecks/demo"
	"github.com/lossless-group/in-app-agent/examples/dididecks/web"
	"github.com/lossless-group/in-app-agent/provider/scripted"
	"github.com/lossless-group/in-app-agent/server"
)

// demoOrgs are the orgs that may open the demo's deck.
var demoOrgs = []string{"demo", "lingering-client", "paying-client"}

// deckServer is the deck app with its agent.
type deckServer struct {
	app *dididecks.App
	*server.Server
}

// openDeck assembles the deck app; addr is where it will listen, nil for a job.
func openDeck(ctx context.Context, c common, deck string, addr net.Addr, log *slog.Logger) (*deckServer, error) {
	cfg, err := c.settings()
	if err != nil {
		return nil, err
	}
	app, err := dididecks.Open(ctx, dididecks.Options{DataDir: c.Data, Path: deck, Orgs: demoOrgs, Log: log})
	if err != nil {
		return nil, err
	}
	reg := capability.NewRegistry()
	reg.Add(app.Capabilities()...)
	var hosts, origins []string
	if addr != nil {
		hosts, origins = server.Loopback(addr)
	}
	d := &deckServer{app: app}
	srv, err := server.New(ctx, server.Config{
		App: "Dididecks", Data: c.Data, Registry: reg, Host: app, Providers: cfg.Providers, DefaultModel: cfg.Model.Default, PriceFile: cfg.Prices,
		Database: cfg.App.Database, AuthDatabase: cfg.Auth.Database,
		Scripted: scripted.New(brain.Brain(), scripted.Options{Pace: scripted.DemoPace}), OrgKeys: orgKeys(),
		Hosts: hosts, Origins: origins, Dev: true, Jobs: addr == nil, Log: log, Away: cfg.Approvals, Chroma: cfg.Corpus, Embed: cfg.Embed, Deployment: cfg.Deployment,
		Schedule: cfg.Jobs, HostJobs: []server.Job{{Name: agent.JobCleanBranches, Run: d.cleanBranches}},
		Routes: func(signedIn func(http.Handler) http.Handler) http.Handler {
			mux := http.NewServeMux()
			mux.Handle("/api/decks", signedIn(app.Routes()))
			mux.Handle("/api/decks/", signedIn(app.Routes()))
			mux.Handle("/", web.Handler())
			return mux
		},
	})
	if err != nil {
		return nil, err
	}
	d.Server = srv
	if err := d.fillCorpus(ctx); err != nil {
		_ = srv.Close(ctx)
		return nil, err
	}
	return d, nil
}

// fillCorpus puts the notes that the demo ships into the tenant that every org
// may read. Doing it again changes nothing.
func (d *deckServer) fillCorpus(ctx context.Context) error {
	return fs.WalkDir(demo.Corpus(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".md") {
			return err
		}
		text, err := fs.ReadFile(demo.Corpus(), name)
		if err != nil {
			return err
		}
		scope := agent.Scope{Tenant: agent.GlobalTenant, Collection: path.Dir(name)}
		_, err = d.Corpus().Put(ctx, scope, name, embedded.Sections(text, name))
		return err
	})
}
