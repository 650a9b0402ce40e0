package agent

import (
	"context"
	"encoding/json"
)

// TurnStart is everything that accepting a message writes, in one transaction:
// the thread where it is new, the turn, its first events and its transcript row.
type TurnStart struct {
	Turn   Turn   // its Parent may be RootTurn
	Thread Thread // the new thread; zero ID when the turn joins Turn.ThreadID
	// ContentDigest tells a resend from another message under the same MessageID.
	ContentDigest string
	Events        []Event
	Transcript    TranscriptRow
	// Calls are those of a turn by hand, which has no step.
	Calls []CallRecord
}

// Step is one model call as it is kept: what was asked of whom, and the answer.
type Step struct {
	TurnID   TurnID
	Index    int
	Run      int64
	Provider string
	Model    string
	Blocks   []Block         // provider-neutral; call blocks carry the wire id
	Raw      json.RawMessage // nil when it had to be repaired
	Stop     StopReason
	Usage    Usage
	At       int64
	// Trace tells what the request was made of; nil where none was kept.
	Trace *PromptTrace
}

// CallState is where a call stands.
type CallState string

// The states of a call.
const (
	CallPending CallState = "pending" // stored with the answer, not dispatched yet
	CallRunning CallState = "running"
	CallOpen    CallState = "open" // waits for its user
	CallDone    CallState = "done"
)

// CallRecord is one capability call as it is kept; its id is minted by us.
type CallRecord struct {
	ID         CallID
	TurnID     TurnID
	Parent     CallID // the call that this one was edited from, or takes back; the model did not make it
	Step       int
	Index      int
	WireID     string // the provider's id, for replay to the same provider
	Capability string // our name; the wire name where it is unknown to us
	Input      json.RawMessage
	State      CallState
	Result     *Result // set once done
	Usage      Usage   // of the model calls that the capability made
	StartedAt  int64
	EndedAt    int64
}

// LedgerState is where a ledger row stands.
type LedgerState string

// The states of a ledger row.
const (
	LedgerClaimed LedgerState = "claimed"
	LedgerSettled LedgerState = "settled"
	LedgerUnknown LedgerState = "outcome_unknown"
)

// LedgerEntry makes an effect happen once. Its key is (turn, call, phase).
type LedgerEntry struct {
	TurnID      TurnID
	CallID      CallID
	Phase       Phase
	InputDigest string
	State       LedgerState
	Run         int64
	Result      *Result // set once settled
	ClaimedAt   int64
	SettledAt   int64
}

// Key is the ledger key as handlers see it.
func (e LedgerEntry) Key() string { return LedgerKey(e.TurnID, e.CallID, e.Phase) }

// LedgerKey gives the text form of a ledger key.
func LedgerKey(t TurnID, c CallID, p Phase) string {
	return string(t) + "/" + string(c) + "/" + string(p)
}

// TranscriptRow is the seed's table, one row a turn.
type TranscriptRow struct {
	ID           string          `json:"id"`
	OrgID        string          `json:"-"`
	UserID       string          `json:"-"`
	ProjectID    string          `json:"projectId"`
	ProjectKind  string          `json:"projectKind"`
	ThreadID     ThreadID        `json:"threadId"`
	TurnIndex    int             `json:"turnIndex"`
	UserMessage  string          `json:"userMessage"`
	ModelMessage string          `json:"modelMessage"`
	ToolCalls    json.RawMessage `json:"toolCalls"`
	ToolResults  json.RawMessage `json:"toolResults"`
	Model        string          `json:"model"`
	KeySource    KeySource       `json:"keySource"`
	Usage                        // summed over the turn; null when never reported
	// Cost of that usage, in billionths of a US dollar; null when it is not known.
	Cost      *NanoUSD `json:"costNanoUsd"`
	LatencyMS *int64   `json:"latencyMs"`
	CreatedAt int64    `json:"createdAt"`
}

// Milestone is one transaction of a running turn, conditional on (turn, run):
// all of it is written or nothing. Zero fields write nothing.
type Milestone struct {
	Turn   TurnID
	Run    int64
	Events []Event // their seqs continue the turn's stored ones
	Step   *Step
	Calls  []CallRecord // inserted or replaced by id
	// Receipts are inserted; their artifacts over InlineArtifactMax were moved to
	// Blobs by the engine.
	Receipts []Receipt
	Blobs    []Blob
	Claims   []LedgerEntry // inserted; one that exists fails the milestone with conflict
	Settles  []LedgerEntry // state and result of claimed rows
	// Releases takes claimed rows back whose effect certainly did not happen, so
	// that the same call may be decided again.
	Releases []LedgerEntry
	// Receipts that stand: their new state.
	Restates   []Restate
	Transcript *TranscriptRow
	// Compaction is inserted; CutBefore, when it is not 0, becomes the turn's.
	Compaction *Compaction
	CutBefore  int
	// Spends settle reservations of model calls; Egress is what left meanwhile.
	Spends []BudgetSettlement
	Egress []EgressLine
	// State, when set, is the turn's new state. A parked or terminal turn loses
	// its owner.
	State     TurnState
	ErrorCode Code
}

// Restate moves a receipt of the turn, or of an earlier turn of the same thread, on.
// Zero fields change nothing.
type Restate struct {
	ID        ReceiptID
	State     ReceiptState
	Reason    string
	AppliedAt int64
	UndoneAt  int64
}

// Blob is a big artifact, stored once by digest and deleted with its thread.
type Blob struct {
	Digest string
	Thread ThreadID
	MIME   string
	Data   []byte
}

// TurnRecord is all that is kept of a turn besides its events.
type TurnRecord struct {
	Turn     Turn
	Steps    []Step
	Calls    []CallRecord
	Receipts []Receipt
	Ledger   []LedgerEntry
}

// TakeDecision is one decision on its way into the store.
type TakeDecision struct {
	CallID    CallID
	ReceiptID ReceiptID
	Verdict   Verdict // accepted or discarded; expired by the clean-up job
	By        string
	Reason    string
	At        int64
	Event     Event        // the decision event; its seq continues the turn's
	Claim     *LedgerEntry // of the effect that follows
	Calls     []CallRecord // inserted or replaced: an edited call and the one it came from
	// PermissionID is the rule that accepts it; one that is not live at At fails the
	// take with conflict. Remember is the rule that it makes; one over MaxPermissions
	// fails the take with too_large.
	PermissionID string
	Remember     *Permission
}

// Take is one transaction that takes decisions of one turn. When the turn is
// parked it is taken for Owner and its run is raised; when Owner already runs it,
// Run must be the turn's. All decisions are taken or none.
type Take struct {
	Turn      TurnID
	Owner     string
	Run       int64 // 0 when the turn is parked
	Decisions []TakeDecision
	// PolicyVersion is the org policy's version that an accept was checked against;
	// another one in the store fails the take with conflict. 0 asks for no check.
	PolicyVersion int64
}

// Journal keeps turns: it appends events, reads them after a seq and takes a
// pending decision. The tenant comes from the context's principal: a turn of
// another org or user is not_found. Caller: the engine only.
//
// Every method may also return storage_busy (locked longer than the busy
// timeout), storage_full and internal.
type Journal interface {
	// StartTurn accepts a message. created is false when the same MessageID with
	// the same digest was accepted before: that turn is returned. Errors: conflict
	// (same MessageID, other digest), turn_in_progress (another turn of the thread
	// is running or parked), not_found (thread, parent).
	StartTurn(ctx context.Context, s TurnStart) (t Turn, created bool, err error)
	// AppendLive writes told events of many turns in one transaction, each turn
	// conditional on its run. It gives the turns whose run is over. One batch holds
	// many tenants, so it takes none from the context: the run is the proof.
	AppendLive(ctx context.Context, batches []LiveBatch) (overtaken []TurnID, err error)
	// Commit writes a milestone. Errors: conflict (the run is over, or a claim exists).
	Commit(ctx context.Context, m Milestone) error
	// Take takes decisions. Errors: conflict (a receipt is not open any more, the
	// run is another, the policy version moved), gone (expired), not_found. The
	// returned turn carries the run to go on with.
	Take(ctx context.Context, t Take) (Turn, error)
	// Adopt raises the run of a running turn that nobody drives any more, and makes
	// owner its owner. run is the one that was seen: a turn that has moved on since
	// is not taken. Errors: conflict (it is not running, or is in another run).
	Adopt(ctx context.Context, id TurnID, owner string, run int64) (Turn, error)
	// StopTurn notes that a running turn was told to stop, so that whoever takes it up
	// after a crash ends it. The first one counts; a turn that does not run is left as
	// it is. Errors: not_found.
	StopTurn(ctx context.Context, id TurnID, by string) error
	// Turn gives a turn with its open calls. Errors: not_found.
	Turn(ctx context.Context, id TurnID) (Turn, error)
	// CallTurn gives the turn that a call belongs to. Errors: not_found.
	CallTurn(ctx context.Context, id CallID) (TurnID, error)
	// Record gives a turn with steps, calls, receipts and ledger. Errors: not_found.
	Record(ctx context.Context, id TurnID) (TurnRecord, error)
	// Path gives the records of at most limit turns from the root to id, oldest
	// first, without id itself. Errors: not_found.
	Path(ctx context.Context, id TurnID, limit int) ([]TurnRecord, error)
}

// LiveBatch is told text of one turn on its way to the store.
type LiveBatch struct {
	Turn   TurnID
	Run    int64
	Events []Event
}

// EventLog reads stored events. Tenant as in Journal. Callers: the engine, account.
type EventLog interface {
	// EventsAfter gives up to limit events of a turn with seq > after, in order; an
	// event that stands for several is cut so that it begins at after+1. Errors: not_found.
	EventsAfter(ctx context.Context, id TurnID, after Seq, limit int) ([]Event, error)
	// NextTurn gives the turn of a thread that started after the given one, or the
	// first for "". ok is false when there is none. Errors: not_found (the thread).
	NextTurn(ctx context.Context, thread ThreadID, after TurnID) (t Turn, ok bool, err error)
	// TurnList lists the caller's turns, newest first. Errors: invalid_input.
	TurnList(ctx context.Context, q TurnQuery) (Page[Turn], error)
}

// Owners keeps one row a process, and finds turns whose process is gone. It is a
// system port: no principal. Caller: the engine's sweep.
type Owners interface {
	// RegisterOwner writes the process's row.
	RegisterOwner(ctx context.Context, owner string, at int64) error
	// RenewOwner renews it, each second.
	RenewOwner(ctx context.Context, owner string, at int64) error
	// Orphans gives running turns of other owners; for "" those of all. Embedded, the process holds an
	// OS lock on the data folder, so every other owner is dead by proof.
	Orphans(ctx context.Context, owner string) ([]Turn, error)
}

// Receipts reads receipts. Tenant as in Journal, but Expired.
type Receipts interface {
	// Blob gives a stored artifact of a call that the caller may see. Errors: not_found.
	Blob(ctx context.Context, call CallID, digest string) (Blob, error)
	// Expired gives open receipts past their time and discarded or expired ones
	// whose clean-up did not run yet, of all tenants. System; caller: jobs run expire.
	Expired(ctx context.Context, now int64, limit int) ([]Receipt, error)
	// MarkCleaned notes that the capability's clean-up ran. System.
	MarkCleaned(ctx context.Context, id ReceiptID, at int64) error
}
