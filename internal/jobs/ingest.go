package jobs

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

const (
	takeAtOnce   = 50  // rows that are on their way at a time
	doomedAtOnce = 500 // deleted rows that are looked at at a time
)

// Directory knows the orgs.
type Directory interface {
	// Orgs gives every org, by slug.
	Orgs(ctx context.Context) ([]agent.Org, error)
}

// Ingest moves transcripts of ended turns into the corpus, each into the tenant of
// its own org, and takes out what was deleted. Every field but Now and Log is needed.
type Ingest struct {
	Feed   agent.TranscriptFeed
	Orgs   Directory
	Corpus agent.Corpus
	Now    func() time.Time
	Log    *slog.Logger
}

// Run ingests what is due. Only one run may go at a time: the jobs table sees to it.
// A row that cannot be written is left for the next run and does not stop the others,
// unless the corpus does not answer at all.
func (in *Ingest) Run(ctx context.Context) (string, error) {
	if err := in.Feed.ReleaseTranscripts(ctx); err != nil {
		return "", err
	}
	t := &tally{}
	err := in.all(ctx, t)
	if err == nil && t.failed > 0 {
		err = agent.Errorf(agent.CodeUnavailable, "%s could not be; the next run tries again.", count(t.failed, "turn"))
	}
	return t.String(), err
}

func (in *Ingest) all(ctx context.Context, t *tally) error {
	removed, err := in.takeOut(ctx, "")
	t.removed = removed
	if err != nil {
		return err
	}
	orgs, err := in.Orgs.Orgs(ctx)
	if err != nil {
		return err
	}
	out, err := in.Feed.OptedOut(ctx)
	if err != nil {
		return err
	}
	for _, org := range orgs {
		if slices.Contains(out, org.ID) {
			t.out++
			continue
		}
		before := t.turns
		if err := in.org(ctx, org, t); err != nil {
			return err
		}
		if t.turns > before {
			t.orgs++
		}
	}
	return nil
}

// org moves what is due of one org.
func (in *Ingest) org(ctx context.Context, org agent.Org, t *tally) error {
	tenant := agent.ClientTenant(org.Slug)
	ctx = agent.WithPrincipal(ctx, agent.Principal{UserID: "system", OrgID: org.ID, OrgSlug: org.Slug}) // by whose rules it is embedded
	for {
		due, err := in.Feed.TakeTranscripts(ctx, org.ID, tenant, takeAtOnce)
		if err != nil || len(due) == 0 {
			return err
		}
		for _, d := range due {
			if err := ctx.Err(); err != nil {
				return err
			}
			err := in.one(ctx, tenant, d)
			if err == nil {
				t.turns++
				continue
			}
			t.failed++
			if ctx.Err() != nil || unanswered(err) {
				return err
			}
			if in.Log != nil {
				in.Log.Warn("a transcript was not ingested", "transcript", d.ID, "org", org.ID, "error", err)
			}
		}
	}
}

// unanswered tells a corpus that is down from a row that it does not take.
func unanswered(err error) bool {
	switch agent.ErrorCode(err) {
	case agent.CodeUnavailable, agent.CodeTimeout, agent.CodeStorageFull, agent.CodeStorageBusy:
		return true
	}
	return false
}

// one moves one row. What was deleted while it was on its way is taken out again.
func (in *Ingest) one(ctx context.Context, tenant string, d agent.DueTranscript) error {
	scope := agent.Scope{Tenant: tenant, Collection: agent.CollectionSessions}
	path := sourcePath(d.ThreadID, d.ID)
	sections := passages(d)
	if _, err := in.Corpus.Put(ctx, scope, path, sections); err != nil {
		return err
	}
	held, err := in.Feed.SettleTranscript(ctx, d.ID, len(sections), in.now())
	if err != nil || held {
		return err
	}
	if _, err := in.Corpus.Put(ctx, scope, path, nil); err != nil {
		return err
	}
	return in.Feed.ForgetTranscript(ctx, d.ID)
}

func (in *Ingest) now() int64 {
	if in.Now == nil {
		return time.Now().UnixMilli()
	}
	return in.Now().UnixMilli()
}

// Forget removes what the corpus holds of a deleted thread. What fails is left for
// the next run of the job. Caller: whoever deleted the thread.
func (in *Ingest) Forget(ctx context.Context, thread agent.ThreadID) error {
	if thread == "" {
		return nil // it would mean all
	}
	_, err := in.takeOut(ctx, thread)
	return err
}

// takeOut removes the passages of deleted rows, of one thread or of all. A row that is
// being written right now stays doomed: the run that writes it takes it out.
func (in *Ingest) takeOut(ctx context.Context, thread agent.ThreadID) (removed int, err error) {
	seen := map[string]bool{}
	for fresh := true; fresh; {
		fresh = false
		list, err := in.Feed.DoomedTranscripts(ctx, thread, len(seen)+doomedAtOnce)
		if err != nil {
			return removed, err
		}
		for _, h := range list {
			if seen[h.ID] {
				continue
			}
			seen[h.ID], fresh = true, true
			if h.Tenant != "" { // else it was never on its way
				scope := agent.Scope{Tenant: h.Tenant, Collection: agent.CollectionSessions}
				if _, err := in.Corpus.Put(ctx, scope, sourcePath(h.ThreadID, h.ID), nil); err != nil {
					return removed, err
				}
			}
			if err := in.Feed.ForgetTranscript(ctx, h.ID); err != nil {
				return removed, err
			}
			removed++
		}
	}
	return removed, nil
}

// tally counts for the sentence that a run ends with.
type tally struct{ turns, orgs, out, removed, failed int }

// String gives the sentence.
func (t *tally) String() string {
	text := fmt.Sprintf("%s of %s ingested", count(t.turns, "turn"), count(t.orgs, "org"))
	if t.removed > 0 {
		text += fmt.Sprintf(", %s taken out", count(t.removed, "deleted turn"))
	}
	if t.out > 0 {
		text += fmt.Sprintf(", %s opted out", count(t.out, "org"))
	}
	return text + "."
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
