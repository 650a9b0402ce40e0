package anthropic

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/outbound"
)

// kinds maps the API's error types; inside a stream they are all there is.
var kinds = map[string]agent.Code{
	"invalid_request_error": agent.CodeInvalidInput,
	"not_found_error":       agent.CodeInvalidInput,
	"authentication_error":  agent.CodeKeyInvalid,
	"permission_error":      agent.CodeKeyInvalid,
	"billing_error":         agent.CodeKeyInvalid,
	"request_too_large":     agent.CodeTooLarge,
	"rate_limit_error":      agent.CodeRateLimited,
	"overloaded_error":      agent.CodeOverloaded,
	"timeout_error":         agent.CodeTimeout,
	"api_error":             agent.CodeProviderError,
}

// fault is the body of an error, in a stream or of an answer.
type fault struct {
	Error struct {
		Type    string `json:"type"`
		Message string `json:"message"`
		Details struct {
			ErrorCode string `json:"error_code"`
		} `json:"details"`
	} `json:"error"`
}

// refused words an error of the request itself.
func (m *Model) refused(watch *outbound.Watch, f outbound.Failure, err error) error {
	var said *sdk.Error
	if watch.Canceled() != nil || watch.Expired() || !errors.As(err, &said) {
		return f.Broken(watch, err)
	}
	f.Status, f.RequestID = said.StatusCode, said.RequestID
	if said.Response != nil {
		f.RetryAfter = outbound.RetryAfter(said.Response.Header, m.config.Now())
	}
	return classify(f, []byte(said.RawJSON()))
}

// inBand words an error event, which comes after a status of 200.
func inBand(f outbound.Failure, data []byte) error { return classify(f, data) }

// insteadOfStream words an answer that is JSON where a stream was asked for.
func insteadOfStream(f outbound.Failure, body io.Reader) error {
	data, err := io.ReadAll(io.LimitReader(body, 64<<10))
	if err != nil {
		f.Words = err.Error()
		return f.Error(agent.CodeProviderError)
	}
	return classify(f, data)
}

func classify(f outbound.Failure, data []byte) error {
	var said fault
	if err := json.Unmarshal(data, &said); err != nil {
		f.Words = string(data)
		return f.Error(statusCode(f.Status))
	}
	f.Kind, f.Words = said.Error.Type, said.Error.Message
	code, known := kinds[f.Kind]
	if !known || code == agent.CodeInvalidInput && f.Status != 0 {
		code = statusCode(f.Status) // a status of 413 says more than "invalid request"
	}
	detail := said.Error.Details.ErrorCode
	switch {
	case f.Kind == "not_found_error":
		f.Status = http.StatusNotFound
	case f.Kind == "billing_error",
		strings.Contains(detail, "spend_limit"), strings.Contains(detail, "billing"),
		code == agent.CodeInvalidInput && strings.Contains(f.Words, "credit balance is too low"):
		f.Unpaid, code = true, agent.CodeKeyInvalid
	case code == agent.CodeInvalidInput && strings.Contains(f.Words, "prompt is too long"):
		code = agent.CodeTooLarge
	}
	return f.Error(code)
}

func statusCode(status int) agent.Code {
	if status == 0 {
		return agent.CodeProviderError
	}
	return outbound.StatusCode(status)
}

// malformed words a stream that makes no sense; what it said is not repeated.
func malformed(f outbound.Failure, why error) error {
	f.Words = why.Error()
	e := f.Error(agent.CodeProviderError)
	e.Retryable = !errors.Is(why, outbound.ErrMalformed)
	return e
}

func isJSON(h http.Header) bool {
	kind, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	return err == nil && kind == "application/json"
}
