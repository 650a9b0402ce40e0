package anthropic

import (
	"encoding/json"

	agent "github.com/lossless-group/in-app-agent"
)

// event is the union of the stream's events; what an event has not is zero.
type event struct {
	Index   int `json:"index"`
	Message struct {
		Usage usage `json:"usage"`
	} `json:"message"`
	ContentBlock json.RawMessage `json:"content_block"`
	Delta        struct {
		Type        string `json:"type"`
		Text        string `json:"text"`
		Thinking    string `json:"thinking"`
		Signature   string `json:"signature"`
		PartialJSON string `json:"partial_json"`
		StopReason  string `json:"stop_reason"`
	} `json:"delta"`
	Usage usage `json:"usage"`
}

// opening is the start of a content block.
type opening struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
}

// usage has pointers, because a number that is not reported is not zero.
type usage struct {
	InputTokens   *int64 `json:"input_tokens"`
	OutputTokens  *int64 `json:"output_tokens"`
	CacheRead     *int64 `json:"cache_read_input_tokens"`
	CacheCreation *int64 `json:"cache_creation_input_tokens"`
}

// merge takes over what a later report states; the numbers are cumulative.
func (u usage) merge(into *agent.Usage) {
	for _, pair := range []struct {
		from *int64
		to   **int64
	}{
		{u.InputTokens, &into.TokensIn},
		{u.OutputTokens, &into.TokensOut},
		{u.CacheRead, &into.CacheRead},
		{u.CacheCreation, &into.CacheCreation},
	} {
		if pair.from != nil {
			*pair.to = pair.from
		}
	}
}

// stopReason maps Anthropic's reasons to ours.
func stopReason(reason string) agent.StopReason {
	switch reason {
	case "end_turn", "stop_sequence":
		return agent.StopEnd
	case "tool_use":
		return agent.StopCalls
	case "max_tokens", "model_context_window_exceeded":
		return agent.StopMaxTokens
	case "refusal":
		return agent.StopRefusal
	}
	return agent.StopOther // pause_turn, and what is still to be invented
}
