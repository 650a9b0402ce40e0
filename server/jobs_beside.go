package server

import (
	"context"
	"errors"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/jobs"
	"github.com/lossless-group/in-app-agent/store/sqlite"
)

// Jobs are the jobs of a data folder, opened beside a running server: their rows, and
// those that need no engine.
type Jobs struct {
	store  *sqlite.Store
	runner *jobs.Runner
	close  func() error
}

// OpenJobs opens them. Of the configuration it reads Data, Database, AuthDatabase,
// Corpus, Chroma, Embed and Schedule. Errors: not_found (there is no database yet), unavailable,
// invalid_input.
func OpenJobs(ctx context.Context, c Config) (*Jobs, error) {
	c = c.withDefaults()
	store, err := openBeside(ctx, Databases{Data: c.Data, App: c.Database, Auth: c.AuthDatabase})
	if err != nil {
		return nil, err
	}
	corpus, closeCorpus, err := openCorpus(c, store)
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	j := &Jobs{store: store, close: func() error { return errors.Join(closeCorpus(), store.Close()) }}
	list := besideJobs(store, newIngest(store, corpus, c.Now, c.Log), newMirror(store, corpus, c.Now, c.Log), c.Now)
	if j.runner, err = newRunner(store, list, c.Schedule, c.IDs("job"), c.Now, c.Log); err != nil {
		return nil, errors.Join(err, j.close())
	}
	return j, nil
}

// Close closes the store and the corpus.
func (j *Jobs) Close() error { return j.close() }

// List gives the rows of the jobs that were ever planned, by name.
func (j *Jobs) List(ctx context.Context) ([]agent.Job, error) { return j.store.Jobs(ctx) }

// Run runs ingest-transcripts, mirror-memory or compact-events now, unless it runs already, also in
// the server. Errors: not_found, conflict, and the job's own.
func (j *Jobs) Run(ctx context.Context, name string) (agent.Job, error) {
	return j.runner.RunNow(ctx, name)
}

// OptOut notes whether the transcripts of an org stay out of its corpus from now on.
// What was said while it was out is never ingested; what is there stays.
func (k *Keys) OptOut(ctx context.Context, orgID string, out bool) error {
	return k.store.OptOut(ctx, orgID, out, time.Now().UnixMilli())
}

// OptedOut gives the ids of the orgs whose transcripts stay out.
func (k *Keys) OptedOut(ctx context.Context) ([]string, error) { return k.store.OptedOut(ctx) }

// OnBoard makes an org, or finds the one with its slug, and the collections of its
// tenant and of the one that all read. It may be run again; made tells whether the org
// is new. Errors: invalid_input (slug, billing), unavailable.
func (k *Keys) OnBoard(ctx context.Context, corpus agent.Corpus, org agent.Org) (made bool, err error) {
	_, err = k.Directory.OrgBySlug(ctx, org.Slug)
	if err != nil && agent.ErrorCode(err) != agent.CodeNotFound {
		return false, err
	}
	if made = err != nil; made {
		if org.ID == "" {
			org.ID = newID(time.Now)("org")
		}
		if err := k.Directory.PutOrg(ctx, org); err != nil {
			return false, err
		}
	} else if org, err = k.Directory.OrgBySlug(ctx, org.Slug); err != nil {
		return false, err
	}
	if _, err := SeedReminders(ctx, k.store, org, time.Now()); err != nil {
		return made, err
	}
	for tenant, collections := range map[string][]string{
		agent.ClientTenant(org.Slug): agent.ClientCollections,
		agent.GlobalTenant:           {agent.CollectionContextVigilance, agent.CollectionChangelog},
	} {
		for _, name := range collections {
			// Nothing is put in: it makes what it would be put into.
			if _, err := corpus.Put(ctx, agent.Scope{Tenant: tenant, Collection: name}, onBoardPath, nil); err != nil {
				return made, err
			}
		}
	}
	return made, nil
}

// onBoardPath is the source path of nothing.
const onBoardPath = "made"
