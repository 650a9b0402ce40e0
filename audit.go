package agent

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"strings"
)

// What the audit log records, as noun.past. Logins and reads of one's own are not in it.
const (
	AuditPolicyChanged        = "policy.changed"
	AuditKeyAdded             = "key.added"
	AuditKeyRevoked           = "key.revoked"
	AuditPermissionRemembered = "permission.remembered"
	AuditPermissionRevoked    = "permission.revoked"
	AuditLinkDecided          = "link.decided" // a preview was answered by its link
	AuditThreadDeleted        = "thread.deleted"
	AuditAdminRead            = "admin.read" // a superuser looked at policy or audit log
	// AuditResealed says that the end of the log was not as it had been sealed when the
	// next row came: rows are gone or were put there, or the sealing key is another.
	AuditResealed = "audit.resealed"
)

// The actors that are no users.
const (
	ActorOperator = "operator" // whoever has the data folder
	ActorOutside  = "outside"  // a change of a policy past its administration: by SQL, or by the directory
)

// Limits of an audit row; longer words are cut, a longer detail is refused.
const (
	MaxAuditDetail = 8 << 10
	MaxAuditWord   = 256
)

// AuditEntry is one row of an org's audit log. At is milliseconds since the Unix epoch.
type AuditEntry struct {
	Seq int64 `json:"seq"` // from 1, without a gap
	// ID names the fact: the same one is recorded once, however often it is said.
	ID     string `json:"id"`
	At     int64  `json:"at"`     // milliseconds since the Unix epoch
	Actor  string `json:"actor"`  // id of the user, or operator, or outside: past the administration
	Action string `json:"action"` // what was done, as noun.past
	Object string `json:"object"` // what it was done to
	// Detail is an object of at most 8 KiB. It never holds key bytes.
	Detail    json.RawMessage `json:"detail"`
	ReceiptID ReceiptID       `json:"receiptId,omitempty"` // the preview behind it
	// Hash chains the row to the one before.
	Hash string `json:"hash"`
}

// Clean gives the entry in the one form in which it is hashed, stored and exported:
// valid text within its limits, the detail compact. Errors: invalid_input (no action,
// a detail that is no object), too_large (the detail).
func (e AuditEntry) Clean() (AuditEntry, error) {
	for _, s := range []*string{&e.ID, &e.Actor, &e.Action, &e.Object, (*string)(&e.ReceiptID)} {
		*s = strings.ToValidUTF8(*s, "\uFFFD")
		if len(*s) > MaxAuditWord {
			*s = strings.ToValidUTF8((*s)[:MaxAuditWord], "")
		}
	}
	if e.Action == "" {
		return e, Errorf(CodeInvalidInput, "An audit row needs an action.")
	}
	if len(e.Detail) == 0 {
		e.Detail = json.RawMessage(`{}`)
	}
	detail, err := json.Marshal(json.RawMessage(bytes.ToValidUTF8(e.Detail, []byte("\uFFFD"))))
	if err != nil || detail[0] != '{' {
		return e, Wrap(CodeInvalidInput, err, "The detail of an audit row must be a JSON object.")
	}
	if len(detail) > MaxAuditDetail {
		return e, Errorf(CodeTooLarge, "The detail of an audit row is longer than %d bytes.", MaxAuditDetail)
	}
	e.Detail = detail
	return e, nil
}

// ChainHash gives the hash that the row has after the one with the hash previous
// ("" before the first) in the log of an org: SHA-256 over a line that names the form,
// then org, previous hash and each member of the row in order, each with its length
// before it, so that no two rows have the same encoding.
func (e AuditEntry) ChainHash(org, previous string) string {
	h := sha256.New()
	h.Write([]byte("in-app-agent audit 1\n"))
	put := func(b []byte) {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(b))))
		h.Write(b)
	}
	for _, s := range []string{org, previous} {
		put([]byte(s))
	}
	put(binary.BigEndian.AppendUint64(nil, uint64(e.Seq)))
	put([]byte(e.ID))
	put(binary.BigEndian.AppendUint64(nil, uint64(e.At)))
	for _, s := range []string{e.Actor, e.Action, e.Object, string(e.Detail), string(e.ReceiptID)} {
		put([]byte(s))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// AuditHead is an end of a log. One that is kept elsewhere, such as the last line of
// an export, proves later that nothing before it was taken away or changed.
type AuditHead struct {
	Seq  int64  `json:"seq"`
	Hash string `json:"hash"`
}

// AuditReport is what Verify found. Broken is nil for a log that holds.
type AuditReport struct {
	Rows   int64
	Head   AuditHead
	Broken *AuditBreak
}

// AuditBreak names the first row that does not hold, and why in words.
type AuditBreak struct {
	Seq    int64
	Reason string
}

// AuditQuery asks for a page of the log.
type AuditQuery struct {
	Cursor string // Next of the page before
	Limit  int    // 0 means 50, at most 200
}

// Audit keeps the log of an org: it is appended to and read, and nothing else. The
// tenant comes from the context's principal, as in Journal. What the store itself
// writes (permissions, keys, policies, deletions, answers by link) it records itself,
// with what is recorded or not at all.
type Audit interface {
	// AppendAudit records a fact that no row of ours tells; the principal's user is the
	// actor. Seq, Hash and an empty ID are the store's to fill. An ID that is there
	// already is not recorded again: the row that stands is given. Callers: account,
	// capabilities of the house. Errors: invalid_input, too_large.
	AppendAudit(ctx context.Context, e AuditEntry) (AuditEntry, error)
	// AuditList lists, newest first. Caller: account. Errors: invalid_input (cursor).
	AuditList(ctx context.Context, q AuditQuery) (Page[AuditEntry], error)
	// AuditAfter gives up to limit rows after a seq, oldest first. Caller: account.
	AuditAfter(ctx context.Context, seq int64, limit int) ([]AuditEntry, error)
	// VerifyAudit reads the whole log and names the first row that does not hold. An
	// anchor with a Seq must be in it, and answers for the seals of the rows up to it.
	// Caller: doctor audit.
	VerifyAudit(ctx context.Context, anchor AuditHead) (AuditReport, error)
}

type approvalLinkKey struct{}

// WithApprovalLink marks the context of a decision that was given behind a link, so
// that the audit log tells of it. Caller: the page behind links.
func WithApprovalLink(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, approvalLinkKey{}, id)
}

// ApprovalLinkFrom gives the link that a decision was given behind, "" for none.
// Caller: the store.
func ApprovalLinkFrom(ctx context.Context) string {
	id, _ := ctx.Value(approvalLinkKey{}).(string)
	return id
}
