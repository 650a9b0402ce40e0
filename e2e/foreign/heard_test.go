package foreign

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// heard is what a client made of one round on one wire.
type heard struct {
	Name      string  `json:"name"`
	Wire      string  `json:"wire"`
	Text      string  `json:"text"`
	Reasoning string  `json:"reasoning"`
	Calls     []call  `json:"calls"`
	Stop      string  `json:"stop"`
	Usage     usage   `json:"usage"`
	Error     *failed `json:"error"`

	code  agent.Code // ours: of the error
	retry time.Duration
}

type call struct {
	ID    string          `json:"id"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

type usage struct {
	In       int64 `json:"in"`
	Out      int64 `json:"out"`
	Read     int64 `json:"read"`
	Creation int64 `json:"creation"`
}

// failed is an error as the makers' SDKs class it; Status is 0 for one that came
// inside a stream or from the network.
type failed struct {
	Class   string `json:"class"`
	Status  int    `json:"status"`
	Type    string `json:"type"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// expected gives the code that ours must have where a maker's SDK has this error.
func (f failed) expected() agent.Code {
	if f.Code == "insufficient_quota" {
		return agent.CodeKeyInvalid
	}
	switch f.Status {
	case 401, 402, 403:
		return agent.CodeKeyInvalid
	case 400, 404:
		return agent.CodeInvalidInput
	case 413:
		return agent.CodeTooLarge
	case 429:
		return agent.CodeRateLimited
	case 503, 529:
		return agent.CodeOverloaded
	case 504:
		return agent.CodeTimeout
	case 500, 502:
		return agent.CodeProviderError
	}
	switch word := f.Type + " " + f.Code; {
	case strings.Contains(word, "overloaded_error"), strings.Contains(word, "service_unavailable"):
		return agent.CodeOverloaded
	case strings.Contains(word, "rate_limit"):
		return agent.CodeRateLimited
	}
	return agent.CodeProviderError
}

// stops are the makers' words for our reasons; "completed" is calls where there are any.
var stops = map[string]agent.StopReason{
	"end_turn": agent.StopEnd, "stop": agent.StopEnd, "completed": agent.StopEnd,
	"tool_use": agent.StopCalls, "tool_calls": agent.StopCalls,
	"max_tokens": agent.StopMaxTokens, "length": agent.StopMaxTokens, "max_output_tokens": agent.StopMaxTokens,
	"refusal": agent.StopRefusal, "content_filter": agent.StopRefusal,
	"pause_turn": agent.StopOther, "insufficient_system_resource": agent.StopOther, "novel_reason": agent.StopOther,
}

func (h heard) stop() agent.StopReason {
	if h.Stop == "completed" && len(h.Calls) > 0 {
		return agent.StopCalls
	}
	if s, ok := stops[h.Stop]; ok {
		return s
	}
	return agent.StopReason(h.Stop)
}

// hear lets one of our adapters play a round.
func hear(ctx context.Context, m agent.Model, req agent.ModelRequest) heard {
	var h heard
	for d, err := range m.Stream(ctx, req) {
		if err != nil {
			var e *agent.Error
			h.Error = &failed{Message: err.Error()}
			if errors.As(err, &e) {
				h.code, h.retry = e.Code, e.RetryAfter
			}
			return h
		}
		if d.Kind == agent.DeltaDone {
			h.take(d.Answer)
		}
	}
	return h
}

func (h *heard) take(a *agent.Answer) {
	h.Stop = string(a.Stop)
	for _, b := range a.Blocks {
		switch b.Kind {
		case agent.BlockText:
			h.Text += b.Text
		case agent.BlockReasoning:
			h.Reasoning += b.Text
		case agent.BlockCall:
			h.Calls = append(h.Calls, call{b.WireID, b.Name, b.Input})
		}
	}
	for _, m := range []struct {
		from *int64
		to   *int64
	}{{a.Usage.TokensIn, &h.Usage.In}, {a.Usage.TokensOut, &h.Usage.Out}, {a.Usage.CacheRead, &h.Usage.Read}, {a.Usage.CacheCreation, &h.Usage.Creation}} {
		if m.from == nil {
			*m.to = -1 // Not reported, which no round of these is.
			continue
		}
		*m.to = *m.from
	}
}
