package agent

import (
	"context"
	"database/sql"
	"encoding/json"
	"log/slog"
	"time"
)

// Kind says what a capability does to the world.
type Kind string

// The kinds: it only looks; it makes a proposal; it changes something.
const (
	KindRead    Kind = "read"
	KindPreview Kind = "preview"
	KindMutate  Kind = "mutate"
)

// Capability is a typed, validated, server-side function that the model may
// call. The registry of capabilities is the only side-effect surface.
type Capability struct {
	// Name is globally unique and dot-namespaced: entity.verb.
	Name string
	// Title and Description are plain words for people and for the model.
	Title       string
	Description string
	// Input is the JSON Schema 2020-12 of the arguments; type object at its root.
	Input                json.RawMessage
	Kind                 Kind
	RequiredTier         Tier
	RequiresConfirmation bool
	// StaffOnly keeps a capability to the operator's own people, whatever the tier of
	// others; it can never be remembered as always allowed.
	StaffOnly bool
	// Retrieval counts against the cap of 5 retrieval calls a turn.
	Retrieval bool
	// Shared marks a capability of the house: it is offered besides the whitelist.
	Shared bool
	// Timeout bounds one run of Handler or Apply; 0 means the registry's default.
	Timeout time.Duration

	// Handler runs after every gate. A confirming capability computes its preview
	// here and changes nothing that lasts. An *Error is a result that the model
	// reads; any other error becomes tool_error and its text stays in the log.
	Handler func(ctx context.Context, call *Call) (Result, error)
	// Apply runs on accept, with the receipt's resources to compare and set. It
	// returns ErrStale when one of them moved.
	Apply func(ctx context.Context, call *Call, receipt Receipt) (Result, error)
	// Discard cleans up after a preview that nobody accepted. Optional.
	Discard func(ctx context.Context, call *Call, receipt Receipt) error
	// Undo takes an applied change back. Optional; it returns ErrStaleUndo when a
	// resource changed since. UndoFor is how long after the change it is offered.
	Undo    func(ctx context.Context, call *Call, receipt Receipt) (Result, error)
	UndoFor time.Duration
	// Verify is asked after a crash: did the effect with call.Key happen? Optional.
	// It gives the result that Apply (or Handler) would have given.
	Verify func(ctx context.Context, call *Call) (done bool, result Result, err error)
	// Resources gives the ids and versions that a preview of this input rests on.
	// It is required of a confirming capability.
	Resources func(ctx context.Context, call *Call) ([]Resource, error)
	// KeyHonoured says that the other system treats call.Key as an idempotency key.
	KeyHonoured bool
	// Commits says that whatever lasts is written inside call.Commit: after a crash it
	// is known whether that happened, without Verify.
	Commits bool
	// RememberFree names top-level arguments that may have any value under an "always
	// allow", such as the text to write. All others stay as they were accepted, but
	// whole numbers, which may be smaller.
	RememberFree []string
}

// Phase names the run of a capability that a ledger key or an event is about.
type Phase string

// The phases of a call.
const (
	PhaseHandler Phase = "handler"
	PhaseApply   Phase = "apply"
	PhaseDiscard Phase = "discard"
	PhaseUndo    Phase = "undo"
)

// Call is what a capability's functions are given: the checked arguments, who
// asks, and the only ways out of the function.
type Call struct {
	ID         CallID
	Turn       TurnID
	Thread     ThreadID
	Capability string
	Input      json.RawMessage
	Principal  Principal
	Project    Project
	// Key is the ledger key of this run: stable across crashes, to be handed to
	// the other system as its idempotency key. Empty for reads.
	Key string
	// Commit runs f in a transaction of the app database that also settles the ledger:
	// both are kept or neither, so the change happens exactly once. Call it last and
	// once; f has MaxCommit, sees no other port (ErrInsideCommit) and must leave the
	// transaction's end to its caller. After an error nothing was kept and Commit may
	// be tried again. It is for runs with a Key, discards aside. Errors: what f says,
	// conflict (a second time, or the run is over), timeout, storage_busy,
	// storage_full, unavailable (no such run).
	Commit func(f func(*sql.Tx) error) error
	Log    *slog.Logger
	Now    func() time.Time
	// Progress tells the user how far the work is; it may be called from any
	// goroutine and never blocks.
	Progress func(CapabilityProgress)
	// Generate asks the model once, on the turn's own key and budget.
	Generate func(ctx context.Context, req GenerateRequest) (string, error)
	// Transcript reads what was said before in this thread.
	Transcript func(ctx context.Context) ([]TranscriptRow, error)
}

// GenerateRequest is a one-shot model call of a capability.
type GenerateRequest struct {
	// Purpose is a short word for logs and the scripted model: "slide.edit".
	Purpose   string
	System    string
	Prompt    string
	MaxTokens int // 0 means the engine's default
}

// Result is what a run gives back. Exactly one of Output, Preview and Error is
// set on a meaningful result; an empty output is fine.
type Result struct {
	OK      bool            `json:"ok"`
	Output  json.RawMessage `json:"output,omitempty"`
	Preview *Preview        `json:"preview,omitempty"`
	Error   *ResultError    `json:"error,omitempty"`
	Display *Display        `json:"display,omitempty"`
}

// ResultError is a refusal or a failure that the model reads.
type ResultError struct {
	Code        Code   `json:"code"`
	Message     string `json:"message"`
	Recoverable bool   `json:"recoverable"`
	// Pointer is a JSON pointer into the input, where one member is at fault.
	Pointer string `json:"pointer,omitempty"`
}

// Display names the host view to open for a result.
type Display struct {
	Mount  string          `json:"mount"`
	Props  json.RawMessage `json:"props,omitempty"`
	Layout string          `json:"layout"` // inline, panel or full
}

// Preview shows a change before it happens, in the app's own data.
type Preview struct {
	Summary   string     `json:"summary"`
	Artifacts []Artifact `json:"artifacts"`
	// State is the capability's own note for Apply and Discard, such as a branch
	// name; it is stored with the receipt and never shown.
	State json.RawMessage `json:"-"`
}

// ArtifactKind says how an artifact is shown.
type ArtifactKind string

// The artifact kinds. An unknown kind is shown as raw JSON, never as nothing.
const (
	ArtifactDiff     ArtifactKind = "diff"     // unified
	ArtifactHTML     ArtifactKind = "html"     // one self-contained document, shown in an opaque frame
	ArtifactImage    ArtifactKind = "image"    // bytes, or base64 in Text
	ArtifactMarkdown ArtifactKind = "markdown" // untrusted
	ArtifactJSON     ArtifactKind = "json"
	ArtifactFile     ArtifactKind = "file"
)

// Limits of a preview: 20 artifacts, 8 MiB each; one over 16 KiB is stored once
// by digest and fetched when it is looked at.
const (
	MaxArtifacts      = 20
	MaxArtifactBytes  = 8 << 20
	InlineArtifactMax = 16 << 10
)

// Artifact is one thing to look at in a preview. Text holds the content inline;
// a stored one has Digest and Bytes instead.
type Artifact struct {
	Kind   ArtifactKind `json:"kind"`
	Title  string       `json:"title"`
	Path   string       `json:"path,omitempty"`
	MIME   string       `json:"mime,omitempty"`
	Text   string       `json:"text,omitempty"`
	Digest string       `json:"digest,omitempty"` // sha256, hex
	Bytes  int64        `json:"bytes,omitempty"`
	// Data is the content of a binary artifact on its way to the store.
	Data []byte `json:"-"`
}

// Resource is a thing that a preview rests on, at the version it had then.
type Resource struct {
	ID      string `json:"id"`
	Version string `json:"version"`
}

// ReceiptState is where a receipt stands.
type ReceiptState string

// The states of a receipt. Only an open one can be answered.
const (
	ReceiptOpen      ReceiptState = "open"
	ReceiptAccepted  ReceiptState = "accepted"
	ReceiptDiscarded ReceiptState = "discarded"
	ReceiptStale     ReceiptState = "stale"
	ReceiptExpired   ReceiptState = "expired"
)

// Receipt is the stored preview that an approval answers, once.
type Receipt struct {
	ID            ReceiptID
	CallID        CallID
	TurnID        TurnID
	ThreadID      ThreadID
	OrgID         string
	UserID        string // who may answer
	Project       Project
	Capability    string
	Input         json.RawMessage
	InputDigest   string // sha256 of the canonical arguments
	Resources     []Resource
	PolicyVersion int64
	Preview       Preview
	State         ReceiptState
	DecidedBy     string
	DecidedAt     int64
	Reason        string
	CreatedAt     int64
	ExpiresAt     int64
	Replaces      ReceiptID
	// PermissionID is the rule that accepted it, RememberedID the rule that its accept
	// made; "" where a person decided, and where nothing was remembered.
	PermissionID string
	RememberedID string
	// AppliedAt is set when the change happened, UndoneAt when it was taken back.
	AppliedAt int64
	UndoneAt  int64
	// CleanedAt is set when the capability's Discard ran for an abandoned preview.
	CleanedAt int64
}

// Verdict is how a preview was answered.
type Verdict string

// The verdicts, as the decision event tells them.
const (
	VerdictAccepted  Verdict = "accepted"
	VerdictDiscarded Verdict = "discarded"
	VerdictEdited    Verdict = "edited"
	VerdictExpired   Verdict = "expired"
	VerdictStale     Verdict = "stale"
)

// EffectState is what became of a decision.
type EffectState string

// The states of an effect.
const (
	EffectApplying  EffectState = "applying"
	EffectApplied   EffectState = "applied"
	EffectFailed    EffectState = "failed"
	EffectUnknown   EffectState = "outcome_unknown"
	EffectDiscarded EffectState = "discarded"
	EffectUndone    EffectState = "undone"
)
