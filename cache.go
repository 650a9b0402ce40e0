package agent

import "context"

// SegmentName names a part of a request, in the order in which providers hash it.
type SegmentName string

// The segments of a request. History is what the model call before had sent, tail
// is what came since.
const (
	SegmentTools     SegmentName = "tools"
	SegmentSpine     SegmentName = "spine"
	SegmentReminders SegmentName = "reminders"
	SegmentHistory   SegmentName = "history"
	SegmentTail      SegmentName = "tail"
)

// Segment is one part of a request as it was sent.
type Segment struct {
	Name  SegmentName `json:"name"`
	Hash  string      `json:"hash"` // 16 hex digits of its sha256
	Bytes int         `json:"bytes"`
}

// PromptTrace is what is kept of a request, so that the cache doctor can tell later
// which part of it changed. It holds hashes and counts, and nothing of the text.
type PromptTrace struct {
	Segments []Segment `json:"segments"`
	// ToolNames and ToolSet are hashes of the tools' names and of all of them, whatever
	// their order.
	ToolNames string `json:"toolNames"`
	ToolSet   string `json:"toolSet"`
	// Template is the hash of the spine as it is built in, before the app's name is put
	// in: another one means another release of the program.
	Template string `json:"template,omitempty"`
	// Messages counts the messages that were sent, and Sent is the hash of them all:
	// what the segment history of the next model call repeats where nothing changed.
	Messages int    `json:"messages"`
	Sent     string `json:"sent"`
	// Covered counts the messages in the segment history.
	Covered int `json:"covered"`
	// TailBlocks counts the blocks of the segment tail.
	TailBlocks int `json:"tailBlocks"`
	// Compaction is the id of the compaction that the history begins with, CutBefore
	// is Turn.CutBefore, both as they were when it was sent.
	Compaction string `json:"compaction,omitempty"`
	CutBefore  int    `json:"cutBefore,omitempty"`
}

// StepTrace is one model call as the cache doctor reads it.
type StepTrace struct {
	TurnID    TurnID
	TurnIndex int
	Step      int
	At        int64
	Model     string
	Provider  string
	Usage     Usage
	// Trace is nil where none was kept.
	Trace *PromptTrace
}

// CacheCause says why a prompt cache was not read as far as it could be.
type CacheCause string

// The causes that the cache doctor tells apart.
const (
	CacheFirstCall        CacheCause = "first_call"        // nothing came before
	CacheNoTrace          CacheCause = "no_trace"          // no hashes were kept of one of the two
	CacheModelChanged     CacheCause = "model_changed"     // each model has a cache of its own
	CacheToolsChanged     CacheCause = "tools_changed"     // another list of tools
	CacheToolEdited       CacheCause = "tool_edited"       // the same names with other descriptions or schemas
	CacheToolsReordered   CacheCause = "tools_reordered"   // the same tools in another order
	CacheSpineChanged     CacheCause = "spine_changed"     // the text that may only change with a release
	CacheRemindersChanged CacheCause = "reminders_changed" // somebody edited a reminder
	CacheHistoryCompacted CacheCause = "history_compacted" // older turns or results were made shorter
	CacheHistoryChanged   CacheCause = "history_changed"   // an earlier message is not what it was
	CacheLookback         CacheCause = "lookback"          // more blocks since the last breakpoint than are looked back
	CacheExpired          CacheCause = "expired"           // more time passed than a cache lives
	CacheTooSmall         CacheCause = "too_small"         // the provider cached nothing of the call before
	CacheMissed           CacheCause = "missed"            // nothing changed, and nothing was read
)

// CacheFinding is one thing that the cache doctor has to say about a model call.
type CacheFinding struct {
	Cause CacheCause `json:"cause"`
	// Segment is the part that changed, absent where the cause is another.
	Segment SegmentName `json:"segment,omitempty"`
	// Expected is true for what happens in a healthy app; the others are faults.
	Expected bool   `json:"expected"`
	Message  string `json:"message"`
}

// CacheStep is a model call with what changed in its prompt since the one before.
type CacheStep struct {
	TurnID    TurnID `json:"turnId"`
	TurnIndex int    `json:"turnIndex"`
	Step      int    `json:"step"` // number of the model call in its turn, from 0
	At        int64  `json:"at"`   // milliseconds since the Unix epoch
	Model     string `json:"model"`
	Provider  string `json:"provider"`
	Usage
	// Segments are the parts of the request; empty where no hashes were kept.
	Segments []Segment `json:"segments"`
	// Changed names the segments that are not what they were; tail is never one.
	Changed  []SegmentName  `json:"changed"`
	Findings []CacheFinding `json:"findings"`
	// RewrittenTokens is what it cost: of the tokens that the call before had in the
	// cache, those that were not read again. Null where one of them was not reported.
	RewrittenTokens *int64 `json:"rewrittenTokens"`
}

// CacheReport is what the cache doctor found in a thread, oldest model call first.
type CacheReport struct {
	ThreadID ThreadID    `json:"threadId"`
	Steps    []CacheStep `json:"steps"`
	// Before, when set, asks for the page of older turns.
	Before TurnID `json:"before,omitempty"`
}

// CacheDoctor says which part of a prompt changed and what it cost. Caller: presenters.
type CacheDoctor interface {
	// CacheReport looks at the model calls of the newest turns of a thread's path
	// before the given one ("" is the end); limit counts turns, 0 means 20, at most
	// 100. Errors: not_found, invalid_input.
	CacheReport(ctx context.Context, id ThreadID, before TurnID, limit int) (CacheReport, error)
}

// StepTraces is the store's side of the cache doctor. Tenant as in Journal. Caller:
// account.
type StepTraces interface {
	// StepTraces gives the model calls of at most limit turns of the path that ends in
	// the turn before the given one ("" means up to the head, included), oldest first,
	// and the turns that they belong to. Errors: not_found.
	StepTraces(ctx context.Context, id ThreadID, before TurnID, limit int) (steps []StepTrace, turns []TurnID, err error)
}

// ThreadFinder finds threads for the operator. System; caller: the doctor verb.
type ThreadFinder interface {
	// AnyThreads gives the thread of an id, or with "" the at most limit threads that
	// began last, of whomever, without their titles. Errors: not_found (id).
	AnyThreads(ctx context.Context, id ThreadID, limit int) ([]Thread, error)
}
