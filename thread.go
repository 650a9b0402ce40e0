package agent

import "context"

// Identifiers are minted by us and opaque to everyone else.
type (
	// ThreadID names a conversation (A2A: context).
	ThreadID string
	// TurnID names one message and all that follows it (A2A: task).
	TurnID string
	// CallID names one capability call.
	CallID string
	// ReceiptID names one stored preview.
	ReceiptID string
)

// Thread is a conversation: a tree of turns with one head. It belongs to one
// user of one org in one project. Times are milliseconds since the Unix epoch.
type Thread struct {
	ID          ThreadID `json:"id"`
	OrgID       string   `json:"-"`
	UserID      string   `json:"-"`
	ProjectID   string   `json:"projectId"`
	ProjectKind string   `json:"projectKind"`
	Title       string   `json:"title"`
	Head        TurnID   `json:"head,omitempty"`
	CreatedAt   int64    `json:"createdAt"`
	UpdatedAt   int64    `json:"updatedAt"`
	ArchivedAt  int64    `json:"archivedAt,omitempty"`
	// Waiting is true while a turn of the thread waits for its user.
	Waiting bool `json:"waiting,omitempty"`
	// Running is true while a turn of the thread runs.
	Running bool `json:"running,omitempty"`
}

// TurnState is where a turn stands.
type TurnState string

// The states of a turn; the last three are terminal.
const (
	TurnRunning  TurnState = "running"
	TurnAwaiting TurnState = "awaiting_confirmation"
	TurnComplete TurnState = "completed"
	TurnFailed   TurnState = "failed"
	TurnCanceled TurnState = "canceled"
)

// Terminal reports whether a turn in this state has ended.
func (s TurnState) Terminal() bool {
	return s == TurnComplete || s == TurnFailed || s == TurnCanceled
}

// KeySource says whose key paid for a turn.
type KeySource string

// The key sources, as the transcript records them.
const (
	// KeySourceNone is no key: the scripted model, an endpoint that takes none, or a call
	// by hand, which asks no model. Which of them it was, Provider and By say.
	KeySourceNone      KeySource = "none"
	KeySourceOrg       KeySource = "org"
	KeySourceUser      KeySource = "user-byok"
	KeySourceUserLocal KeySource = "user-byok-local"
)

// Turn is one message and all that follows it, to a terminal event.
type Turn struct {
	ID       TurnID    `json:"id"`
	ThreadID ThreadID  `json:"threadId"`
	Parent   TurnID    `json:"parentTurnId,omitempty"`
	Index    int       `json:"turnIndex"` // depth in the tree, from 0
	Ordinal  int       `json:"ordinal"`   // order of starting within the thread, from 1
	State    TurnState `json:"state"`
	// MessageID is the client's own id of the message; a resend with it is safe.
	MessageID string    `json:"messageId"`
	By        string    `json:"by"` // "user", or "hand" for a call without a model step
	Message   Message   `json:"message"`
	Model     string    `json:"model"`
	Provider  string    `json:"provider"`
	KeySource KeySource `json:"keySource"`
	// Whitelist holds the globs that the client asked for, Capabilities the names
	// that were offered after tier and policy.
	Whitelist    []string `json:"-"`
	Capabilities []string `json:"-"`
	KeyID        string   `json:"-"`
	// Context is what was said to the model beside the message: the date, the
	// attached nouns. It is kept, so that a later prompt repeats it byte for byte.
	Context string `json:"-"`
	// CutBefore is a number of a step: the results of those before it are sent to the
	// model in a short form, because the turn became longer than it can read.
	CutBefore   int    `json:"-"`
	OrgID       string `json:"-"`
	UserID      string `json:"-"`
	ProjectID   string `json:"-"`
	ProjectKind string `json:"-"`
	Owner       string `json:"-"` // process that runs it, "" when parked or ended
	StopBy      string `json:"-"` // who told it to stop while it ran, "" for nobody
	Run         int64  `json:"run"`
	LastSeq     Seq    `json:"lastSeq"`
	CreatedAt   int64  `json:"createdAt"`
	EndedAt     int64  `json:"endedAt,omitempty"`
	// ErrorCode is set on a failed turn.
	ErrorCode Code `json:"errorCode,omitempty"`
	// Open lists the calls that wait for their user.
	Open []OpenCall `json:"open,omitempty"`
}

// OpenCall is a call that waits for its user's decision.
type OpenCall struct {
	CallID     CallID    `json:"callId"`
	ReceiptID  ReceiptID `json:"receiptId"`
	Capability string    `json:"capability"`
	Summary    string    `json:"summary"`
	ExpiresAt  int64     `json:"expiresAt"`
}

// Message is what the user said: text of at most 200 KiB and the nouns attached.
type Message struct {
	Text        string `json:"text"`
	Attachments []Noun `json:"attachments,omitempty"`
}

// Noun is a thing of the host app that the user can attach. A client sends kind
// and id only; title, content and version are the host's (Host.ResolveNoun).
type Noun struct {
	Kind    string `json:"kind"`
	ID      string `json:"id"`
	Title   string `json:"title,omitempty"`
	Version string `json:"version,omitempty"`
	Content string `json:"-"`
}

// ThreadQuery selects threads; Q searches titles and messages.
type ThreadQuery struct {
	ProjectID string
	Q         string
	Archived  bool
	Cursor    string
	Limit     int // 0 means 50, at most 200
}

// ThreadPatch changes a thread; nil fields stay.
type ThreadPatch struct {
	Title    *string `json:"title,omitempty"`
	Archived *bool   `json:"archived,omitempty"`
}

// ThreadView is a thread with the newest turns of its path, each with its events
// compacted, and the cursor from which the live stream goes on.
type ThreadView struct {
	Thread Thread     `json:"thread"`
	Turns  []TurnView `json:"turns"`
	Cursor string     `json:"cursor"`
	// Before, when set, asks for the page of older turns.
	Before TurnID `json:"before,omitempty"`
}

// TurnView is a turn with its events.
type TurnView struct {
	Turn   Turn    `json:"turn"`
	Events []Event `json:"events"`
}

// Threads serves the caller's conversations. Every read asks the host whether the
// caller may still open the project. Caller: presenters.
type Threads interface {
	// Threads lists, newest first. Errors: invalid_input.
	Threads(ctx context.Context, q ThreadQuery) (Page[Thread], error)
	// Thread gives one with a page of turns before the given one ("" is the end).
	// Errors: not_found.
	Thread(ctx context.Context, id ThreadID, before TurnID, limit int) (ThreadView, error)
	// PatchThread renames or archives. Errors: not_found, invalid_input.
	PatchThread(ctx context.Context, id ThreadID, p ThreadPatch) (Thread, error)
	// DeleteThread cancels what runs and removes thread, events, transcript and
	// artifacts. Errors: not_found.
	DeleteThread(ctx context.Context, id ThreadID) error
	// ExportThread gives the conversation as Markdown ("md") or JSON ("json").
	// Errors: not_found, invalid_input.
	ExportThread(ctx context.Context, id ThreadID, format string) (Export, error)
	// Artifact gives a stored artifact of a preview. Errors: not_found.
	Artifact(ctx context.Context, call CallID, digest string) (Blob, error)
}

// Export is a file made for download.
type Export struct {
	Name string
	MIME string
	Data []byte
}

// ThreadRows is the store's side of threads. Tenant as in Journal. Caller: account,
// the engine.
type ThreadRows interface {
	// ThreadRow gives one thread. Errors: not_found.
	ThreadRow(ctx context.Context, id ThreadID) (Thread, error)
	// ThreadRowList lists, newest first. Errors: invalid_input (cursor).
	ThreadRowList(ctx context.Context, q ThreadQuery) (Page[Thread], error)
	// UpdateThread renames or archives. Errors: not_found.
	UpdateThread(ctx context.Context, id ThreadID, p ThreadPatch, at int64) (Thread, error)
	// DeleteThreadRows removes a thread and all that hangs on it. Errors: not_found.
	DeleteThreadRows(ctx context.Context, id ThreadID) error
	// PathTurns gives at most limit turns of the path that ends in the turn before
	// the given one ("" means up to the head, included), newest last, without
	// steps and calls. Errors: not_found.
	PathTurns(ctx context.Context, id ThreadID, before TurnID, limit int) ([]Turn, error)
	// Transcripts gives the rows of a thread's path, oldest first. Errors: not_found.
	Transcripts(ctx context.Context, id ThreadID) ([]TranscriptRow, error)
}
