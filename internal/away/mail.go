package away

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"net/smtp"
	"strings"
	"time"
	"unicode"

	agent "github.com/lossless-group/in-app-agent"
)

// The ways to protect the connection to the mail server.
const (
	StartTLS    = "starttls" // the default; a server without it is refused
	ImplicitTLS = "tls"
	PlainText   = "none" // for a server on this machine
)

// Mail tells notices by e-mail to the user's own address.
type Mail struct {
	Addr     string // HOST:PORT of the mail server
	From     string // "Agent <agent@example.org>"
	User     string // "" where the server asks for no login
	Password agent.Secret
	Security string
	// RootTLS replaces the system's certificate roots where it is set.
	RootTLS *tls.Config
	Now     func() time.Time
}

// Name is for the log.
func (m *Mail) Name() string { return "mail" }

// Check says what is wrong with the configuration. Errors: invalid_input.
func (m *Mail) Check() error {
	host, _, err := net.SplitHostPort(m.Addr)
	if err != nil || host == "" {
		return agent.Wrap(agent.CodeInvalidInput, err, "The mail server must be given as HOST:PORT.")
	}
	if _, err := mail.ParseAddress(m.From); err != nil {
		return agent.Wrap(agent.CodeInvalidInput, err, "The sender of notices must be an e-mail address.")
	}
	switch m.Security {
	case "", StartTLS, ImplicitTLS:
		return nil
	case PlainText:
		if ip := net.ParseIP(host); host == "localhost" || (ip != nil && ip.IsLoopback()) {
			return nil
		}
		return &agent.Error{Code: agent.CodeInvalidInput, Message: "Mail without encryption goes to a server on this machine only.", Hint: "Use starttls or tls."}
	}
	return agent.Errorf(agent.CodeInvalidInput, "The security of the mail server is starttls, tls or none.")
}

// Send delivers one notice. Errors: not_found (the user has no usable address).
func (m *Mail) Send(ctx context.Context, n Notice) error {
	return m.deliver(ctx, n.User, n.ID, n.App+": "+n.Approval.Title+" waits for your approval", func(w io.Writer) {
		fmt.Fprintf(w, "%s has worked out a change and waits for you:\r\n\r\n", oneLine(n.App))
		fmt.Fprintf(w, "  %s\r\n  %s\r\n  in: %s\r\n\r\n", foreign(n.Approval.Title), foreign(n.Approval.Summary), foreign(n.Approval.ThreadTitle))
		fmt.Fprintf(w, "Look at it and decide:\r\n%s\r\n\r\n", n.URL)
		fmt.Fprintf(w, "Opening the link changes nothing; you sign in and decide on the page.\r\nIt works once, until %s.\r\n",
			time.UnixMilli(n.ExpiresAt).UTC().Format("2 January 2006, 15:04 UTC"))
	})
}

// deliver sends one mail to a user. Errors: not_found (the user has no usable address).
func (m *Mail) deliver(ctx context.Context, user agent.User, id, subject string, write func(io.Writer)) (err error) {
	to, err := mail.ParseAddress(user.Email)
	if err != nil || strings.ContainsFunc(to.Address, unicode.IsControl) {
		return agent.NotFound("e-mail address of this user")
	}
	from, err := mail.ParseAddress(m.From)
	if err != nil {
		return err
	}
	c, err := m.dial(ctx)
	if err != nil {
		return fmt.Errorf("mail server: %w", err)
	}
	defer func() {
		if err != nil {
			_ = c.Close()
		}
	}()
	if err = m.login(c); err != nil {
		return err
	}
	if err = c.Mail(from.Address); err != nil {
		return err
	}
	if err = c.Rcpt(to.Address); err != nil {
		return err
	}
	body, err := c.Data()
	if err != nil {
		return err
	}
	if _, err = body.Write(m.message(from, to, id, subject, write)); err != nil {
		return err
	}
	if err = body.Close(); err != nil { // here the server takes it
		return err
	}
	_ = c.Quit() // it was taken; how we part is nobody's concern
	return nil
}

func (m *Mail) dial(ctx context.Context) (*smtp.Client, error) {
	host, _, err := net.SplitHostPort(m.Addr)
	if err != nil {
		return nil, err
	}
	conn, err := (&net.Dialer{Timeout: 10 * time.Second}).DialContext(ctx, "tcp", m.Addr)
	if err != nil {
		return nil, err
	}
	if end, ok := ctx.Deadline(); ok {
		_ = conn.SetDeadline(end)
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if m.RootTLS != nil {
		config = m.RootTLS.Clone()
	}
	config.ServerName = host
	if m.Security == ImplicitTLS {
		conn = tls.Client(conn, config)
	}
	c, err := smtp.NewClient(conn, host)
	if err == nil && (m.Security == "" || m.Security == StartTLS) {
		err = c.StartTLS(config)
	}
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	return c, nil
}

func (m *Mail) login(c *smtp.Client) error {
	if m.User == "" {
		return nil
	}
	host, _, _ := net.SplitHostPort(m.Addr)
	if err := c.Auth(smtp.PlainAuth("", m.User, m.Password.Reveal(), host)); err != nil {
		return errors.New("the mail server refused the login") // its words may repeat what it was sent
	}
	return nil
}

// message writes the mail. Everything that is not ours is encoded or quoted.
func (m *Mail) message(from, to *mail.Address, id, subject string, write func(io.Writer)) []byte {
	now := time.Now
	if m.Now != nil {
		now = m.Now
	}
	var b bytes.Buffer
	domain := from.Address[strings.LastIndexByte(from.Address, '@')+1:]
	for _, h := range [][2]string{
		{"From", from.String()}, {"To", to.String()},
		{"Subject", mime.QEncoding.Encode("utf-8", cut(oneLine(subject), 200))},
		{"Date", now().UTC().Format(time.RFC1123Z)}, {"Message-ID", "<" + id + "@" + domain + ">"},
		{"Auto-Submitted", "auto-generated"}, {"MIME-Version", "1.0"},
		{"Content-Type", "text/plain; charset=utf-8"}, {"Content-Transfer-Encoding", "quoted-printable"},
	} {
		fmt.Fprintf(&b, "%s: %s\r\n", h[0], h[1])
	}
	b.WriteString("\r\n")
	q := quotedprintable.NewWriter(&b)
	write(q)
	_ = q.Close() // into memory
	return b.Bytes()
}

// oneLine keeps a text from being more than one.
func oneLine(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, s))
}

// foreign is text that a model may have written: one line, not long, and nothing in it
// that a mail program makes a link of, so that ours is the only one.
func foreign(s string) string {
	s = cut(oneLine(s), 300)
	return strings.NewReplacer("://", ": //", "www.", "www. ", "mailto:", "mailto : ", "@", " @ ").Replace(s)
}
