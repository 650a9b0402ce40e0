package agent

import "context"

// Approval is a preview that waits for its user: one line of the inbox. Times are
// milliseconds since the Unix epoch.
type Approval struct {
	TurnID      TurnID    `json:"turnId"`
	ThreadID    ThreadID  `json:"threadId"`
	ThreadTitle string    `json:"threadTitle"` // what the conversation is called
	ProjectID   string    `json:"projectId"`
	ProjectKind string    `json:"projectKind"`
	CallID      CallID    `json:"callId"`
	ReceiptID   ReceiptID `json:"receiptId"`
	Capability  string    `json:"capability"`
	// Title is the capability's, in plain words.
	Title   string `json:"title"`
	Summary string `json:"summary"`
	// Artifacts are the preview's outline; the thread has their content.
	Artifacts []ArtifactOutline `json:"artifacts"`
	CreatedAt int64             `json:"createdAt"`
	ExpiresAt int64             `json:"expiresAt"`
	// Replaces names the stale preview that this one was made again for.
	Replaces ReceiptID `json:"replaces,omitempty"`
}

// ArtifactOutline is an artifact without its content.
type ArtifactOutline struct {
	Kind   ArtifactKind `json:"kind"`
	Title  string       `json:"title"`
	Path   string       `json:"path,omitempty"`   // of the file, where it stands for one
	MIME   string       `json:"mime,omitempty"`   // media type of the content
	Digest string       `json:"digest,omitempty"` // set on one that is stored apart
	Bytes  int64        `json:"bytes"`            // size of the content
}

// Outline gives the artifact without its content.
func (a Artifact) Outline() ArtifactOutline {
	o := ArtifactOutline{Kind: a.Kind, Title: a.Title, Path: a.Path, MIME: a.MIME, Digest: a.Digest, Bytes: a.Bytes}
	if a.Digest == "" {
		o.Bytes = int64(max(len(a.Text), len(a.Data)))
	}
	return o
}

// ApprovalQuery asks for a page of the inbox.
type ApprovalQuery struct {
	Cursor string // Next of the page before
	Limit  int    // 0 means 50, at most 200
}

// Approvals serves the inbox. Caller: presenters.
type Approvals interface {
	// Approvals lists what waits for the caller in any thread whose project they may
	// still open, newest first. A page can be shorter than asked for; Next alone says
	// whether there is more. Errors: invalid_input (cursor, limit).
	Approvals(ctx context.Context, q ApprovalQuery) (Page[Approval], error)
	// Approval gives one preview of the caller with its artifacts, also one that was
	// answered. Errors: not_found.
	Approval(ctx context.Context, id ReceiptID) (ApprovalView, error)
}

// ApprovalRows is the store's side of the inbox. Tenant as in Journal. Caller: account.
type ApprovalRows interface {
	// ApprovalList lists the caller's open receipts that can still be answered at the
	// time now, newest first; Title is left empty. Errors: invalid_input (cursor).
	ApprovalList(ctx context.Context, q ApprovalQuery, now int64) (Page[Approval], error)
	// ReceiptRow gives one receipt of the caller. Errors: not_found.
	ReceiptRow(ctx context.Context, id ReceiptID) (Receipt, error)
}
