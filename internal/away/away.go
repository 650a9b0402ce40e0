// Package away reaches a user who left the tab: it tells of a preview that waits,
// by e-mail or webhook, with a link, and serves the page behind that link.
//
// The link is signed and expires. It is no credential and approves nothing: opening
// it, as a mail scanner does, shows where to sign in and changes nothing; its own
// user, signed in, sees the preview; their answer by form spends the link.
package away

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// Path is where the page is mounted; the token follows it.
const Path = "/approve/"

// Defaults of a Config's times.
const (
	DefaultAfter = time.Minute    // a preview that waits so long is told
	DefaultLife  = 24 * time.Hour // of a link
)

// Config is what is told to whom, and who answers.
type Config struct {
	App       string
	Agent     agent.Agent
	Approvals agent.Approvals
	Artifacts Artifacts
	Links     agent.ApprovalLinks
	// Audits holds what admins are told of their org's audit log; nil tells them nothing.
	Audits agent.AuditNotices
	// Title gives a capability's title in plain words.
	Title func(capability string) string
	// Authenticate checks the credential of a request.
	Authenticate func(*http.Request) (agent.Principal, error)
	// Hosts lists the Host values that are answered; any other is 421.
	Hosts []string
	// BaseURL is the address that users reach this server at, without a path.
	BaseURL string
	// LoginURL is where one signs in, "" where the app itself is that place.
	LoginURL string
	// Key signs links and forms: at least 32 bytes, for nothing else.
	Key []byte
	// After is how long a preview waits before it is told, Life how long a link lives.
	After, Life time.Duration
	Channels    []Channel
	Now         func() time.Time
	Log         *slog.Logger
}

// Artifacts gives the artifacts that are stored apart.
type Artifacts interface {
	// Artifact is agent.Threads.Artifact.
	Artifact(ctx context.Context, call agent.CallID, digest string) (agent.Blob, error)
}

// Channel is one way to a person.
type Channel interface {
	// Name is for the log.
	Name() string
	// Send tells one notice. An error means that it may be tried again.
	Send(ctx context.Context, n Notice) error
}

// Notice is what a channel tells: no content of the preview beyond its summary.
type Notice struct {
	ID        string // of the link: the same notice again has the same id
	App       string
	User      agent.User
	OrgID     string
	Approval  agent.Approval
	URL       string
	CreatedAt int64
	ExpiresAt int64 // of the link
}

// Away tells notices and serves the page. It is safe for concurrent use.
type Away struct {
	Config
	base *url.URL
}

// New makes an Away. Errors: invalid_input (an address or a key that cannot be used).
func New(c Config) (*Away, error) {
	base, err := url.Parse(c.BaseURL)
	if err != nil || base.Host == "" || (base.Scheme != "https" && base.Scheme != "http") || strings.Trim(base.Path, "/") != "" || base.RawQuery != "" || base.User != nil {
		return nil, &agent.Error{Code: agent.CodeInvalidInput, Cause: err, Message: "The address for approval links cannot be used.",
			Hint: "Give the address that people reach this server at, such as https://agent.example."}
	}
	if len(c.Key) < 32 {
		return nil, agent.Errorf(agent.CodeInvalidInput, "The key for approval links needs at least 32 bytes.")
	}
	if c.After <= 0 {
		c.After = DefaultAfter
	}
	if c.Life <= 0 {
		c.Life = DefaultLife
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return &Away{Config: c, base: base}, nil
}

func (a *Away) now() int64 { return a.Now().UnixMilli() }

// title gives a capability's title; one that is gone has its name.
func (a *Away) title(name string) string {
	if t := a.Title(name); t != "" {
		return t
	}
	return name
}

// url gives the address of a link.
func (a *Away) url(l agent.ApprovalLink) string {
	return a.base.Scheme + "://" + a.base.Host + Path + a.seal(l.ID, l.ExpiresAt)
}
