package capability

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	agent "github.com/lossless-group/in-app-agent"
)

// passing are the codes after which the model may sensibly try again, with other
// arguments or later.
var passing = []agent.Code{
	agent.CodeInvalidInput, agent.CodeInvalidRequest, agent.CodeNotFound, agent.CodeConflict, agent.CodeStalePreview,
	agent.CodeTooLarge, agent.CodeOverloaded, agent.CodeUnavailable, agent.CodeStorageBusy, agent.CodeTimeout,
	agent.CodeProviderError,
}

// refusal makes what the model reads instead of an output.
func refusal(code agent.Code, format string, args ...any) *agent.ResultError {
	return &agent.ResultError{Code: code, Message: fmt.Sprintf(format, args...), Recoverable: slices.Contains(passing, code)}
}

func refused(code agent.Code, format string, args ...any) agent.Result {
	return agent.Result{Error: refusal(code, format, args...)}
}

// told gives an *agent.Error to the model: its message, and the hint on what to
// do next. A code that is not on the closed list is a tool_error.
func told(e *agent.Error) *agent.ResultError {
	message := e.Message
	if e.Hint != "" {
		message = strings.TrimSpace(message + " " + e.Hint)
	}
	res := refusal(known(e.Code), "%s", clip(message, maxErrorBytes))
	res.Pointer = e.Pointer
	return res
}

func known(code agent.Code) agent.Code {
	for _, info := range agent.Codes {
		if info.Code == code {
			return code
		}
	}
	return agent.CodeToolError
}

// clip cuts text at a rune's border and says so with an ellipsis.
func clip(s string, limit int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit] + "…"
}
