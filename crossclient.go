package agent

import "context"

// Deployment says whose server this is.
type Deployment string

// The deployments. Only an operated one may hold what reaches across clients.
const (
	DeploymentSelfHosted Deployment = "self-hosted" // a client's own, with the client's data alone
	DeploymentOperated   Deployment = "operated"    // ours, with the data of many clients
)

// AuditSessionsSearched is recorded in each org whose sessions staff searched together
// with those of other clients, and in the org of whoever searched.
const AuditSessionsSearched = "sessions.searched"

// Client is an org as a search across clients sees it.
type Client struct {
	OrgID    string
	Slug     string
	Name     string
	OptedOut bool
}

// ClientResults is a client that was searched: how many passages it gave, and the
// query as its admins may read it.
type ClientResults struct {
	Client
	Results int
	Query   string
}

// ClientSearch is a search across clients as it is recorded.
type ClientSearch struct {
	// ID names the search: one that is recorded again is recorded once.
	ID        string
	At        int64
	ReceiptID ReceiptID
	Query     string // redacted
	Searched  []ClientResults
	Skipped   []Client // those that opted out
}

// Clients is the store's side of a search across clients. Its methods answer forbidden
// to whoever is no staff. Caller: the search of the house.
type Clients interface {
	// Clients gives every org, by slug, with its word on being searched as it is now.
	Clients(ctx context.Context) ([]Client, error)
	// RecordSearch records a search, all of it or nothing: the whole in the log of the
	// caller's org, and in the log of each searched org its own part, of which that
	// org's admins are told. Errors: conflict (an org opted out meanwhile).
	RecordSearch(ctx context.Context, s ClientSearch) error
}

// AuditNotice is a row of an org's log that its admins are told of.
type AuditNotice struct {
	Org    Org
	Entry  AuditEntry
	Admins []User
	Tries  int // how often it was tried before
}

// AuditNotices is the store's side of telling admins. System; caller: the notices' loop.
type AuditNotices interface {
	// DueAuditNotices gives those that are to be sent at the time now, oldest first; one
	// that could not be sent for a week is not tried any more.
	DueAuditNotices(ctx context.Context, now int64, limit int) ([]AuditNotice, error)
	// NoteAuditNotice notes how sending went: next is when to try again, 0 for never.
	NoteAuditNotice(ctx context.Context, orgID string, seq, at, next int64, sent bool) error
}
