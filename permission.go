package agent

import (
	"context"
	"encoding/json"
)

// RememberMode is the admin's ceiling on "always allow".
type RememberMode string

// The ceilings. Any other word counts as off.
const (
	RememberOff     RememberMode = "off"
	RememberPreview RememberMode = "preview" // all kinds but mutate
	RememberMutate  RememberMode = "mutate"  // every kind
)

// MaxPermissions is how many live permissions one user may have in one org.
const MaxPermissions = 200

// Permission is an "always allow" of a user: a capability on the resources of one
// accepted preview, with arguments inside its limits, until a time. The server
// derived all of it from the receipt. Times are milliseconds since the Unix epoch.
type Permission struct {
	ID     string `json:"id"`
	OrgID  string `json:"-"`
	UserID string `json:"-"`
	// ReceiptID is the preview whose accept made it, Summary what that preview said.
	ReceiptID   ReceiptID `json:"receiptId"`
	Summary     string    `json:"summary"`
	Capability  string    `json:"capability"`
	Title       string    `json:"title"`
	ProjectID   string    `json:"projectId"`
	ProjectKind string    `json:"projectKind"`
	// Resources are the only ones that a preview may rest on.
	Resources []string        `json:"resources"`
	Limits    []ArgumentLimit `json:"limits"` // what the arguments may be
	CreatedAt int64           `json:"createdAt"`
	Until     int64           `json:"until"`            // when it ends
	Uses      int64           `json:"uses"`             // how often it accepted a preview
	UsedAt    int64           `json:"usedAt,omitempty"` // when it last did; absent for never
	// InForce is false while the org's policy or the user's tier does not let it act.
	InForce bool `json:"inForce"`
}

// PermissionScope is what a Permission that is not given yet would cover, besides its
// capability and project.
type PermissionScope struct {
	Resources []string        `json:"resources"` // the only ones that a preview may rest on
	Limits    []ArgumentLimit `json:"limits"`    // what the arguments may be
	Days      int             `json:"days"`      // how long it would act
}

// ArgumentLimit bounds one top-level argument. Exactly one of Equal, Max and Any
// is set; an argument without a limit must be absent.
type ArgumentLimit struct {
	Argument string          `json:"argument"`        // name of the argument
	Equal    json.RawMessage `json:"equal,omitempty"` // canonical JSON
	Max      *int64          `json:"max,omitempty"`   // whole numbers from 0 to this
	Any      bool            `json:"any,omitempty"`   // whatever it is
}

// PermissionQuery asks for a page of the caller's permissions.
type PermissionQuery struct {
	Cursor string // Next of the page before
	Limit  int    // 0 means 50, at most 200
}

// Permissions serves what a caller had remembered. Caller: presenters.
type Permissions interface {
	// Permissions lists the live ones, newest first. Errors: invalid_input.
	Permissions(ctx context.Context, q PermissionQuery) (Page[Permission], error)
	// RevokePermission ends one at once, also for running turns. Errors: not_found.
	RevokePermission(ctx context.Context, id string) error
}

// PermissionRows is the store's side of permissions. Tenant as in Journal. They are
// made and used by Journal.Take.
type PermissionRows interface {
	// PermissionList lists the caller's that are neither revoked nor over at the time
	// now, newest first, without Title and InForce. Caller: account. Errors:
	// invalid_input (cursor).
	PermissionList(ctx context.Context, q PermissionQuery, now int64) (Page[Permission], error)
	// PermissionsFor gives those of them for a capability in a project. Caller: the engine.
	PermissionsFor(ctx context.Context, capability string, project Project, now int64) ([]Permission, error)
	// RevokePermission ends one; the row stays. Errors: not_found (also when it was
	// revoked before).
	RevokePermission(ctx context.Context, id string, at int64) error
}
