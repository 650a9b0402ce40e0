package jobs

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// notesPath is where the notes of an org lie in agent-cache: in one place, so that
// putting them takes out those that are gone.
const notesPath = "notes"

// Mirror copies what each org remembers into its own tenant: every version of a reminder
// file that a night finds to reminders-snapshots, where it stays, and the notes that are
// alive to agent-cache. No search of the house reads either; they are there for who has
// the tenant. Every field but Now and Log is needed.
type Mirror struct {
	Orgs      Directory
	OptedOut  func(ctx context.Context) ([]string, error)
	Reminders agent.ReminderRows
	Notes     agent.NoteRows
	Corpus    agent.Corpus
	Now       func() time.Time
	Log       *slog.Logger
}

// Run mirrors every org. One that cannot be written is left for the next run and does
// not stop the others, unless the corpus does not answer at all.
func (m *Mirror) Run(ctx context.Context) (string, error) {
	orgs, err := m.Orgs.Orgs(ctx)
	if err != nil {
		return "", err
	}
	out, err := m.OptedOut(ctx)
	if err != nil {
		return "", err
	}
	files, notes, failed := 0, 0, 0
	for _, org := range orgs {
		f, n, err := m.org(ctx, org, slices.Contains(out, org.ID))
		files, notes = files+f, notes+n
		if err == nil {
			continue
		}
		failed++
		if ctx.Err() != nil || unanswered(err) {
			return mirrored(files, notes), err
		}
		if m.Log != nil {
			m.Log.Warn("the memory of an org was not mirrored", "org", org.ID, "error", err)
		}
	}
	if failed > 0 {
		err = agent.Errorf(agent.CodeUnavailable, "%s could not be mirrored; the next run tries again.", count(failed, "org"))
	}
	return mirrored(files, notes), err
}

func mirrored(files, notes int) string {
	return fmt.Sprintf("%s and %s changed.", count(files, "snapshot"), count(notes, "note"))
}

func (m *Mirror) org(ctx context.Context, org agent.Org, out bool) (files, notes int, err error) {
	ctx = agent.WithPrincipal(ctx, agent.Principal{UserID: "system", OrgID: org.ID, OrgSlug: org.Slug})
	if !out {
		if files, err = m.snapshots(ctx, org.Slug); err != nil {
			return files, 0, err
		}
	}
	notes, err = m.notes(ctx, org.Slug, out)
	return files, notes, err
}

// snapshots puts the newest version of each file beside those of earlier nights.
func (m *Mirror) snapshots(ctx context.Context, slug string) (files int, err error) {
	list, err := m.Reminders.ReminderList(ctx)
	if err != nil {
		return 0, err
	}
	scope := agent.Scope{Tenant: agent.ClientTenant(slug), Collection: agent.CollectionReminders}
	for _, r := range list {
		if r.Via == agent.ReminderSeeded || strings.TrimSpace(r.Text) == "" {
			continue // nobody said it
		}
		path := fmt.Sprintf("%s/%d", r.File.Path(), r.Version)
		p := agent.Passage{Title: fmt.Sprintf("%s › version %d", r.File, r.Version), SourcePath: path, Date: dateOf(r.At), Tags: []string{string(r.Via)}}
		n, err := m.Corpus.Put(ctx, scope, path, cutUp(p, r.Text))
		if err != nil {
			return files, err
		}
		if n > 0 {
			files++
		}
	}
	return files, nil
}

// ForgetNotes takes the notes out of the mirror that are gone, such as those of a deleted
// conversation of the caller's org. What fails is left for the next run of the job.
func (m *Mirror) ForgetNotes(ctx context.Context) error {
	p, err := agent.PrincipalFrom(ctx)
	if err != nil {
		return err
	}
	out, err := m.OptedOut(ctx)
	if err != nil {
		return err
	}
	_, err = m.notes(ctx, p.OrgSlug, slices.Contains(out, p.OrgID))
	return err
}

func (m *Mirror) notes(ctx context.Context, slug string, out bool) (changed int, err error) {
	var sections []agent.Section
	if !out {
		list, err := m.Notes.NoteList(ctx, "", m.now())
		if err != nil {
			return 0, err
		}
		for _, n := range list {
			p := agent.Passage{Title: n.Topic, SourcePath: notesPath, Date: dateOf(n.At), Tags: []string{n.ID}}
			if p.Title == "" {
				p.Title = "Note"
			}
			sections = append(sections, cutUp(p, n.Text)...)
		}
	}
	return m.Corpus.Put(ctx, agent.Scope{Tenant: agent.ClientTenant(slug), Collection: agent.CollectionNotes}, notesPath, sections)
}

func (m *Mirror) now() int64 {
	if m.Now == nil {
		return time.Now().UnixMilli()
	}
	return m.Now().UnixMilli()
}

// cutUp gives a text as sections of one source.
func cutUp(p agent.Passage, text string) (out []agent.Section) {
	for _, piece := range pieces(strings.ToValidUTF8(text, "\uFFFD")) {
		p.Text = piece
		out = append(out, agent.Section{Passage: p, Hash: hashOf(p)})
	}
	return out
}

func dateOf(at int64) string {
	if at == 0 {
		return ""
	}
	return time.UnixMilli(at).UTC().Format(time.DateOnly)
}
