package agent

import (
	"context"
	"encoding/json"
	"iter"
)

// Model is the socket of one provider: it asks for one step and yields what
// comes. The stream ends with exactly one Delta of kind DeltaDone, or with an
// error and nothing after it; it never ends silently. Cancelling the context or
// stopping the range closes the upstream connection at once.
//
// Callers: the engine and the key test. Errors are *Error: key_invalid (the
// provider rejected the key), rate_limited, overloaded or provider_error
// (Retryable and RetryAfter set where the provider says so), timeout,
// invalid_input (the provider rejects the request itself), too_large.
// An implementation never retries by itself, never logs the request and never
// puts key bytes or raw provider text into an Error's message.
type Model interface {
	Stream(ctx context.Context, req ModelRequest) iter.Seq2[Delta, error]
}

// ModelRequest is one step, provider-neutral. Its parts stand in the physical
// order that keeps provider caches warm: tools, system, messages.
type ModelRequest struct {
	Model string
	Key   Secret
	// Purpose is "step", or the purpose of a GenerateRequest; it is not sent.
	Purpose string
	Tools   []ToolSchema
	// System holds the slabs of text before the conversation, most stable first.
	System    []Slab
	Messages  []ModelMessage
	MaxTokens int
	// CacheTools asks for a cache breakpoint after the last tool.
	CacheTools bool
}

// Slab is one stable run of system text; Cache asks for a breakpoint after it.
type Slab struct {
	Text  string
	Cache bool
}

// ToolSchema is a capability as a provider sees it: Name is the wire name.
type ToolSchema struct {
	Name        string
	Description string
	Schema      json.RawMessage
}

// ModelRole is who speaks in a message.
type ModelRole string

// The two roles of a conversation; call results travel in user messages.
const (
	RoleUser      ModelRole = "user"
	RoleAssistant ModelRole = "assistant"
)

// ModelMessage is one message of the conversation. Where Raw is set and Provider
// is the adapter's own id, the adapter replays Raw byte for byte instead of Blocks.
type ModelMessage struct {
	Role     ModelRole
	Blocks   []Block
	Provider string
	Raw      json.RawMessage
	// Cache asks for the rolling breakpoint at the end of this message.
	Cache bool
}

// BlockKind says what a block of a message is.
type BlockKind string

// The block kinds.
const (
	BlockText      BlockKind = "text"
	BlockReasoning BlockKind = "reasoning"
	BlockCall      BlockKind = "call"
	BlockResult    BlockKind = "result"
)

// Block is one piece of a message. WireID is the call id on this provider's wire;
// Name is the wire name of the capability.
type Block struct {
	Kind   BlockKind `json:"kind"`
	Text   string    `json:"text,omitempty"` // text, reasoning, or the content of a result
	WireID string    `json:"wireId,omitempty"`
	Name   string    `json:"name,omitempty"`
	// Input is the complete arguments as text that may not parse; a store must keep
	// it all the same.
	Input json.RawMessage `json:"input,omitempty"`
	Error bool            `json:"error,omitempty"` // of a result
}

// DeltaKind says what a Delta carries.
type DeltaKind string

// The delta kinds. Index counts the blocks of this answer from 0.
const (
	// DeltaOpened tells that the provider accepted the request; its Answer, where it
	// has one, holds nothing but the usage so far.
	DeltaOpened    DeltaKind = "opened"
	DeltaText      DeltaKind = "text"
	DeltaReasoning DeltaKind = "reasoning"
	// DeltaCall tells that a call begins (Name set); its arguments come whole in
	// the Answer and are never acted on before.
	DeltaCall DeltaKind = "call"
	// DeltaDone is the last one and carries the Answer.
	DeltaDone DeltaKind = "done"
)

// Delta is one thing that arrived.
type Delta struct {
	Kind   DeltaKind
	Index  int
	Text   string
	Name   string
	Answer *Answer
}

// StopReason is why the provider stopped.
type StopReason string

// The stop reasons, provider-neutral.
const (
	StopEnd       StopReason = "end"
	StopCalls     StopReason = "calls"
	StopMaxTokens StopReason = "max_tokens"
	StopRefusal   StopReason = "refusal"
	StopOther     StopReason = "other"
)

// Answer is a finished step.
type Answer struct {
	Blocks []Block
	// Raw is the assistant message's content exactly as it came, for replay to
	// the same provider. It is nil when the adapter had to repair the answer.
	Raw   json.RawMessage
	Stop  StopReason
	Usage Usage
}

// Usage is what a model call used; nil means not reported, not zero. TokensIn is
// the input that no cache served or wrote, so the three inputs add up.
type Usage struct {
	TokensIn      *int64 `json:"tokensIn"`
	TokensOut     *int64 `json:"tokensOut"`
	CacheRead     *int64 `json:"cacheReadTokens"`
	CacheCreation *int64 `json:"cacheCreationTokens"`
}

// ModelInfo describes a model that the operator configured.
type ModelInfo struct {
	Name     string `json:"name"`
	Provider string `json:"provider"`
	// Scripted marks the keyless model, which the UI labels as such.
	Scripted bool `json:"scripted,omitempty"`
}

// ModelRoute is a model name resolved to its socket.
type ModelRoute struct {
	ModelInfo
	Model Model
	// NeedsKey is false for the scripted model and for endpoints without keys.
	NeedsKey bool
	// Window is what the model can read at once, its answer included, in tokens; 0
	// means DefaultWindow.
	Window int
}

// Models is the operator's catalogue. The provider follows from the model.
type Models interface {
	// Route finds the socket of a model; invalid_input with pointer /model when no
	// provider serves it. Callers: the engine, account.
	Route(name string) (ModelRoute, error)
	// RouteProvider finds a model of a provider, its first, for the key test;
	// invalid_input with pointer /provider. Caller: account.
	RouteProvider(provider string) (ModelRoute, error)
	// List gives every model by name, in the operator's order.
	List() []ModelInfo
	// Default is model.default.
	Default() string
}
