package away

import (
	"context"
	"errors"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

const (
	lookEvery  = 5 * time.Second
	noticePage = 50               // notices a look
	sendTime   = 30 * time.Second // for one channel
)

// backOff is how long a notice waits after each try that failed; after the last it
// is given up, and the inbox alone tells of the preview.
var backOff = []time.Duration{30 * time.Second, 2 * time.Minute, 10 * time.Minute, time.Hour}

// Run looks for what is to be told until the context ends.
func (a *Away) Run(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		if _, err := a.Deliver(ctx); err != nil && ctx.Err() == nil {
			a.Log.Warn("notices of waiting previews were not looked up", "error", err)
		}
		if _, err := a.deliverAudits(ctx); err != nil && ctx.Err() == nil {
			a.Log.Warn("notices for admins were not looked up", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Deliver tells everything that is due now and gives how many notices went out. A
// crash between sending and noting sends the same notice, with the same id, again.
func (a *Away) Deliver(ctx context.Context) (sent int, err error) {
	now := a.now()
	due, err := a.Links.DueNotices(ctx, agent.NoticeQuery{Now: now, Before: now - a.After.Milliseconds(), Life: a.Life.Milliseconds(), Limit: noticePage})
	if err != nil {
		return 0, err
	}
	for _, n := range due {
		err := a.tell(ctx, n)
		if ctx.Err() != nil {
			return sent, ctx.Err()
		}
		next := int64(0)
		switch {
		case err == nil:
			sent++
		case agent.ErrorCode(err) == agent.CodeNotFound || n.Tries >= len(backOff):
			a.Log.Warn("a notice was given up", "link", n.Link.ID, "tries", n.Tries+1, "error", err)
		default:
			next = now + backOff[n.Tries].Milliseconds()
			a.Log.Warn("a notice will be tried again", "link", n.Link.ID, "tries", n.Tries+1, "error", err)
		}
		if err := a.Links.NoteNotice(ctx, n.Link.ID, now, next, err == nil); err != nil {
			return sent, err
		}
	}
	return sent, nil
}

// tell sends a notice on every channel; one that got through is enough.
func (a *Away) tell(ctx context.Context, n agent.ApprovalNotice) error {
	user, err := a.Links.Contact(ctx, n.UserID, n.OrgID)
	if err != nil {
		return err
	}
	notice := Notice{ID: n.Link.ID, App: a.App, User: user, OrgID: n.OrgID, Approval: n.Approval, URL: a.url(n.Link),
		CreatedAt: n.Link.CreatedAt, ExpiresAt: n.Link.ExpiresAt}
	notice.Approval.Title = a.title(n.Approval.Capability)
	var failed []error
	for _, c := range a.Channels {
		sending, stop := context.WithTimeout(ctx, sendTime)
		err := c.Send(sending, notice)
		stop()
		if err != nil {
			a.Log.Warn("a channel failed", "channel", c.Name(), "link", n.Link.ID, "error", err)
			failed = append(failed, err)
		}
	}
	if len(failed) < len(a.Channels) {
		return nil
	}
	return errors.Join(failed...)
}
