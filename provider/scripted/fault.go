package scripted

import (
	"fmt"
	"slices"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// FaultKind names what goes wrong in a round.
type FaultKind string

// The faults. Each says what the fake provider does on the wire; the scripted
// model itself gives the error that a careful adapter makes of it, and plays
// those that such an adapter survives as if nothing were wrong.
const (
	// FaultStatus answers with HTTP Status and an error body instead of a stream.
	FaultStatus FaultKind = "status"
	// FaultError sends an error inside the stream after After chunks; Status says
	// which one (default 529, overloaded).
	FaultError FaultKind = "error"
	// FaultFailed does the same with response.failed on the Responses wire, which
	// has two ways to say it; elsewhere it is FaultError.
	FaultFailed FaultKind = "failed"
	// FaultReset resets the connection after Bytes bytes of the body.
	FaultReset FaultKind = "reset"
	// FaultAbort closes the connection after Bytes bytes, without the body's end.
	FaultAbort FaultKind = "abort"
	// FaultEOF ends the body properly after Bytes bytes.
	FaultEOF FaultKind = "eof"
	// FaultNoStop sends all of the answer but the events that end it.
	FaultNoStop FaultKind = "no_stop"
	// FaultSlow waits Ms (default 100) before each event.
	FaultSlow FaultKind = "slow"
	// FaultSilence sends nothing more after After chunks and keeps the connection.
	FaultSilence FaultKind = "silence"
	// FaultSilentHeaders accepts the request and never answers at all.
	FaultSilentHeaders FaultKind = "silent_headers"
	// FaultPings sends, after After chunks, nothing but keep-alives each Ms
	// (default 100).
	FaultPings FaultKind = "pings"
	// FaultLoris sends one byte each Ms (default 10000).
	FaultLoris FaultKind = "loris"
	// FaultGarbage sends an event that is no JSON after After chunks, then goes on.
	FaultGarbage FaultKind = "garbage"
	// FaultUnknownEvent sends an event of an unknown type after After chunks.
	FaultUnknownEvent FaultKind = "unknown_event"
	// FaultBigLine sends one line of Bytes bytes (default 10 MiB) of text.
	FaultBigLine FaultKind = "big_line"
	// FaultEndless goes on with text until Bytes bytes (default 1 GiB).
	FaultEndless FaultKind = "endless"
	// FaultWrongIndex sends the chunks of a block under the index of none.
	FaultWrongIndex FaultKind = "wrong_index"
	// FaultRepeatedIndex opens every block under index 0.
	FaultRepeatedIndex FaultKind = "repeated_index"
	// FaultMissingIndex leaves the index out.
	FaultMissingIndex FaultKind = "missing_index"
	// FaultDuplicateIDs gives every call of the answer the same id.
	FaultDuplicateIDs FaultKind = "duplicate_ids"
	// FaultInvalidUTF8 puts bytes that are no UTF-8 into each chunk of text.
	FaultInvalidUTF8 FaultKind = "invalid_utf8"
	// FaultHalfRune cuts a letter's bytes over two chunks of text.
	FaultHalfRune FaultKind = "half_rune"
	// FaultNUL puts a raw NUL byte into each chunk of text.
	FaultNUL FaultKind = "nul"
	// FaultRepeatEvent sends each event that carries a chunk twice.
	FaultRepeatEvent FaultKind = "repeat_event"
	// FaultCutCall sends half of each call's arguments, then ends the answer as if
	// it were whole.
	FaultCutCall FaultKind = "cut_call"
)

// survived lists the faults that a careful adapter plays through.
var survived = []FaultKind{
	FaultSlow, FaultUnknownEvent, FaultDuplicateIDs, FaultInvalidUTF8, FaultHalfRune, FaultRepeatEvent,
}

var faultKinds = []FaultKind{
	FaultStatus, FaultError, FaultFailed, FaultReset, FaultAbort, FaultEOF, FaultNoStop, FaultSlow, FaultSilence,
	FaultSilentHeaders, FaultPings, FaultLoris, FaultGarbage, FaultUnknownEvent, FaultBigLine, FaultEndless,
	FaultWrongIndex, FaultRepeatedIndex, FaultMissingIndex, FaultDuplicateIDs, FaultInvalidUTF8, FaultHalfRune,
	FaultNUL, FaultRepeatEvent, FaultCutCall,
}

// FaultKinds gives every kind, in the order of their description.
func FaultKinds() []FaultKind { return slices.Clone(faultKinds) }

// Fault is one thing that goes wrong; which members count depends on the kind.
type Fault struct {
	Kind FaultKind `json:"kind"`
	// Status is an HTTP status, of status, error and failed.
	Status int `json:"status,omitempty"`
	// Code replaces the error type or code that the provider gives with Status,
	// such as insufficient_quota.
	Code string `json:"code,omitempty"`
	// RetryAfter is the header of that name: seconds or a date; "" sends none.
	RetryAfter string `json:"retryAfter,omitempty"`
	// After counts the chunks of content that are still sent.
	After int `json:"after,omitempty"`
	// Bytes counts bytes of the body.
	Bytes int64 `json:"bytes,omitempty"`
	// Ms is a time in milliseconds.
	Ms int `json:"ms,omitempty"`
	// Times is how many requests an injected fault meets (default 1); a round's
	// own fault comes with each use of the round.
	Times int `json:"times,omitempty"`
}

func (f Fault) check() error {
	if !slices.Contains(faultKinds, f.Kind) {
		return fmt.Errorf("there is no fault %q", f.Kind)
	}
	if f.Kind == FaultStatus && (f.Status < 400 || f.Status > 599) {
		return fmt.Errorf("the fault needs a status from 400 to 599")
	}
	if f.After < 0 || f.Bytes < 0 || f.Ms < 0 || f.Times < 0 {
		return fmt.Errorf("the numbers of a fault must not be negative")
	}
	return nil
}

// Check reports what is wrong with a fault that is to be injected.
func (f Fault) Check() error { return f.check() }

// Every gives the time between two writes of slow, pings and loris.
func (f Fault) Every() time.Duration {
	ms := f.Ms
	switch {
	case ms > 0:
	case f.Kind == FaultLoris:
		ms = 10_000
	default:
		ms = 100
	}
	return time.Duration(ms) * time.Millisecond
}

// Err gives the error that a careful adapter makes of the fault; nil for one
// that it survives.
func (f Fault) Err() error {
	if slices.Contains(survived, f.Kind) {
		return nil
	}
	if f.Kind != FaultStatus && f.Kind != FaultError && f.Kind != FaultFailed {
		e := agent.Errorf(agent.CodeProviderError, "The model's answer broke off or came damaged.")
		e.Hint = "Try again."
		e.Retryable = f.Kind != FaultEndless && f.Kind != FaultBigLine
		return e
	}
	status := f.Status
	if status == 0 {
		status = 529
	}
	return statusError(status, f.RetryAfter)
}

// atEnd says that the fault shows only where the answer should end.
func (f Fault) atEnd() bool { return f.Kind == FaultNoStop || f.Kind == FaultCutCall }

// statusError classifies as providers' statuses are classified.
func statusError(status int, retryAfter string) *agent.Error {
	var e *agent.Error
	switch {
	case status == 401 || status == 402 || status == 403:
		e = agent.Errorf(agent.CodeKeyInvalid, "The model provider does not accept the key.")
		e.Hint, e.Provider, e.Panel = "Store another key in the settings.", Provider, "byok"
		if status == 402 {
			e.Message = "The account behind the key cannot pay for the call."
		}
		return e
	case status == 413:
		e = agent.Errorf(agent.CodeTooLarge, "The conversation is too large for the model.")
		e.Hint = "Start a new thread, or attach less."
		return e
	case status == 429:
		e = agent.Errorf(agent.CodeRateLimited, "The model provider asks to wait.")
	case status == 503 || status == 529:
		e = agent.Errorf(agent.CodeOverloaded, "The model provider is overloaded.")
	case status == 408 || status == 504:
		e = agent.Errorf(agent.CodeTimeout, "The model provider did not answer in time.")
	case status >= 500 || status == 409 || status == 425:
		e = agent.Errorf(agent.CodeProviderError, "The model provider has a problem of its own.")
	default:
		e = agent.Errorf(agent.CodeInvalidInput, "The model provider does not accept the request.")
		e.Hint = "The log has the provider's reason."
		if status == 404 {
			e.Message, e.Hint, e.Pointer = "The model provider has no such model.", "Choose another model.", "/model"
		}
		return e
	}
	e.Hint, e.Retryable = "Wait a moment and try again.", true
	if d, err := time.ParseDuration(retryAfter + "s"); err == nil && d > 0 {
		e.RetryAfter = d
	}
	return e
}
