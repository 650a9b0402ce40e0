package account

import (
	"context"
	"errors"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

func (f *fakeStore) ApprovalList(_ context.Context, q agent.ApprovalQuery, now int64) (agent.Page[agent.Approval], error) {
	f.asked, f.askedAt = q, now
	return f.inbox, f.err
}

func (f *fakeStore) ReceiptRow(_ context.Context, id agent.ReceiptID) (agent.Receipt, error) {
	if id != f.receipt.ID {
		return agent.Receipt{}, agent.NotFound("preview")
	}
	return f.receipt, f.err
}

func TestOnePreviewIsGivenWithItsArtifactsWhileItsProjectOpens(t *testing.T) {
	o := newOffice(t)
	at := o.now.UnixMilli()
	o.store.receipt = agent.Receipt{ID: "rc1", ThreadID: "th1", Capability: "slide.edit", State: agent.ReceiptOpen, ExpiresAt: at + 1,
		Preview: agent.Preview{Summary: "Edit", Artifacts: []agent.Artifact{{Kind: agent.ArtifactDiff, Text: "-a"}}}}
	v, err := o.Approval(alice, "rc1")
	if err != nil || v.State != agent.ReceiptOpen || v.Title != "Edit a slide" || v.ThreadTitle != "A deck" || v.Preview.Artifacts[0].Text != "-a" || v.Artifacts[0].Bytes != 2 {
		t.Errorf("%+v, %v", v, err)
	}
	o.store.receipt.ExpiresAt = at
	if v, _ := o.Approval(alice, "rc1"); v.State != agent.ReceiptExpired {
		t.Errorf("a preview that is too old is %s", v.State)
	}
	_, err = o.Approval(alice, "rc2")
	refused(t, "another", err, agent.CodeNotFound, "")
	o.host.open["p1"] = false
	_, err = o.Approval(alice, "rc1")
	refused(t, "of a lost project", err, agent.CodeNotFound, "")
}

func TestTheInboxHoldsWhatTheCallerMayStillOpenInPlainWords(t *testing.T) {
	o := newOffice(t)
	o.store.inbox = agent.Page[agent.Approval]{Next: "more", Items: []agent.Approval{
		{ReceiptID: "rc3", ProjectID: "p1", ProjectKind: "deck", Capability: "slide.edit"},
		{ReceiptID: "rc2", ProjectID: "lost", ProjectKind: "deck", Capability: "slide.edit"},
		{ReceiptID: "rc1", ProjectID: "p1", ProjectKind: "deck", Capability: "gone.away"},
	}}
	q := agent.ApprovalQuery{Cursor: "c", Limit: 3}
	page, err := o.Approvals(alice, q)
	if err != nil || len(page.Items) != 2 || page.Next != "more" || o.host.asked != 2 {
		t.Fatalf("%+v, %v; the host was asked %d times", page, err, o.host.asked)
	}
	if page.Items[0].Title != "Edit a slide" || page.Items[1].ReceiptID != "rc1" || page.Items[1].Title != "gone.away" {
		t.Errorf("%+v", page.Items)
	}
	if o.store.asked != q || o.store.askedAt != o.now.UnixMilli() {
		t.Errorf("the store was asked %+v at %d", o.store.asked, o.store.askedAt)
	}
}

func TestAnInboxIsNotTheEmptyOneWhenTheHostCannotSay(t *testing.T) {
	o := newOffice(t)
	o.store.inbox.Items = []agent.Approval{{ProjectID: "p1"}}
	o.host.err = errors.New("down")
	if page, err := o.Approvals(alice, agent.ApprovalQuery{}); err == nil {
		t.Errorf("%+v", page)
	}
}

func TestAPageOfTheInboxHasALimit(t *testing.T) {
	o := newOffice(t)
	for limit, ok := range map[int]bool{-1: false, 0: true, 1: true, maxApprovals: true, maxApprovals + 1: false} {
		if _, err := o.Approvals(alice, agent.ApprovalQuery{Limit: limit}); (err == nil) != ok {
			t.Errorf("%d: %v", limit, err)
		}
	}
	_, err := o.Approvals(context.Background(), agent.ApprovalQuery{})
	refused(t, "nobody", err, agent.CodeUnauthenticated, "")
}
