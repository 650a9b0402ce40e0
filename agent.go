package agent

import (
	"context"
	"encoding/json"
	"iter"
)

// Agent is the port that every presenter speaks to. Each method takes the
// principal from the context and answers not_found for what belongs to another
// tenant or another user.
type Agent interface {
	// StartTurn accepts a message and returns at once; the run is detached. A
	// resend with the same MessageID and content gives the same turn. Errors:
	// invalid_input, too_large, not_found (project, thread, parent), key_required,
	// turn_in_progress, conflict (same MessageID, other content), rate_limited,
	// unavailable, storage_busy, storage_full.
	StartTurn(ctx context.Context, req TurnRequest) (Turn, error)
	// Turn gives state, last seq and open calls of one turn. Errors: not_found.
	Turn(ctx context.Context, id TurnID) (Turn, error)
	// Turns lists the caller's turns by thread or state; state
	// awaiting_confirmation is the inbox. Errors: invalid_input.
	Turns(ctx context.Context, q TurnQuery) (Page[Turn], error)
	// Events yields the events of a turn after a seq and ends only after a terminal
	// event, on the context's end or with an error. A run other than the turn's
	// own makes it yield step.restarted first where text was lost. Errors: not_found.
	Events(ctx context.Context, id TurnID, after Position) iter.Seq2[Event, error]
	// ThreadEvents yields the events of every turn of a thread after the cursor, in
	// order, and thread.changed; it ends on the context's end or with an error.
	// Errors: not_found.
	ThreadEvents(ctx context.Context, id ThreadID, after Cursor) iter.Seq2[Event, error]
	// Decide takes decisions and returns as soon as they are taken, before any
	// Apply runs. The same answer again gives the stored outcomes; another answer
	// gives them with conflict. Errors: not_found, conflict, gone (expired),
	// forbidden (no approve scope), policy_denied, invalid_input, storage_busy.
	Decide(ctx context.Context, d DecisionRequest) ([]Outcome, error)
	// Undo takes an applied change back, in a turn of its own by the person's hand,
	// and returns as soon as that turn is accepted. Errors: not_found, gone (the
	// window is over, or the capability has no Undo), conflict (never applied, or
	// undone already), turn_in_progress, forbidden, policy_denied, and what
	// StartTurn says of the store. A change to the resource since then ends the turn
	// with stale_undo.
	Undo(ctx context.Context, id CallID) (Turn, error)
	// CancelTurn stops a turn: the model call is closed, no handler starts
	// afterwards, partial text is kept. Cancelling an ended turn does nothing.
	// Errors: not_found.
	CancelTurn(ctx context.Context, id TurnID) error
	// Describe tells what this caller may use here. Errors: unauthenticated.
	Describe(ctx context.Context) (Description, error)
}

// Position is a place in a turn's stream: Seq was seen while Run owned the turn.
// Run 0 means unknown.
type Position struct {
	Run int64
	Seq Seq
}

// TurnRequest starts a turn.
type TurnRequest struct {
	ProjectID   string
	ProjectKind string // "" lets the host say
	ThreadID    ThreadID
	MessageID   string // at most 64 characters; "" mints one
	Parent      TurnID // "" means the thread's head, RootTurn the thread's beginning
	Message     Message
	Model       string
	// Whitelist holds globs; nil means everything the host registered, an empty list
	// nothing but the shared capabilities.
	Whitelist []string
}

// RootTurn, as a parent, stands before a thread's first turn: another first message
// is a branch from there. A stored turn without a parent has Parent "".
const RootTurn = "root"

// TurnQuery selects turns; zero fields do not narrow.
type TurnQuery struct {
	ThreadID ThreadID
	State    TurnState
	Before   TurnID
	Limit    int
}

// Page is one page of a list; Next is "" on the last.
type Page[T any] struct {
	Items []T    `json:"items"`
	Next  string `json:"next,omitempty"`
}

// DecisionRequest answers previews of one turn.
type DecisionRequest struct {
	TurnID    TurnID     `json:"turnId"`
	Decisions []Decision `json:"decisions"`
}

// Answer words of a decision.
const (
	AnswerAccept  = "accept"
	AnswerDiscard = "discard"
	// AnswerEdit gives other arguments: a new, validated call with its own preview.
	AnswerEdit = "edit"
)

// Decision answers one preview.
type Decision struct {
	CallID    CallID    `json:"callId"`
	ReceiptID ReceiptID `json:"receiptId"`
	Decision  string    `json:"decision"` // accept, discard or edit
	// Input is the edited arguments, whole; only with edit.
	Input json.RawMessage `json:"input,omitempty"`
	// Remember, only with accept, makes a Permission of it. The server derives the
	// scope; where policy or the preview does not allow it, nothing is decided.
	Remember bool `json:"remember,omitempty"`
}

// Outcome is what became of one decision. Outcome is taken or stale.
type Outcome struct {
	CallID       CallID      `json:"callId"`
	ReceiptID    ReceiptID   `json:"receiptId"`
	Outcome      string      `json:"outcome"`
	Decision     Verdict     `json:"decision,omitempty"`
	State        EffectState `json:"state,omitempty"`
	NewReceiptID ReceiptID   `json:"newReceiptId,omitempty"`
	// PermissionID is what the accept made to be remembered.
	PermissionID string `json:"permissionId,omitempty"`
}

// Words of an Outcome.
const (
	OutcomeTaken = "taken"
	OutcomeStale = "stale"
)

// Description is what a caller may use here.
type Description struct {
	App          string           `json:"app"`
	Protocol     int              `json:"protocol"`
	SpineHash    string           `json:"spineHash"`
	Capabilities []CapabilityInfo `json:"capabilities"`
	Models       []ModelInfo      `json:"models"`
	User         UserInfo         `json:"user"`
}

// CapabilityInfo describes a capability to people and programs.
type CapabilityInfo struct {
	Name                 string          `json:"name"`
	Title                string          `json:"title"`
	Description          string          `json:"description"`
	Kind                 Kind            `json:"kind"`
	RequiredTier         Tier            `json:"requiredTier"`
	RequiresConfirmation bool            `json:"requiresConfirmation"`
	Shared               bool            `json:"shared,omitempty"`
	Input                json.RawMessage `json:"input"`
}

// UserInfo is the caller as the UI shows it.
type UserInfo struct {
	ID      string  `json:"id"`
	Name    string  `json:"name"`
	Org     string  `json:"org"`
	Tier    Tier    `json:"tier"`
	Billing Billing `json:"billing"`
}

// ProtocolVersion is the number of the event stream; a client refuses another one.
const ProtocolVersion = 1

// Limits of requests, all in one place.
const (
	MaxBodyBytes     = 1 << 20
	MaxMessageBytes  = 200 << 10
	MaxAttachments   = 50
	MaxCapabilities  = 512
	MaxTurnsPerUser  = 4
	MaxEventsPerTurn = 100_000
	MaxMessageID     = 64
	MaxWhitelist     = 100
	MaxTitleBytes    = 200
)
