package server

import (
	"context"
	"path/filepath"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/auth"
	"github.com/lossless-group/in-app-agent/internal/account"
	"github.com/lossless-group/in-app-agent/store/sqlite"
)

const auditFile = "audit.key"

// auditKey gives what the audit log is sealed with, of a file of its own: who has the
// database alone cannot seal.
func auditKey(data string) ([]byte, error) {
	path := filepath.Join(data, auditFile)
	key, err := auth.LoadOrCreateSecret(path)
	if err != nil {
		return nil, &agent.Error{Code: agent.CodeUnavailable, Message: "The key of the audit log, " + path + ", cannot be used.", Cause: err,
			Hint: "It must be readable by its owner alone (mode 0600). Put it back from your backup; with another key doctor audit tells of every row that this one sealed."}
	}
	return key, nil
}

// admin is the administration of orgs.
func (s *Server) admin(models agent.Models) *account.Admin {
	return account.NewAdmin(account.AdminConfig{Policies: s.store, Rows: s.store, Audit: s.store, Models: models,
		Known: func(name string) bool { _, ok := s.cfg.Registry.Get(name); return ok }, Now: s.cfg.Now, Log: s.log})
}

// Admin is the administration of the orgs of a data folder, opened beside a running
// server. The principal of the context names the org.
type Admin struct {
	agent.Admin
	// Log verifies what was recorded.
	Log       agent.Audit
	Directory agent.Directory
	store     *sqlite.Store
}

// OpenAdmin opens it. rules are those of the configuration: they say which models
// there are; which capabilities there are is the app's to know. Errors: unavailable,
// not_found (there is no database).
func OpenAdmin(ctx context.Context, at Databases, rules KeyRules) (*Admin, error) {
	store, err := openBeside(ctx, at)
	if err != nil {
		return nil, err
	}
	admin := account.NewAdmin(account.AdminConfig{Policies: store, Rows: store, Audit: store, Models: rules.models})
	return &Admin{Admin: admin, Log: store, Directory: store, store: store}, nil
}

// Close closes the store.
func (a *Admin) Close() error { return a.store.Close() }
