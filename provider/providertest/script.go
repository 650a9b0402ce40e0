package providertest

import (
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// Now is what the clock of a model under test shows.
var Now = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// Script is what the upstream does with one request, in no provider's terms.
type Script struct {
	// Refuse answers with an error instead of a stream.
	Refuse *Refusal
	Steps  []Step
	// Stop is why the answer ends, where no step breaks it off before; "" is StopEnd.
	Stop  agent.StopReason
	Usage agent.Usage
}

// Refusal is an HTTP answer that is an error. Words are the provider's own text.
type Refusal struct {
	Fault  Fault
	Words  string
	Header map[string]string
}

// Fault is a class of failure that an upstream can report.
type Fault string

// The faults, and Codes, what each must become.
const (
	FaultKey        Fault = "key"        // 401
	FaultForbidden  Fault = "forbidden"  // 403
	FaultBilling    Fault = "billing"    // 402
	FaultInvalid    Fault = "invalid"    // 400
	FaultModel      Fault = "model"      // 404
	FaultTooLarge   Fault = "too_large"  // 413
	FaultRate       Fault = "rate"       // 429
	FaultOverloaded Fault = "overloaded" // 503 or 529
	FaultServer     Fault = "server"     // 500
	FaultTimeout    Fault = "timeout"    // 504
)

// Faults lists them in a stable order.
var Faults = []Fault{
	FaultKey, FaultForbidden, FaultBilling, FaultInvalid, FaultModel,
	FaultTooLarge, FaultRate, FaultOverloaded, FaultServer, FaultTimeout,
}

// Code gives what a fault must become, and whether trying again can help.
func (f Fault) Code() (code agent.Code, retryable bool) {
	switch f {
	case FaultKey, FaultForbidden, FaultBilling:
		return agent.CodeKeyInvalid, false
	case FaultInvalid, FaultModel:
		return agent.CodeInvalidInput, false
	case FaultTooLarge:
		return agent.CodeTooLarge, false
	case FaultRate:
		return agent.CodeRateLimited, true
	case FaultOverloaded:
		return agent.CodeOverloaded, true
	case FaultTimeout:
		return agent.CodeTimeout, true
	}
	return agent.CodeProviderError, true
}

// StepKind says what a step does.
type StepKind string

// The kinds of steps.
const (
	StepText    StepKind = "text"    // a block of text, in Chunks
	StepReason  StepKind = "reason"  // a block of reasoning, in Chunks, with Signature
	StepCall    StepKind = "call"    // a call: ID, Name, arguments in Chunks
	StepPing    StepKind = "ping"    // a sign of life without content
	StepUnknown StepKind = "unknown" // an event of a kind that nobody knows
	StepGarbage StepKind = "garbage" // an event that does not parse
	StepFail    StepKind = "fail"    // an error inside the stream: Fault, Words
	StepDamaged StepKind = "damaged" // a block of text with a broken rune and a NUL in it
	StepFlood   StepKind = "flood"   // Size bytes that are no event yet
	StepSilence StepKind = "silence" // nothing more, the connection stays
	StepReset   StepKind = "reset"   // the connection breaks
	StepEnd     StepKind = "end"     // the connection ends in order, the answer does not
)

// Step is one thing that the upstream sends.
type Step struct {
	Kind      StepKind
	Chunks    []string
	Signature string
	ID, Name  string
	Fault     Fault
	Words     string
	Size      int
}

// Text is a block of text that arrives in chunks.
func Text(chunks ...string) Step { return Step{Kind: StepText, Chunks: chunks} }

// Reason is a block of reasoning with the signature that proves it.
func Reason(signature string, chunks ...string) Step {
	return Step{Kind: StepReason, Signature: signature, Chunks: chunks}
}

// Call is a capability call whose arguments arrive in chunks.
func Call(id, name string, chunks ...string) Step {
	return Step{Kind: StepCall, ID: id, Name: name, Chunks: chunks}
}

// Fail is an error inside the stream.
func Fail(fault Fault, words string) Step {
	return Step{Kind: StepFail, Fault: fault, Words: words}
}

// Flood is a run of bytes that forms no event.
func Flood(size int) Step { return Step{Kind: StepFlood, Size: size} }

// Do is a step that needs nothing but its kind.
func Do(kind StepKind) Step { return Step{Kind: kind} }

// DamagedText is what the text of a damaged step must become: the half rune is
// replaced, the NUL is gone.
const DamagedText = "half \ufffd rune"
