package server

import (
	"context"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/capability/builtin"
	"github.com/lossless-group/in-app-agent/internal/account"
	"github.com/lossless-group/in-app-agent/memory"
	"github.com/lossless-group/in-app-agent/store/sqlite"
)

// remembering gives the capabilities of reminders and notes.
func (s *Server) remembering() []agent.Capability {
	similarity := s.cfg.Similarity
	if similarity == nil {
		similarity = memory.Words{}
	}
	return []agent.Capability{builtin.Reminders(s.store), builtin.Suggest(s.store, memory.Diff), builtin.Note(s.store), builtin.Recall(s.store, similarity)}
}

// seedReminders writes the reminder files of the development login's orgs.
func (s *Server) seedReminders(ctx context.Context) error {
	orgs, err := s.store.Orgs(ctx)
	if err != nil {
		return err
	}
	for _, org := range orgs {
		if _, err := SeedReminders(ctx, s.store, org, s.cfg.Now()); err != nil {
			return err
		}
	}
	return nil
}

// SeedReminders writes the three reminder files of a new org, and leaves alone what was
// written before. It gives how many it wrote. Caller: whatever makes an org.
func SeedReminders(ctx context.Context, rows agent.ReminderRows, org agent.Org, now time.Time) (int, error) {
	ctx = agent.WithPrincipal(ctx, agent.Principal{UserID: "system", OrgID: org.ID, OrgSlug: org.Slug})
	return memory.Plant(ctx, rows, now.UnixMilli())
}

// ForgetNotes is the job that forgets the notes whose time is over.
func (s *Server) ForgetNotes(ctx context.Context) (int, error) {
	return s.store.ForgetNotes(ctx, s.cfg.Now().UnixMilli())
}

// Memory is what the orgs of a data folder remember, opened beside a running server.
type Memory struct {
	Reminders agent.Reminders
	Notes     agent.NoteRows
	Directory agent.Directory
	store     *sqlite.Store
}

// OpenMemory opens it. Errors: unavailable (there is no database yet, or it is of
// another version than this program).
func OpenMemory(ctx context.Context, at Databases) (*Memory, error) {
	store, err := openBeside(ctx, at)
	if err != nil {
		return nil, err
	}
	return &Memory{Reminders: account.Reminders{Rows: store, Diff: memory.Diff, Now: time.Now}, Notes: store, Directory: store, store: store}, nil
}

// Seed writes the three reminder files of an org, and leaves alone what is there.
func (m *Memory) Seed(ctx context.Context, org agent.Org) (int, error) {
	return SeedReminders(ctx, m.store, org, time.Now())
}

// Close closes the store.
func (m *Memory) Close() error { return m.store.Close() }
