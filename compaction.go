package agent

import "context"

// DefaultWindow is the context window of a model that nobody said one of, in tokens.
const DefaultWindow = 32_768

// Compaction is the short form in which the older turns of a conversation stand in
// the prompt. It is made once, kept, and sent byte for byte from then on; the turns
// themselves stay as they are.
type Compaction struct {
	ID       string
	ThreadID ThreadID
	TurnID   TurnID // the running turn that needed the room
	// Through is the last turn that it stands for, with all before it on the path.
	Through      TurnID
	ThroughIndex int
	// Text is what the model reads instead of them.
	Text         string
	Window       int // of the model that it was made for, in tokens
	TokensBefore int // of the request, estimated
	TokensAfter  int
	At           int64
}

// Compactions reads them; Commit writes one with its event. Tenant as in Journal.
// Caller: the engine only.
type Compactions interface {
	// Compaction gives the newest compaction of the nearest turn above id that has one,
	// and how many turns lie between the two. It looks at the nearest limit turns
	// only; ok is false where none of them has one. Errors: not_found.
	Compaction(ctx context.Context, id TurnID, limit int) (c Compaction, between int, ok bool, err error)
}

// ContextCompacted tells that the conversation became longer than the model can read
// at once, and what is sent in a shorter form from now on. Nothing is lost: the chat,
// its search and its export hold all of it.
type ContextCompacted struct {
	// Turns counts the turns, from the first, that the model reads as a digest from now
	// on, and Through is the last of them; 0 and absent where none was added.
	Turns   int    `json:"turns"`
	Through TurnID `json:"throughTurnId,omitempty"`
	// Results counts results of this turn that were cut shorter.
	Results int `json:"results"`
	// TokensBefore and TokensAfter are estimates of the request, and Window is what the
	// model can read, all in tokens.
	TokensBefore int `json:"tokensBefore"`
	TokensAfter  int `json:"tokensAfter"`
	Window       int `json:"window"`
}

// EventContextCompacted is the kind of ContextCompacted.
const EventContextCompacted EventKind = "context.compacted"

// EventKind names the kind of the payload.
func (ContextCompacted) EventKind() EventKind { return EventContextCompacted }
