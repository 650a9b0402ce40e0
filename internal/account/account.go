// Package account serves everything of a caller that is no turn: conversations,
// the inbox, permissions, keys, settings, feedback and the org's reminders. It holds no
// state but the limits of a caller; what lasts is behind the store's ports.
package account

import (
	"context"
	"log/slog"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// Config names the ports that the account stands on. All are needed but Host
// (without one every project is refused), Changed, Now and Log.
type Config struct {
	Agent    agent.Agent
	Threads  agent.ThreadRows
	Traces   agent.StepTraces
	Events   agent.EventLog
	Receipts agent.Receipts
	// Waiting holds the previews that nobody answered yet.
	Waiting     agent.ApprovalRows
	Permissions agent.PermissionRows
	Vault       agent.KeyVault
	Models      agent.Models
	Settings    agent.SettingsRows
	Feedback    agent.FeedbackRows
	Usage       agent.UsageRows
	Egress      agent.EgressRows
	Reminders   agent.ReminderRows
	// Diff gives the unified difference of two texts of a reminder file.
	Diff     func(path, before, after string) string
	Policies agent.Policies
	Host     agent.Host
	// Tools gives the real tool set, with wire names, for the key test.
	Tools func() []agent.ToolSchema
	// Capability gives a capability of the app; ok is false when it is not there any
	// more.
	Capability func(name string) (c agent.Capability, ok bool)
	// Changed is told that a thread's head line changed or that it was deleted, so
	// that its readers can be told.
	Changed func(ctx context.Context, id agent.ThreadID, change agent.ThreadChangedData)
	Now     func() time.Time
	Log     *slog.Logger
}

// Account implements the ports of presenters. It is safe for concurrent use.
type Account struct {
	Config
	agent.Reminders
	tests     *testLimit
	maxExport int
}

var (
	_ agent.Threads     = (*Account)(nil)
	_ agent.CacheDoctor = (*Account)(nil)
	_ agent.Approvals   = (*Account)(nil)
	_ agent.Permissions = (*Account)(nil)
	_ agent.Keys        = (*Account)(nil)
	_ agent.Settings    = (*Account)(nil)
	_ agent.Feedback    = (*Account)(nil)
	_ agent.Reminders   = (*Account)(nil)
	_ agent.Egress      = (*Account)(nil)

	_ agent.UsageReports = (*Account)(nil)
	_ agent.Redaction    = (*Account)(nil)
)

// New makes an Account. It panics when a needed port is missing: that is a mistake
// of the program, not of its configuration.
func New(c Config) *Account {
	if c.Agent == nil || c.Threads == nil || c.Traces == nil || c.Events == nil || c.Receipts == nil || c.Waiting == nil ||
		c.Vault == nil || c.Models == nil || c.Settings == nil || c.Feedback == nil || c.Policies == nil || c.Tools == nil || c.Capability == nil || c.Permissions == nil ||
		c.Reminders == nil || c.Diff == nil ||
		c.Usage == nil || c.Egress == nil {
		panic("account: a port is missing in Config")
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Changed == nil {
		c.Changed = func(context.Context, agent.ThreadID, agent.ThreadChangedData) {}
	}
	return &Account{Config: c, Reminders: Reminders{Rows: c.Reminders, Diff: c.Diff, Now: c.Now}, tests: newTestLimit(), maxExport: defaultExport}
}

func (a *Account) now() int64 { return a.Now().UnixMilli() }

// title gives a capability's title in plain words; one that is not there any more
// has its name.
func (a *Account) title(name string) string {
	if c, ok := a.Capability(name); ok && c.Title != "" {
		return c.Title
	}
	return name
}

// invalid is an invalid_input with a pointer to the member at fault.
func invalid(pointer, message string) *agent.Error {
	return &agent.Error{Code: agent.CodeInvalidInput, Pointer: pointer, Message: message}
}
