package fake

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// apiError is an error as a provider says it.
type apiError struct {
	Status  int
	Type    string
	Message string
	Code    string // OpenAI only
	Param   string // OpenAI only
}

// invalid makes a 400 of Anthropic's type.
func invalid(format string, args ...any) *apiError {
	return &apiError{Status: http.StatusBadRequest, Type: "invalid_request_error", Message: fmt.Sprintf(format, args...)}
}

// invalidParam makes a 400 of OpenAI's form.
func invalidParam(param, code, format string, args ...any) *apiError {
	e := invalid(format, args...)
	e.Param, e.Code = param, code
	return e
}

// anthropicStatuses are the errors of Anthropic's reference page.
var anthropicStatuses = map[int]apiError{
	400: {Type: "invalid_request_error", Message: "Invalid request"},
	401: {Type: "authentication_error", Message: "invalid x-api-key"},
	402: {Type: "billing_error", Message: "Your credit balance is too low to access the Anthropic API."},
	403: {Type: "permission_error", Message: "Your API key does not have permission to use the specified resource."},
	404: {Type: "not_found_error", Message: "The requested resource could not be found."},
	413: {Type: "request_too_large", Message: "Request exceeds the maximum size"},
	429: {Type: "rate_limit_error", Message: "This request would exceed your organization's rate limit."},
	500: {Type: "api_error", Message: "Internal server error"},
	503: {Type: "overloaded_error", Message: "Overloaded"},
	504: {Type: "timeout_error", Message: "Request timed out"},
	529: {Type: "overloaded_error", Message: "Overloaded"},
}

// openaiStatuses are the errors of OpenAI's reference page.
var openaiStatuses = map[int]apiError{
	400: {Type: "invalid_request_error", Message: "Invalid request"},
	401: {Type: "invalid_request_error", Code: "invalid_api_key", Message: "Incorrect API key provided."},
	402: {Type: "billing_error", Code: "insufficient_balance", Message: "Insufficient balance"},
	403: {Type: "request_forbidden", Code: "unsupported_country_region_territory", Message: "Country, region, or territory not supported"},
	404: {Type: "invalid_request_error", Code: "model_not_found", Message: "The model does not exist or you do not have access to it."},
	413: {Type: "invalid_request_error", Message: "Maximum content size limit exceeded"},
	429: {Type: "requests", Code: "rate_limit_exceeded", Message: "Rate limit reached for requests"},
	500: {Type: "server_error", Message: "The server had an error while processing your request. Sorry about that!"},
	503: {Type: "service_unavailable_error", Message: "The engine is currently overloaded, please try again later"},
	529: {Type: "service_unavailable_error", Message: "The engine is currently overloaded, please try again later"},
}

func errorOf(table map[int]apiError, status int) *apiError {
	e, ok := table[status]
	switch {
	case ok:
	case status >= 500:
		e = table[500]
	default:
		e = table[400]
	}
	e.Status = status
	return &e
}

func (anthropicWire) fromStatus(status int) *apiError { return errorOf(anthropicStatuses, status) }
func (chatWire) fromStatus(status int) *apiError      { return errorOf(openaiStatuses, status) }
func (responsesWire) fromStatus(status int) *apiError { return errorOf(openaiStatuses, status) }

func (anthropicWire) errorBody(e *apiError) []byte {
	return encode(object{
		"type": "error", "request_id": newID("req_"),
		"error": object{"type": e.Type, "message": e.Message, "details": nil},
	})
}

func (anthropicWire) errorFrame(e *apiError, _ *answer, _ bool, _ int) frame {
	return frame{event: "error", data: anthropicWire{}.errorBody(e)}
}

func (chatWire) errorBody(e *apiError) []byte {
	return encode(object{"error": object{"message": e.Message, "type": e.Type, "param": orNil(e.Param), "code": orNil(e.Code)}})
}

func (chatWire) errorFrame(e *apiError, _ *answer, _ bool, _ int) frame {
	return frame{data: chatWire{}.errorBody(e)}
}

func (responsesWire) errorBody(e *apiError) []byte { return chatWire{}.errorBody(e) }

func (responsesWire) errorFrame(e *apiError, a *answer, failed bool, seq int) frame {
	code := e.Code
	if code == "" {
		code = "server_error"
	}
	if failed {
		return frame{event: "response.failed", data: encode(object{
			"type": "response.failed", "sequence_number": seq,
			"response": object{
				"id": a.id, "object": "response", "model": a.model, "status": "failed", "output": []any{},
				"error": object{"code": code, "message": e.Message},
			},
		})}
	}
	return frame{event: "error", data: encode(object{
		"type": "error", "sequence_number": seq, "code": code, "message": e.Message, "param": orNil(e.Param),
	})}
}

// object is a JSON object.
type object = map[string]any

// encode writes JSON as the providers do: compact, and letters as they are.
func encode(v any) []byte {
	var b buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // Only values that were made here come in.
	}
	return b.trimmed()
}

func orNil(s string) any {
	if s == "" {
		return nil
	}
	return s
}
