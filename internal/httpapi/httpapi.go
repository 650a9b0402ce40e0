// Package httpapi is the first presenter: JSON and event streams over HTTP under
// /api/agent. It decodes requests strictly, asks the ports of package agent, and
// encodes what they answer. It decides nothing by itself.
package httpapi

import (
	"log/slog"
	"net/http"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// Defaults of a Config's times.
const (
	DefaultHeartbeat   = 15 * time.Second
	DefaultMaxStream   = 30 * time.Minute
	DefaultHoldHeaders = 2 * time.Second
	DefaultRecheck     = 4 * time.Second
	DefaultStall       = 30 * time.Second
)

// DefaultMaxStreams is how many streams one user may hold at once.
const DefaultMaxStreams = 10_000

// Config is what the presenter serves, to whom.
type Config struct {
	Agent       agent.Agent
	Threads     agent.Threads
	CacheDoctor agent.CacheDoctor
	Approvals   agent.Approvals
	Permissions agent.Permissions
	Keys        agent.Keys
	Settings    agent.Settings
	Feedback    agent.Feedback
	Admin       agent.Admin
	Reminders   agent.Reminders
	Egress      agent.Egress
	// UsageReports tells what was used, and keeps the budgets.
	UsageReports agent.UsageReports
	Redaction    agent.Redaction
	// Authenticate checks the credential of a request. An error that is not an
	// *agent.Error counts as unauthenticated.
	Authenticate func(*http.Request) (agent.Principal, error)
	// Hosts lists the Host values that are answered, port included where it is not
	// the scheme's own; any other is 421.
	Hosts []string
	// Origins lists origins besides the request's own host that may change things,
	// such as that of a development server in front of us.
	Origins []string
	Log     *slog.Logger
	// IDs makes request ids.
	IDs agent.IDSource
	// Heartbeat is how often a silent stream gets a comment.
	Heartbeat time.Duration
	// MaxStream is how long a stream may live; then it is closed and the client
	// comes back with the last id.
	MaxStream time.Duration
	// HoldHeaders is how long /chat waits for the provider's first answer, so that
	// a rejected key can be an HTTP 402.
	HoldHeaders time.Duration
	// Recheck is how often a live stream's credential is checked again; at most 5 s.
	Recheck time.Duration
	// MaxStreams is how many streams one user may hold at once; one more is a 429.
	MaxStreams int
	// Stall is how long one write to a client that does not read may take.
	Stall time.Duration
}

// api is the presenter; it is safe for concurrent use.
type api struct {
	Config
	log     *slog.Logger
	streams streamCount
}

// New makes the handler of everything under /api/agent. It panics when a port is
// missing: that is a mistake of the program, not of its configuration.
func New(c Config) http.Handler {
	if c.Agent == nil || c.Threads == nil || c.CacheDoctor == nil || c.Approvals == nil || c.Permissions == nil || c.Keys == nil || c.Settings == nil || c.Feedback == nil ||
		c.Reminders == nil || c.Redaction == nil ||
		c.UsageReports == nil || c.Egress == nil ||
		c.Authenticate == nil {
		panic("httpapi: a port is missing in Config")
	}
	if c.Admin == nil {
		panic("httpapi: the port Admin is missing in Config")
	}
	a := &api{Config: c, log: c.Log}
	if a.log == nil {
		a.log = slog.New(slog.DiscardHandler)
	}
	if a.IDs == nil {
		a.IDs = randomID
	}
	if a.MaxStreams <= 0 {
		a.MaxStreams = DefaultMaxStreams
	}
	for _, d := range []struct {
		have *time.Duration
		def  time.Duration
	}{
		{&a.Heartbeat, DefaultHeartbeat}, {&a.MaxStream, DefaultMaxStream},
		{&a.HoldHeaders, DefaultHoldHeaders}, {&a.Recheck, DefaultRecheck}, {&a.Stall, DefaultStall},
	} {
		if *d.have <= 0 {
			*d.have = d.def
		}
	}
	return a.guarded(a.routes())
}

// handler is one operation: what it returns as an error becomes a problem.
type handler func(w http.ResponseWriter, r *http.Request) error

// handlers names the handler of each operation of the table.
func (a *api) handlers() map[string]handler {
	return map[string]handler{
		"chat":             a.chat,
		"turn":             a.turn,
		"attach":           a.attach,
		"cancel":           a.cancel,
		"undo":             a.undo,
		"confirm":          a.confirm,
		"threads":          a.threads,
		"thread":           a.thread,
		"patchThread":      a.patchThread,
		"deleteThread":     a.deleteThread,
		"watchThread":      a.watchThread,
		"exportThread":     a.exportThread,
		"threadCache":      a.threadCache,
		"approvals":        a.approvals,
		"permissions":      a.permissions,
		"revokePermission": a.revokePermission,
		"capabilities":     a.capabilities,
		"listKeys":         a.listKeys,
		"setKey":           a.setKey,
		"rotateKey":        a.rotateKey,
		"revokeKey":        a.revokeKey,
		"testKey":          a.testKey,
		"settings":         a.settings,
		"putSettings":      a.putSettings,
		"reminder":         a.reminder,
		"putReminder":      a.putReminder,
		"reminderHistory":  a.reminderHistory,
		"feedback":         a.feedback,
		"previewRedaction": a.previewRedaction,
		"artifact":         a.artifact,
		"policy":           a.policy,
		"putPolicy":        a.putPolicy,
		"audit":            a.audit,
		"exportAudit":      a.exportAudit,
		"usage":            a.usage,
		"adminUsage":       a.adminUsage,
		"budgets":          a.budgets,
		"putBudgets":       a.putBudgets,
		"transparency":     a.transparency,
	}
}
