package agent

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Seq numbers the events of a turn: it starts at 1 and has no gaps.
type Seq int64

// Cursor is a place in a thread's stream: everything up to and including Seq of
// Turn has been seen, told by Run (0 when unknown). Its text form is
// "turn:run:seq", or "turn:seq" without the run; the zero Cursor is the start.
// The run matters after a takeover: text that the old owner told and never wrote
// has seqs that the new owner uses again.
type Cursor struct {
	Turn TurnID
	Run  int64
	Seq  Seq
}

// String gives the text form, "" for the start.
func (c Cursor) String() string {
	switch {
	case c.Turn == "":
		return ""
	case c.Run == 0:
		return string(c.Turn) + ":" + strconv.FormatInt(int64(c.Seq), 10)
	default:
		return string(c.Turn) + ":" + strconv.FormatInt(c.Run, 10) + ":" + strconv.FormatInt(int64(c.Seq), 10)
	}
}

// ParseCursor reads the text form; invalid_request names what is wrong.
func ParseCursor(s string) (Cursor, error) {
	if s == "" {
		return Cursor{}, nil
	}
	parts := strings.Split(s, ":")
	var run, seq int64
	var err, errRun error
	switch len(parts) {
	case 2:
		seq, err = strconv.ParseInt(parts[1], 10, 64)
	case 3:
		run, errRun = strconv.ParseInt(parts[1], 10, 64)
		seq, err = strconv.ParseInt(parts[2], 10, 64)
	default:
		err = strconv.ErrSyntax
	}
	if err != nil || errRun != nil || parts[0] == "" || seq < 0 || run < 0 {
		return Cursor{}, Errorf(CodeInvalidRequest, "The cursor must look like turn:run:seq or turn:seq.")
	}
	return Cursor{Turn: TurnID(parts[0]), Run: run, Seq: Seq(seq)}, nil
}

// EventKind names what happened, noun first.
type EventKind string

// The kinds of events. Clients ignore kinds they do not know.
const (
	EventTurnStarted        EventKind = "turn.started"
	EventTextDelta          EventKind = "text.delta"
	EventReasoningDelta     EventKind = "reasoning.delta"
	EventCapabilityStarted  EventKind = "capability.started"
	EventCapabilityProgress EventKind = "capability.progress"
	EventCapabilityDone     EventKind = "capability.done"
	EventPreview            EventKind = "preview"
	EventDecision           EventKind = "decision"
	EventStepRestarted      EventKind = "step.restarted"
	EventCast               EventKind = "cast"
	EventUsage              EventKind = "usage"
	EventBudgetWarned       EventKind = "budget.warned"
	EventSuggestions        EventKind = "suggestions"
	EventTurnCompleted      EventKind = "turn.completed"
	EventTurnFailed         EventKind = "turn.failed"
	EventTurnCanceled       EventKind = "turn.canceled"
	// EventThreadChanged travels only on a thread's stream; it belongs to no turn,
	// has no seq and tells the reader to fetch the thread's head line again.
	EventThreadChanged EventKind = "thread.changed"
)

// Terminal reports whether an event of this kind ends its turn.
func (k EventKind) Terminal() bool {
	return k == EventTurnCompleted || k == EventTurnFailed || k == EventTurnCanceled
}

// Live reports whether an event of this kind is told first and written later;
// every other kind is a milestone: written first.
func (k EventKind) Live() bool {
	return k == EventTextDelta || k == EventReasoningDelta || k == EventCapabilityProgress || k == EventCast || k == EventBudgetWarned
}

// Event is one thing that happened in a turn. The stored event is the wire
// event: one JSON form for disk, browser and pipe.
type Event struct {
	Seq Seq `json:"seq"`
	// From is set on an event that stands for several: it covers From..Seq.
	From   Seq             `json:"from,omitempty"`
	Run    int64           `json:"run"`
	Turn   TurnID          `json:"turn"`
	Thread ThreadID        `json:"thread"`
	At     int64           `json:"at"` // milliseconds since the Unix epoch
	Kind   EventKind       `json:"kind"`
	Data   json.RawMessage `json:"data"`
}

// Payload is the typed data of one event kind.
type Payload interface{ EventKind() EventKind }

// Decode reads the data of an event into its payload type.
func (e Event) Decode(into any) error {
	if err := json.Unmarshal(e.Data, into); err != nil {
		return fmt.Errorf("decode %s: %w", e.Kind, err)
	}
	return nil
}

// TurnStarted is always the first event of a turn.
type TurnStarted struct {
	Model        string    `json:"model"`
	Provider     string    `json:"provider"`
	KeySource    KeySource `json:"keySource"`
	Capabilities []string  `json:"capabilities"`
	By           string    `json:"by"` // "user" or "hand"
	Message      Message   `json:"message"`
	MessageID    string    `json:"messageId"`
	Parent       TurnID    `json:"parentTurnId,omitempty"`
	TurnIndex    int       `json:"turnIndex"`
}

// TextDelta is more text of a block: one run of text between two other things,
// numbered from 0 through the whole turn.
type TextDelta struct {
	Block int    `json:"block"`
	Text  string `json:"text"`
}

// ReasoningDelta is more of the model's reasoning, where the provider gives it.
type ReasoningDelta struct {
	Block int    `json:"block"`
	Text  string `json:"text"`
}

// CapabilityStarted tells that a call passed the first gates or was refused by them.
type CapabilityStarted struct {
	CallID CallID `json:"callId"`
	// Parent is the call that this one was edited from, or takes back.
	Parent CallID          `json:"parentCallId,omitempty"`
	Name   string          `json:"name"`
	Title  string          `json:"title"`
	Kind   Kind            `json:"kind"`
	Input  json.RawMessage `json:"input,omitempty"`
}

// CapabilityProgress is a handler's own word on how far it is.
type CapabilityProgress struct {
	CallID   CallID   `json:"callId"`
	Fraction *float64 `json:"fraction,omitempty"` // 0..1
	Message  string   `json:"message,omitempty"`
}

// CapabilityDone tells how a call, an apply or a discard ended.
type CapabilityDone struct {
	CallID CallID          `json:"callId"`
	Phase  Phase           `json:"phase"`
	OK     bool            `json:"ok"`
	Output json.RawMessage `json:"output,omitempty"`
	Error  *ResultError    `json:"error,omitempty"`
	// State is set when a decision stands behind it.
	State EffectState `json:"state,omitempty"`
	// UndoUntil is set on an applied change that can be taken back until then.
	UndoUntil  int64    `json:"undoUntil,omitempty"`
	DurationMS int64    `json:"durationMs"`
	Display    *Display `json:"display,omitempty"`
}

// PreviewShown parks the turn: a change is shown and waits for its user.
type PreviewShown struct {
	CallID    CallID          `json:"callId"`
	ReceiptID ReceiptID       `json:"receiptId"`
	Name      string          `json:"name"`
	Title     string          `json:"title"`
	Input     json.RawMessage `json:"input,omitempty"`
	Summary   string          `json:"summary"`
	Artifacts []Artifact      `json:"artifacts"`
	ExpiresAt int64           `json:"expiresAt"`
	// Replaces names the stale receipt that this preview was made again for.
	Replaces ReceiptID `json:"replaces,omitempty"`
	// Scope is what would be allowed from then on if its accept is remembered, under the
	// policy of now; absent where it may not be.
	Scope *PermissionScope `json:"scope,omitempty"`
}

// Decided tells how a preview was answered, or that nobody did in time.
type Decided struct {
	CallID    CallID    `json:"callId"`
	ReceiptID ReceiptID `json:"receiptId"`
	Decision  Verdict   `json:"decision"`
	By        string    `json:"by"` // user id, "system", or "rule"
	Reason    string    `json:"reason,omitempty"`
	// PermissionID is the remembered permission that accepted it, with by "rule".
	PermissionID string `json:"permissionId,omitempty"`
	// RememberedID is the permission that this accept made.
	RememberedID string `json:"rememberedId,omitempty"`
}

// StepRestarted voids what the running step told since From; it is asked again.
type StepRestarted struct {
	From   Seq    `json:"from"`
	Reason string `json:"reason"`
}

// Cast says who is working, for the character row.
type Cast struct {
	Character string `json:"character"`
	Active    bool   `json:"active"`
	Caption   string `json:"caption,omitempty"`
}

// UsageReported is the price of one model call; null means not reported.
type UsageReported struct {
	Model         string   `json:"model"`
	Purpose       string   `json:"purpose"` // "step" or "generate"
	TokensIn      *int64   `json:"tokensIn"`
	TokensOut     *int64   `json:"tokensOut"`
	CacheRead     *int64   `json:"cacheReadTokens"`
	CacheCreation *int64   `json:"cacheCreationTokens"`
	CostUSD       *float64 `json:"costUsd"`
}

// BudgetWarned tells, once a month, that a budget's soft cap is reached. Nothing is
// refused yet.
type BudgetWarned struct {
	BudgetStanding
	Message string `json:"message"`
}

// SuggestionsOffered is the host's flat map of what one may do next.
type SuggestionsOffered struct {
	Items []Suggestion `json:"items"`
}

// Suggestion is a next step offered as a chip; Prefill goes into the composer.
type Suggestion struct {
	Capability string `json:"capability"`
	Hint       string `json:"hint"`
	Prefill    string `json:"prefill"`
}

// TurnCompleted ends a turn well. Each block of Blocks replaces its deltas.
type TurnCompleted struct {
	Text      string      `json:"text"` // the last block: the answer
	Blocks    []TextBlock `json:"blocks"`
	TurnIndex int         `json:"turnIndex"`
	LatencyMS int64       `json:"latencyMs"`
	// CostUSD is what the turn's model calls cost; null means not known.
	CostUSD *float64 `json:"costUsd"`
}

// TextBlock is one closed block of text.
type TextBlock struct {
	Block int    `json:"block"`
	Text  string `json:"text"`
}

// TurnFailedData ends a turn with a code; partial text is kept.
type TurnFailedData struct {
	Code        Code   `json:"code"`
	Message     string `json:"message"`
	Hint        string `json:"hint,omitempty"`
	Recoverable bool   `json:"recoverable"`
	Status      int    `json:"status,omitempty"`
	KeyID       string `json:"keyId,omitempty"`
	Provider    string `json:"provider,omitempty"`
	// KeySource says whose key it was, with key_invalid: the person's own, which Panel
	// leads to; their org's, which an admin replaces; none, at an endpoint without a key.
	KeySource KeySource `json:"keySource,omitempty"`
	Panel     string    `json:"panel,omitempty"`
	// RetryAfterMS is how long to wait where waiting helps, such as for a budget's month.
	RetryAfterMS int64 `json:"retryAfterMs,omitempty"`
}

// TurnCanceledData ends a turn because somebody said so; partial text is kept.
type TurnCanceledData struct {
	By     string `json:"by"`
	Reason string `json:"reason"` // "stopped", "superseded", "deleted"
}

// ThreadChangedData tells a reader of the thread that its head line changed.
type ThreadChangedData struct {
	Title   string `json:"title"`
	Head    TurnID `json:"head,omitempty"`
	Deleted bool   `json:"deleted,omitempty"`
}

// EventKind names the kind that each payload belongs to.
func (TurnStarted) EventKind() EventKind        { return EventTurnStarted }
func (TextDelta) EventKind() EventKind          { return EventTextDelta }
func (ReasoningDelta) EventKind() EventKind     { return EventReasoningDelta }
func (CapabilityStarted) EventKind() EventKind  { return EventCapabilityStarted }
func (CapabilityProgress) EventKind() EventKind { return EventCapabilityProgress }
func (CapabilityDone) EventKind() EventKind     { return EventCapabilityDone }
func (PreviewShown) EventKind() EventKind       { return EventPreview }
func (Decided) EventKind() EventKind            { return EventDecision }
func (StepRestarted) EventKind() EventKind      { return EventStepRestarted }
func (Cast) EventKind() EventKind               { return EventCast }
func (UsageReported) EventKind() EventKind      { return EventUsage }
func (BudgetWarned) EventKind() EventKind       { return EventBudgetWarned }
func (SuggestionsOffered) EventKind() EventKind { return EventSuggestions }
func (TurnCompleted) EventKind() EventKind      { return EventTurnCompleted }
func (TurnFailedData) EventKind() EventKind     { return EventTurnFailed }
func (TurnCanceledData) EventKind() EventKind   { return EventTurnCanceled }
func (ThreadChangedData) EventKind() EventKind  { return EventThreadChanged }
