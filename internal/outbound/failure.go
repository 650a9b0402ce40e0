package outbound

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// Failure is what a model provider said when it refused a call or broke it off.
// Words are the provider's own: they go to the log, scrubbed, and to nobody else.
type Failure struct {
	Provider   string // the id of the adapter
	Key        agent.Secret
	Model      string
	Status     int    // of HTTP; 0 when it was said inside a stream
	Kind       string // the provider's own name for it
	Words      string
	RequestID  string
	RetryAfter time.Duration
	Unpaid     bool // the account cannot pay; a status of 402 says so too
}

// StatusCode gives the code of an HTTP status of a model provider.
func StatusCode(status int) agent.Code {
	switch status {
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden:
		return agent.CodeKeyInvalid
	case http.StatusRequestEntityTooLarge:
		return agent.CodeTooLarge
	case http.StatusTooManyRequests:
		return agent.CodeRateLimited
	case http.StatusServiceUnavailable, 529:
		return agent.CodeOverloaded
	case http.StatusRequestTimeout, http.StatusGatewayTimeout:
		return agent.CodeTimeout
	}
	if status >= 400 && status < 500 && status != http.StatusConflict && status != http.StatusTooEarly {
		return agent.CodeInvalidInput
	}
	return agent.CodeProviderError
}

// sentences are what people read for each code of the Model contract; %s is the
// provider's name.
var sentences = map[agent.Code]struct{ message, hint string }{
	agent.CodeKeyInvalid:    {"%s did not accept the key.", "Check the key in the settings, or add another one."},
	agent.CodeRateLimited:   {"%s limits how fast this key may be used.", "Wait a moment and try again."},
	agent.CodeOverloaded:    {"%s is overloaded right now.", "Wait a moment and try again."},
	agent.CodeTimeout:       {"%s did not answer in time.", "Try again; if it keeps happening, see the provider's status page."},
	agent.CodeTooLarge:      {"The conversation is larger than %s accepts.", "Start a new thread, or attach less."},
	agent.CodeInvalidInput:  {"%s does not accept this request.", "The log has the provider's reason."},
	agent.CodeProviderError: {"%s failed to answer.", "Try again; if it keeps happening, see the provider's status page."},
}

// Error words the failure for people. A code that is not of the Model contract
// becomes provider_error.
func (f Failure) Error(code agent.Code) *agent.Error {
	words, known := sentences[code]
	if !known {
		code = agent.CodeProviderError
		words = sentences[code]
	}
	e := agent.Errorf(code, words.message, f.name())
	e.Hint, e.RetryAfter, e.Cause = words.hint, f.RetryAfter, f.cause()
	switch code {
	case agent.CodeKeyInvalid:
		e.Provider, e.Panel = f.Provider, "byok"
		if f.Unpaid || f.Status == http.StatusPaymentRequired {
			e.Message = fmt.Sprintf("The account behind this key cannot pay for the call at %s.", f.name())
			e.Hint = "Check the billing and the spend limits of the account there, or use another key."
		}
	case agent.CodeInvalidInput:
		if f.Status == http.StatusNotFound {
			e.Pointer = "/model"
			e.Message = fmt.Sprintf("%s has no model %q, or this key may not use it.", f.name(), f.Model)
			e.Hint = "Choose another model."
		}
	case agent.CodeTooLarge:
	default:
		e.Retryable = true
	}
	return e
}

// makers are how the providers write themselves; an operator's own id stands for itself.
var makers = map[string]string{"anthropic": "Anthropic", "openai": "OpenAI", "groq": "Groq"}

func (f Failure) name() string {
	if name, ok := makers[f.Provider]; ok {
		return name
	}
	if f.Provider == "" {
		return "The provider"
	}
	return f.Provider
}

func (f Failure) cause() error {
	var parts []string
	if f.Status != 0 {
		parts = append(parts, fmt.Sprintf("status %d", f.Status))
	}
	if f.Kind != "" {
		parts = append(parts, Scrub(f.Kind, f.Key))
	}
	if f.RequestID != "" {
		parts = append(parts, "request "+Scrub(f.RequestID, f.Key))
	}
	if f.Words != "" {
		parts = append(parts, Scrub(f.Words, f.Key))
	}
	if len(parts) == 0 {
		return nil
	}
	return errors.New(strings.Join(parts, ": "))
}

// Broken words a call that ended without an answer of the provider. A caller
// that gave up gets its own context's error, wrapped; a limit of the watch is a
// timeout; a destination that the policy forbids is not worth another try.
func (f Failure) Broken(w *Watch, err error) error {
	if gone := w.Canceled(); gone != nil {
		return fmt.Errorf("%s: the call was given up: %w", f.Provider, gone)
	}
	if w.Expired() {
		f.Words = context.Cause(w.Context()).Error()
		return f.Error(agent.CodeTimeout)
	}
	if err != nil {
		f.Words = err.Error()
	}
	e := f.Error(agent.CodeProviderError)
	var refused *RefusedError
	var op *net.OpError
	switch {
	case errors.As(err, &op) && op.Op == "dial" && !errors.As(err, &refused):
		f.unreachable(e)
	case errors.As(err, &refused):
		e.Message = fmt.Sprintf("The address of %s may not be reached from here.", f.name())
		e.Hint = "The operator can allow the host in the configuration."
		e.Retryable = false
	case errors.Is(err, ErrMalformed):
		e.Message = fmt.Sprintf("%s sent more than an answer may hold.", f.name())
		e.Retryable = false
	}
	return e
}

// unreachable words a call that found nobody at the address. Of a known provider the way
// there may be broken; an endpoint of the operator's own may not be running.
func (f Failure) unreachable(e *agent.Error) {
	e.Message = fmt.Sprintf("%s cannot be reached from this server.", f.name())
	if _, known := makers[f.Provider]; known {
		e.Hint = "Try again; if it keeps happening, whoever runs this server checks its connection, then the provider's status page."
		return
	}
	e.Hint = "Try again once it runs: whoever runs this server finds its address in the configuration, under providers."
}
