package agent

import "context"

// ApprovalView is a preview as the page away from the tab shows it: with its
// artifacts, whatever its state is now.
type ApprovalView struct {
	Approval
	State ReceiptState
	// Preview holds the artifacts themselves; one that is stored apart has its digest.
	Preview Preview
}

// ApprovalLink is a link to a waiting preview. It is no credential: whoever opens
// it signs in, sees the preview and decides; deciding spends it.
type ApprovalLink struct {
	ID        string
	ReceiptID ReceiptID
	CreatedAt int64
	ExpiresAt int64
	SpentAt   int64
}

// ApprovalNotice is what is told to somebody who is away: the preview, and the link.
type ApprovalNotice struct {
	Link     ApprovalLink
	Approval Approval // without its title
	OrgID    string
	UserID   string
	Tries    int // how often it was tried to send it before
}

// NoticeQuery selects what is to be told now.
type NoticeQuery struct {
	Now    int64
	Before int64 // previews that were shown until then
	Life   int64 // of a new link, in milliseconds; never past its preview's end
	Limit  int
}

// ApprovalLinks is the store's side of approving away from the tab.
type ApprovalLinks interface {
	// DueNotices makes a link for each open preview that has none, and gives those
	// that are to be sent now, oldest first. System; caller: the notices' loop.
	DueNotices(ctx context.Context, q NoticeQuery) ([]ApprovalNotice, error)
	// NoteNotice notes how sending went: next is when to try again, 0 for never. System.
	NoteNotice(ctx context.Context, link string, at, next int64, sent bool) error
	// Contact gives a member's name and address. System. Errors: not_found (also when
	// the membership is gone).
	Contact(ctx context.Context, userID, orgID string) (User, error)
	// ApprovalLink gives a link of the caller. Tenant as in Journal. Errors: not_found.
	ApprovalLink(ctx context.Context, id string) (ApprovalLink, error)
	// SpendLink spends a link of the caller, once. Errors: not_found, conflict (it is
	// spent), gone (expired).
	SpendLink(ctx context.Context, id string, at int64) error
	// FreeLink takes back a spending whose decision could not be taken. Errors: not_found.
	FreeLink(ctx context.Context, id string) error
}
