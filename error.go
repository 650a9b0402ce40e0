package agent

import (
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Code classifies an error for programs. The list is closed: a test compares it
// with the TypeScript union and with the sentences the UI shows.
type Code string

// The codes that travel in HTTP answers, events and tool results.
const (
	CodeInvalidRequest   Code = "invalid_request"
	CodeUnauthenticated  Code = "unauthenticated"
	CodeKeyRequired      Code = "key_required"
	CodeKeyInvalid       Code = "key_invalid"
	CodeForbidden        Code = "forbidden"
	CodePolicyDenied     Code = "policy_denied"
	CodeNotFound         Code = "not_found"
	CodeConflict         Code = "conflict"
	CodeTurnInProgress   Code = "turn_in_progress"
	CodeStalePreview     Code = "stale_preview"
	CodeStaleUndo        Code = "stale_undo"
	CodeGone             Code = "gone"
	CodeTooLarge         Code = "too_large"
	CodeUnsupportedMedia Code = "unsupported_media_type"
	CodeInvalidInput     Code = "invalid_input"
	CodeRateLimited      Code = "rate_limited"
	CodeBudgetExceeded   Code = "budget_exceeded"
	CodeInternal         Code = "internal"
	CodeProviderError    Code = "provider_error"
	CodeOverloaded       Code = "overloaded"
	CodeUnavailable      Code = "unavailable"
	CodeStorageBusy      Code = "storage_busy"
	CodeOrgStateStale    Code = "org_state_stale"
	CodeTimeout          Code = "timeout"
	CodeStorageFull      Code = "storage_full"
)

// The codes that appear only in events and in tool results.
const (
	CodeInterrupted    Code = "interrupted"
	CodeOutcomeUnknown Code = "outcome_unknown"
	CodeToolError      Code = "tool_error"
	CodePreviewMissing Code = "preview_missing"
	CodeNotExecuted    Code = "not_executed"
	CodeSuperseded     Code = "superseded"
)

// CodeInfo is one row of the closed list: the code and the HTTP status that
// carries it. Status 0 marks a code that never is an HTTP answer of its own.
type CodeInfo struct {
	Code   Code
	Status int
}

// Codes is the closed list, in the order of the reference page.
var Codes = []CodeInfo{
	{CodeInvalidRequest, http.StatusBadRequest},
	{CodeUnauthenticated, http.StatusUnauthorized},
	{CodeKeyRequired, http.StatusPaymentRequired},
	{CodeKeyInvalid, http.StatusPaymentRequired},
	{CodeForbidden, http.StatusForbidden},
	{CodePolicyDenied, http.StatusForbidden},
	{CodeNotFound, http.StatusNotFound},
	{CodeConflict, http.StatusConflict},
	{CodeTurnInProgress, http.StatusConflict},
	{CodeStalePreview, http.StatusConflict},
	{CodeStaleUndo, http.StatusConflict},
	{CodeGone, http.StatusGone},
	{CodeTooLarge, http.StatusRequestEntityTooLarge},
	{CodeUnsupportedMedia, http.StatusUnsupportedMediaType},
	{CodeInvalidInput, http.StatusUnprocessableEntity},
	{CodeRateLimited, http.StatusTooManyRequests},
	{CodeBudgetExceeded, http.StatusTooManyRequests},
	{CodeInternal, http.StatusInternalServerError},
	{CodeProviderError, http.StatusBadGateway},
	{CodeOverloaded, http.StatusServiceUnavailable},
	{CodeUnavailable, http.StatusServiceUnavailable},
	{CodeStorageBusy, http.StatusServiceUnavailable},
	{CodeOrgStateStale, http.StatusServiceUnavailable},
	{CodeTimeout, http.StatusGatewayTimeout},
	{CodeStorageFull, http.StatusInsufficientStorage},
	{CodeInterrupted, 0},
	{CodeOutcomeUnknown, 0},
	{CodeToolError, 0},
	{CodePreviewMissing, 0},
	{CodeNotExecuted, 0},
	{CodeSuperseded, 0},
}

// Status gives the HTTP status of a code; an unknown code or one that never is
// an HTTP answer is a 500.
func (c Code) Status() int {
	for _, info := range Codes {
		if info.Code == c && info.Status != 0 {
			return info.Status
		}
	}
	return http.StatusInternalServerError
}

// Error is the one error that crosses package borders. Code is for programs,
// Message for people, Hint says what to do next, Cause is for the log only and
// never leaves the process.
type Error struct {
	Code    Code
	Message string
	Hint    string
	// Pointer is a JSON pointer to the offending member of the input.
	Pointer string
	// RetryAfter, when not zero, says how long to wait before trying again.
	RetryAfter time.Duration
	// Retryable marks a failure of a provider that the same request may survive.
	Retryable bool
	// KeyID, Provider, KeySource and Panel complete key_required and key_invalid. With
	// KeySourceOrg or KeySourceNone there is nothing that the person could enter, and
	// Panel is empty. With budget_exceeded, Panel is usage where a budget is in the way,
	// and empty where the turn only went on for too long.
	KeyID     string
	Provider  string
	KeySource KeySource
	Panel     string
	Cause     error
}

// Error gives code and message; the cause is left to Unwrap.
func (e *Error) Error() string {
	if e.Cause != nil {
		return fmt.Sprintf("%s: %s: %v", e.Code, e.Message, e.Cause)
	}
	return fmt.Sprintf("%s: %s", e.Code, e.Message)
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Is matches any other Error with the same code, so that
// errors.Is(err, ErrStale) holds for every stale preview.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// Errorf makes an error of a code with a message for people.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Wrap makes an error of a code that keeps its cause for the log.
func Wrap(code Code, cause error, format string, args ...any) *Error {
	e := Errorf(code, format, args...)
	e.Cause = cause
	return e
}

// ErrStale is what an Apply returns when a resource moved since the preview.
var ErrStale = &Error{Code: CodeStalePreview, Message: "what the preview was made from has changed since"}

// ErrStaleUndo is what an Undo returns when a resource changed since its change.
var ErrStaleUndo = &Error{Code: CodeStaleUndo, Message: "what the change was made to has changed since"}

// NotFound is the answer for what does not exist, and for what exists in
// another tenant: the two cannot be told apart.
func NotFound(what string) *Error { return Errorf(CodeNotFound, "There is no such %s.", what) }

// ErrorCode gives the code of any error; what is not an Error is internal.
func ErrorCode(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return CodeInternal
}

// ErrorMessage gives the sentence for people; an internal error says nothing more.
func ErrorMessage(err error) string {
	var e *Error
	if errors.As(err, &e) && e.Code != CodeInternal {
		return e.Message
	}
	return "Something went wrong on our side. The request id helps us to find out what."
}
