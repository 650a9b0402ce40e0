package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"unicode/utf8"

	"github.com/openai/openai-go/v3/packages/ssestream"

	agent "github.com/lossless-group/in-app-agent"
)

// chunk is one event of a Chat Completions stream.
type chunk struct {
	Error   json.RawMessage `json:"error"`
	Choices []struct {
		Index int `json:"index"`
		Delta struct {
			Content          string     `json:"content"`
			Refusal          string     `json:"refusal"`
			Reasoning        string     `json:"reasoning"`
			ReasoningContent string     `json:"reasoning_content"`
			ToolCalls        []callPart `json:"tool_calls"`
		} `json:"delta"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
	Usage *chatUsage `json:"usage"`
}

// chatUsage counts the whole prompt, cached tokens included.
type chatUsage struct {
	PromptTokens     *int64       `json:"prompt_tokens"`
	CompletionTokens *int64       `json:"completion_tokens"`
	Details          cacheDetails `json:"prompt_tokens_details"`
}

type cacheDetails struct {
	Cached  *int64 `json:"cached_tokens"`
	Written *int64 `json:"cache_write_tokens"`
}

// usageOf brings a report to our meaning: TokensIn is what no cache served or took.
func usageOf(in, out *int64, cache cacheDetails) agent.Usage {
	if in != nil {
		fresh := *in
		for _, n := range []*int64{cache.Cached, cache.Written} {
			if n != nil {
				fresh -= *n
			}
		}
		fresh = max(fresh, 0)
		in = &fresh
	}
	return agent.Usage{TokensIn: in, TokensOut: out, CacheRead: cache.Cached, CacheCreation: cache.Written}
}

// chatReader puts a Chat Completions stream together.
type chatReader struct {
	*assembly
	text, reasoning *piece
	rawReasoning    bool // reasoning came as reasoning_content
	calls           calls
	finish          string
	refused         bool
}

func (r *chatReader) apply(e ssestream.Event) error {
	data := bytes.TrimSpace(e.Data)
	if bytes.HasPrefix(data, []byte("[DONE]")) {
		r.over = true
		return nil
	}
	if e.Type == "error" {
		return classify(r.failure, data)
	}
	var c chunk
	if json.Unmarshal(data, &c) != nil {
		if e.Type != "" && e.Type != "message" {
			return nil // an event that is still to be invented
		}
		return r.malformed(errors.New("a chunk does not parse"))
	}
	if len(c.Error) > 0 && string(c.Error) != "null" {
		return classify(r.failure, data)
	}
	if len(c.Choices) == 0 && c.Usage == nil {
		return nil
	}
	r.repaired = r.repaired || !utf8.Valid(data)
	r.open()
	if u := c.Usage; u != nil {
		r.usage = usageOf(u.PromptTokens, u.CompletionTokens, u.Details)
	}
	return r.choice(c)
}

func (r *chatReader) choice(c chunk) error {
	for _, choice := range c.Choices {
		if choice.Index != 0 {
			continue
		}
		d := choice.Delta
		r.rawReasoning = r.rawReasoning || d.ReasoningContent != ""
		if d.ReasoningContent == "" {
			d.ReasoningContent = d.Reasoning
		}
		r.refused = r.refused || d.Refusal != ""
		if err := r.speak(&r.reasoning, agent.BlockReasoning, d.ReasoningContent); err != nil {
			return err
		}
		if err := r.speak(&r.text, agent.BlockText, d.Content+d.Refusal); err != nil {
			return err
		}
		for _, part := range d.ToolCalls {
			if err := r.calls.add(r.assembly, part); err != nil {
				return err
			}
		}
		if choice.FinishReason != "" {
			r.finish = choice.FinishReason
		}
	}
	return nil
}

func (r *chatReader) speak(p **piece, kind agent.BlockKind, text string) error {
	if *p == nil {
		*p = &piece{kind: kind, index: -1}
	}
	return r.say(*p, text)
}

// end gives the answer where a finish reason was seen; without one the stream
// was cut, whether or not [DONE] came.
func (r *chatReader) end() (*agent.Answer, error) {
	if r.finish == "" {
		return nil, nil
	}
	for _, p := range r.calls.list {
		if err := r.announce(p); err != nil {
			return nil, err
		}
	}
	answer := &agent.Answer{Blocks: r.blocks(), Stop: r.stop(), Usage: r.usage}
	if !r.repaired {
		answer.Raw = r.raw()
	}
	return answer, nil
}

func (r *chatReader) stop() agent.StopReason {
	switch r.finish {
	case "length":
		return agent.StopMaxTokens
	case "content_filter":
		return agent.StopRefusal
	case "stop", "tool_calls", "function_call", "eos":
	default:
		return agent.StopOther
	}
	switch {
	case r.hasCalls(): // servers disagree about the reason they give for calls
		return agent.StopCalls
	case r.refused:
		return agent.StopRefusal
	}
	return agent.StopEnd
}

// raw writes the assistant message as it is replayed. Reasoning belongs to it
// only where calls follow and it came under the name that is taken back.
func (r *chatReader) raw() json.RawMessage {
	var text, reasoning string
	var parts list
	for _, p := range r.shown {
		switch p.kind {
		case agent.BlockText:
			text = p.text.String()
		case agent.BlockReasoning:
			reasoning = p.text.String()
		case agent.BlockCall:
			chatCall(parts.next(), p.id, p.name, p.input())
		}
	}
	if parts.n == 0 || !r.rawReasoning {
		reasoning = ""
	}
	if text == "" && parts.n == 0 {
		return nil
	}
	var b bytes.Buffer
	chatAnswer(&b, text, reasoning, &parts)
	return b.Bytes()
}
