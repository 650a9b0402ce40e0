package away

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// EventSearched is the word for what a webhook tells an org's admins: staff searched
// the org's sessions together with those of other clients.
const EventSearched = "sessions.searched"

// AdminNotice is what an admin of an org is told of a row of the org's audit log.
type AdminNotice struct {
	ID    string // the same notice again has the same id
	App   string
	User  agent.User
	Org   agent.Org
	Entry agent.AuditEntry
}

// AdminChannel is a channel that reaches admins as well.
type AdminChannel interface {
	Channel
	// TellAdmin tells one notice. An error means that it may be tried again.
	TellAdmin(ctx context.Context, n AdminNotice) error
}

// deliverAudits tells admins what is due and gives how many rows they were told of.
func (a *Away) deliverAudits(ctx context.Context) (sent int, err error) {
	if a.Audits == nil {
		return 0, nil
	}
	now := a.now()
	due, err := a.Audits.DueAuditNotices(ctx, now, noticePage)
	if err != nil {
		return 0, err
	}
	for _, n := range due {
		err := a.tellAdmins(ctx, n)
		if ctx.Err() != nil {
			return sent, ctx.Err()
		}
		next := int64(0)
		switch {
		case err == nil:
			sent++
		case agent.ErrorCode(err) == agent.CodeNotFound || n.Tries >= len(backOff):
			a.Log.Warn("telling an org's admins was given up", "org", n.Org.ID, "row", n.Entry.Seq, "tries", n.Tries+1, "error", err)
		default:
			next = now + backOff[n.Tries].Milliseconds()
			a.Log.Warn("telling an org's admins will be tried again", "org", n.Org.ID, "row", n.Entry.Seq, "tries", n.Tries+1, "error", err)
		}
		if err := a.Audits.NoteAuditNotice(ctx, n.Org.ID, n.Entry.Seq, now, next, err == nil); err != nil {
			return sent, err
		}
	}
	return sent, nil
}

// tellAdmins tells each admin on every channel; one that was reached is enough, so
// that nobody is told again for another's sake. Errors: not_found (nobody to tell).
func (a *Away) tellAdmins(ctx context.Context, n agent.AuditNotice) error {
	var failed []error
	reached := false
	for _, u := range n.Admins {
		notice := AdminNotice{ID: fmt.Sprintf("audit-%s-%d", n.Org.ID, n.Entry.Seq), App: a.App, User: u, Org: n.Org, Entry: n.Entry}
		for _, c := range a.Channels {
			admins, ok := c.(AdminChannel)
			if !ok {
				continue
			}
			sending, stop := context.WithTimeout(ctx, sendTime)
			err := admins.TellAdmin(sending, notice)
			stop()
			if err != nil {
				a.Log.Warn("a channel failed", "channel", c.Name(), "org", n.Org.ID, "row", n.Entry.Seq, "error", err)
				failed = append(failed, err)
				continue
			}
			reached = true
		}
	}
	switch {
	case reached:
		return nil
	case len(failed) == 0:
		return agent.NotFound("admin to tell")
	}
	return errors.Join(failed...)
}

// searched is what the detail of the row says to the org that was searched.
type searched struct {
	Query   string `json:"query"`
	Results int    `json:"results"`
}

func (n AdminNotice) searched() (s searched, err error) {
	return s, json.Unmarshal(n.Entry.Detail, &s)
}

// adminPayload is the webhook's body: the row, and whose org it is.
type adminPayload struct {
	Event    string           `json:"event"`
	ID       string           `json:"id"`
	App      string           `json:"app"`
	OrgID    string           `json:"orgId"`
	OrgSlug  string           `json:"orgSlug"`
	UserID   string           `json:"userId"`
	UserName string           `json:"userName"`
	Entry    agent.AuditEntry `json:"entry"`
}

// TellAdmin posts one notice; any answer but a 2xx is an error.
func (h *Webhook) TellAdmin(ctx context.Context, n AdminNotice) error {
	return h.post(ctx, adminPayload{Event: EventSearched, ID: n.ID, App: n.App, OrgID: n.Org.ID, OrgSlug: n.Org.Slug,
		UserID: n.User.ID, UserName: n.User.Name, Entry: n.Entry})
}

// TellAdmin delivers one notice. Errors: not_found (the user has no usable address).
func (m *Mail) TellAdmin(ctx context.Context, n AdminNotice) error {
	s, err := n.searched()
	if err != nil {
		return err
	}
	return m.deliver(ctx, n.User, n.ID+"-"+n.User.ID, n.App+": staff searched your organization's sessions", func(w io.Writer) {
		fmt.Fprintf(w, "Staff of %s searched the earlier sessions of %s together with those of other clients.\r\n\r\n", oneLine(n.App), oneLine(n.Org.Name))
		fmt.Fprintf(w, "  words: %s\r\n  when: %s\r\n  passages of yours that were shown: %d\r\n\r\n", foreign(s.Query),
			time.UnixMilli(n.Entry.At).UTC().Format("2 January 2006, 15:04 UTC"), s.Results)
		fmt.Fprintf(w, "It is row %d of your audit log. An admin can refuse such searches in the\r\npolicy of your organization (crossClientSearch).\r\n", n.Entry.Seq)
	})
}

var (
	_ AdminChannel = (*Mail)(nil)
	_ AdminChannel = (*Webhook)(nil)
)
