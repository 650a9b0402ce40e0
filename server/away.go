package server

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/auth"
	"github.com/lossless-group/in-app-agent/internal/account"
	"github.com/lossless-group/in-app-agent/internal/away"
)

// Away says how a user who left the tab hears of a preview that waits: a link to
// it, by e-mail or webhook. The link approves nothing by itself.
type Away struct {
	// BaseURL is the address that users reach this server at, such as
	// https://agent.example; its host must be one of Config.Hosts. "" means the first
	// origin of a loopback listener.
	BaseURL string `koanf:"baseUrl"`
	// LoginURL is where one signs in; the way back is put into its parameter next.
	LoginURL string `koanf:"loginUrl"`
	// After is how long a preview waits before it is told (1 min), Life how long its
	// link lives (24 h, never past the preview's own end).
	After time.Duration `koanf:"after"`
	Life  time.Duration `koanf:"life"`
	// Mail and Webhook are the channels; without one nothing is told.
	Mail    *AwayMail    `koanf:"mail"`
	Webhook *AwayWebhook `koanf:"webhook"`
}

// AwayMail is the operator's mail server.
type AwayMail struct {
	// Server is HOST:PORT, From the sender's address.
	Server string `koanf:"server"`
	From   string `koanf:"from"`
	User   string `koanf:"user"`
	// Password is not read from a file.
	Password agent.Secret `koanf:"-"`
	// Security is starttls (also for ""), tls, or none for a server on this machine.
	Security string `koanf:"security"`
}

// AwayWebhook is an address that is told with a signed POST.
type AwayWebhook struct {
	URL string `koanf:"url"`
	// Secret signs; it is not read from a file.
	Secret agent.Secret `koanf:"-"`
	// Private lets the address be one that is not public.
	Private bool `koanf:"private"`
}

// openAway makes what tells of waiting previews, nil where no channel is configured.
func (s *Server) openAway(acc *account.Account) (*away.Away, error) {
	c := s.cfg.Away
	if c == nil || s.cfg.Jobs {
		return nil, nil
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	if c.Mail == nil && c.Webhook == nil {
		s.log.Warn("approvals name no channel, mail or webhook, so nobody is told of a preview that waits")
		return nil, nil
	}
	secret, err := auth.LoadOrCreateSecret(filepath.Join(s.cfg.Data, secretFile))
	if err != nil {
		return nil, err
	}
	channels, err := c.channels(s.cfg.Now)
	if err != nil {
		return nil, err
	}
	base := c.BaseURL
	if base == "" && len(s.cfg.Origins) > 0 {
		base = s.cfg.Origins[0]
	}
	a, err := away.New(away.Config{
		App: s.cfg.App, Agent: s.engine, Approvals: acc, Artifacts: acc, Links: s.store, Audits: s.store, Authenticate: s.auth.Authenticate,
		Title: func(name string) string { c, _ := s.cfg.Registry.Get(name); return c.Title },
		Hosts: s.cfg.Hosts, BaseURL: base, LoginURL: c.LoginURL, Key: derived(secret, "approval links"),
		After: c.After, Life: c.Life, Channels: channels, Now: s.cfg.Now, Log: s.log,
	})
	if err != nil {
		return nil, err
	}
	if u, err := url.Parse(base); err != nil || !slices.Contains(s.cfg.Hosts, u.Host) {
		return nil, &agent.Error{Code: agent.CodeInvalidInput, Message: "The address for approval links is none that this server answers.",
			Hint: "Its host must be one of the server's hosts."}
	}
	return a, nil
}

// check refuses addresses that no link could begin with, also where no channel would
// send one yet.
func (c *Away) check() error {
	for name, address := range map[string]string{"baseUrl": c.BaseURL, "loginUrl": c.LoginURL} {
		u, err := url.Parse(address)
		if address != "" && (err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http")) {
			return &agent.Error{Code: agent.CodeInvalidInput, Message: "approvals." + name + " is no address that a link could begin with.",
				Hint: "Write it whole, such as https://agent.example."}
		}
	}
	if c.After < 0 || c.Life < 0 {
		return &agent.Error{Code: agent.CodeInvalidInput, Message: "approvals.after and approvals.life are times from now on, and not negative.",
			Hint: "Write them as 1m or 24h."}
	}
	return nil
}

func (c *Away) channels(now func() time.Time) (list []away.Channel, err error) {
	if m := c.Mail; m != nil {
		ch := &away.Mail{Addr: m.Server, From: m.From, User: m.User, Password: m.Password, Security: m.Security, Now: now}
		if err := ch.Check(); err != nil {
			return nil, err
		}
		list = append(list, ch)
	}
	if h := c.Webhook; h != nil {
		ch, err := away.NewWebhook(h.URL, h.Secret, h.Private, nil, now)
		if err != nil {
			return nil, err
		}
		list = append(list, ch)
	}
	return list, nil
}

// derived gives a key for one purpose, so that a secret signs nothing twice.
func derived(secret []byte, purpose string) []byte {
	h := hmac.New(sha256.New, secret)
	h.Write([]byte(purpose))
	return h.Sum(nil)
}

// tellAway mounts the page and starts the loop that tells.
func (s *Server) tellAway(loop context.Context, a *away.Away, mux *http.ServeMux) {
	if a == nil {
		return
	}
	mux.Handle(away.Path, a.Handler())
	s.loops.Go(func() { a.Run(loop) })
}
