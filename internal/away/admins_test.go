package away

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/quotedprintable"
	"net/mail"
	"slices"
	"strings"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// noticeDesk is a log with what admins are to be told of.
type noticeDesk struct {
	due   []agent.AuditNotice
	noted []string
}

func (d *noticeDesk) DueAuditNotices(context.Context, int64, int) ([]agent.AuditNotice, error) {
	return d.due, nil
}

func (d *noticeDesk) NoteAuditNotice(_ context.Context, org string, seq, at, next int64, sent bool) error {
	word := fmt.Sprintf("%s %d sent=%v", org, seq, sent)
	if next > 0 {
		word += " again in " + (time.Duration(next-at) * time.Millisecond).String()
	}
	d.noted = append(d.noted, word)
	return nil
}

func searchedNotice(admins ...agent.User) agent.AuditNotice {
	return agent.AuditNotice{Org: agent.Org{ID: "acme", Slug: "acme", Name: "Acme\r\nBcc: all@evil.example"}, Admins: admins,
		Entry: agent.AuditEntry{Seq: 7, ID: "searched/k", At: 1_800_000_000_000, Actor: "staff", Action: agent.AuditSessionsSearched,
			Detail: json.RawMessage(`{"query":"ferries, see https://evil.example","results":2}`)}}
}

func TestAdminsAreToldBySignedWebhookAndByMail(t *testing.T) {
	p, r := newPostOffice(t, false), newReceiver(t)
	h, err := NewWebhook(r.URL+"/hook", hookSecret, true, nil, func() time.Time { return time.Unix(1_800_000_000, 0) })
	if err != nil {
		t.Fatal(err)
	}
	d := &noticeDesk{due: []agent.AuditNotice{searchedNotice(agent.User{ID: "ada", Name: "Ada", Email: "ada@example.org"}, agent.User{ID: "ben", Name: "Ben", Email: "nonsense"})}}
	g := newGate(t, func(c *Config) { c.Channels, c.Audits = []Channel{mailer(p), h}, d })
	if sent, err := g.deliverAudits(t.Context()); sent != 1 || err != nil || !slices.Equal(d.noted, []string{"acme 7 sent=true"}) {
		t.Fatalf("%d, %v, noted %v", sent, err, d.noted)
	}
	mails, _, _ := p.got()
	if len(mails) != 1 || len(r.bodies) != 2 {
		t.Fatalf("%d mails, %d posts", len(mails), len(r.bodies))
	}
	m, err := mail.ReadMessage(strings.NewReader(mails[0]))
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(quotedprintable.NewReader(m.Body))
	if text := string(body); err != nil || m.Header.Get("To") != "<ada@example.org>" || m.Header.Get("Bcc") != "" || m.Header.Get("Message-ID") != "<audit-acme-7-ada@decks.example>" ||
		strings.Contains(text, "://") || strings.Contains(text, "\nBcc") || !strings.Contains(text, "ferries") || !strings.Contains(text, "shown: 2") || !strings.Contains(text, "row 7") {
		t.Errorf("%v %q", m.Header, text)
	}
	var told adminPayload
	if err := json.Unmarshal(r.bodies[0], &told); err != nil || told.Event != EventSearched || told.OrgID != "acme" || told.UserID != "ada" || told.Entry.Seq != 7 || told.ID != "audit-acme-7" {
		t.Errorf("told %+v, %v", told, err)
	}
	if got := r.heads[0].Get(SignatureHeader); got != Sign(hookSecret, time.Unix(1_800_000_000, 0), r.bodies[0]) {
		t.Errorf("signed %q", got)
	}
}

func TestTellingAdminsIsTriedAgainLaterAndGivenUpAtLast(t *testing.T) {
	for tries, want := range []string{"again in 30s", "again in 2m0s", "again in 10m0s", "again in 1h0m0s", ""} {
		n := searchedNotice(agent.User{ID: "ada", Email: "ada@example.org"})
		n.Tries = tries
		d := &noticeDesk{due: []agent.AuditNotice{n}}
		g := newGate(t, func(c *Config) {
			c.Channels, c.Audits = []Channel{&Mail{Addr: "127.0.0.1:1", From: "a@b.example", Security: PlainText}}, d
		})
		if sent, err := g.deliverAudits(t.Context()); sent != 0 || err != nil || d.noted[0] != strings.TrimSpace("acme 7 sent=false "+want) {
			t.Errorf("after %d tries: %d, %v, noted %v", tries, sent, err, d.noted)
		}
	}
	d := &noticeDesk{due: []agent.AuditNotice{searchedNotice()}}
	g := newGate(t, func(c *Config) { c.Audits = d })
	if _, err := g.deliverAudits(t.Context()); err != nil || d.noted[0] != "acme 7 sent=false" {
		t.Errorf("nobody to tell: %v, noted %v", err, d.noted)
	}
	if sent, err := newGate(t).deliverAudits(t.Context()); sent != 0 || err != nil {
		t.Errorf("nothing to tell of: %d, %v", sent, err)
	}
}
