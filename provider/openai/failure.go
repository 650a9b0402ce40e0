package openai

import (
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/outbound"
)

// kinds maps error codes and types, of OpenAI and of those who speak its wire;
// inside a stream they are all there is.
var kinds = map[string]agent.Code{
	"invalid_api_key":           agent.CodeKeyInvalid,
	"invalid_authentication":    agent.CodeKeyInvalid,
	"authentication_error":      agent.CodeKeyInvalid,
	"permission_error":          agent.CodeKeyInvalid,
	"permission_denied":         agent.CodeKeyInvalid,
	"account_deactivated":       agent.CodeKeyInvalid,
	"context_length_exceeded":   agent.CodeTooLarge,
	"request_too_large":         agent.CodeTooLarge,
	"rate_limit_exceeded":       agent.CodeRateLimited,
	"rate_limit_error":          agent.CodeRateLimited,
	"overloaded_error":          agent.CodeOverloaded,
	"server_overloaded":         agent.CodeOverloaded,
	"service_unavailable":       agent.CodeOverloaded,
	"service_unavailable_error": agent.CodeOverloaded,
	"timeout":                   agent.CodeTimeout,
	"timeout_error":             agent.CodeTimeout,
	"server_error":              agent.CodeProviderError,
	"api_error":                 agent.CodeProviderError,
	"internal_error":            agent.CodeProviderError,
	"internal_server_error":     agent.CodeProviderError,
	"model_not_found":           agent.CodeInvalidInput,
	"not_found_error":           agent.CodeInvalidInput,
	"invalid_prompt":            agent.CodeInvalidInput,
	"invalid_request_error":     agent.CodeInvalidInput,
}

// unpaid are the codes of an account that cannot pay; OpenAI sends them with 429.
var unpaid = map[string]bool{
	"insufficient_quota":         true,
	"billing_hard_limit_reached": true,
	"billing_not_active":         true,
	"billing_error":              true,
}

// fault is an error object; a server may send its code as a number.
type fault struct {
	Code    any    `json:"code"`
	Type    string `json:"type"`
	Message string `json:"message"`
}

// refused words an answer that is no stream; nil when the stream can be read.
func (m *Model) refused(watch *outbound.Watch, f outbound.Failure, res *http.Response, err error) error {
	switch {
	case watch.Canceled() != nil, watch.Expired(), res == nil:
		if err == nil && res != nil {
			return nil
		}
		return f.Broken(watch, err)
	case res.StatusCode >= http.StatusBadRequest:
		f.Status, f.RequestID = res.StatusCode, res.Header.Get("x-request-id")
		f.RetryAfter = outbound.RetryAfter(res.Header, m.config.Now())
	case err != nil:
		return f.Broken(watch, err)
	case !isJSON(res.Header):
		return nil
	}
	data, err := io.ReadAll(io.LimitReader(res.Body, 64<<10))
	if err != nil {
		return f.Broken(watch, err)
	}
	return classify(f, data)
}

// classify words the body of an error, of an answer or inside a stream: an
// object under "error", a string there, or the object itself.
func classify(f outbound.Failure, data []byte) error {
	var envelope struct {
		Error json.RawMessage `json:"error"`
	}
	var said fault
	if err := json.Unmarshal(data, &envelope); err != nil {
		f.Words = string(data)
		return f.Error(statusCode(f.Status))
	}
	if len(envelope.Error) > 0 {
		data = envelope.Error
	}
	if err := json.Unmarshal(data, &said); err != nil {
		said.Message = string(data)
	}
	return said.failure(f)
}

func (said fault) failure(f outbound.Failure) error {
	word, _ := said.Code.(string)
	if n, ok := said.Code.(float64); ok && n >= 400 && n < 600 && f.Status == 0 {
		f.Status = int(n)
	}
	f.Kind, f.Words = strings.Trim(said.Type+" "+word, " "), said.Message
	code, known := kinds[word]
	if !known {
		code, known = kinds[said.Type]
	}
	vague := code == agent.CodeInvalidInput || code == agent.CodeProviderError
	if !known || vague && f.Status >= 400 && f.Status < 500 {
		code = statusCode(f.Status) // a status of 401 says more than "invalid request"
	}
	switch {
	case unpaid[word] || unpaid[said.Type]:
		f.Unpaid, code = true, agent.CodeKeyInvalid
	case word == "model_not_found" || said.Type == "not_found_error":
		f.Status, code = http.StatusNotFound, agent.CodeInvalidInput
	}
	return f.Error(code)
}

func statusCode(status int) agent.Code {
	if status == 0 {
		return agent.CodeProviderError
	}
	return outbound.StatusCode(status)
}

func isJSON(h http.Header) bool {
	kind, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	return err == nil && kind == "application/json"
}
