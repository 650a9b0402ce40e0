package fake

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// The members of a Chat Completions request, those of compatible endpoints at the end.
var chatMembers = strings.Fields(`messages model audio frequency_penalty function_call functions logit_bias
	logprobs max_completion_tokens max_tokens metadata modalities moderation n parallel_tool_calls prediction
	presence_penalty prompt_cache_key prompt_cache_options prompt_cache_retention reasoning_effort
	response_format safety_identifier seed service_tier stop store stream stream_options temperature tool_choice
	tools top_logprobs top_p user verbosity web_search_options reasoning_format`)

// automaticLife is how long a prefix lives that the provider cached by itself.
const automaticLife = 10 * time.Minute

type chatRequest struct {
	Model         string            `json:"model"`
	Messages      []json.RawMessage `json:"messages"`
	Tools         []json.RawMessage `json:"tools"`
	Stream        bool              `json:"stream"`
	MaxTokens     int               `json:"max_completion_tokens"`
	OldMaxTokens  int               `json:"max_tokens"`
	StreamOptions *struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	parsed []chatMessage
}

type chatMessage struct {
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	Calls     []chatCall      `json:"tool_calls"`
	CallID    string          `json:"tool_call_id"`
	Reasoning string          `json:"reasoning_content"`
	Thinking  string          `json:"reasoning"`
	texts     []string
}

type chatCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string  `json:"name"`
		Arguments *string `json:"arguments"`
	} `json:"function"`
}

func (chatWire) parse(s *Server, _ http.Header, body []byte) (*question, *apiError) {
	if e := checkMembers(body, chatMembers); e != nil {
		return nil, e
	}
	var req chatRequest
	if err := json.Unmarshal(body, &req); err != nil {
		return nil, invalidParam("", "invalid_type", "Invalid type: %v", err)
	}
	if e := s.checkModel(req.Model); e != nil {
		return nil, e
	}
	if e := checkChat(&req, s.opts.StrictRoles); e != nil {
		return nil, e
	}
	q := &question{stream: req.Stream, req: chatModelRequest(&req)}
	q.usage = req.StreamOptions != nil && req.StreamOptions.IncludeUsage
	for _, t := range req.Tools {
		q.units = append(q.units, unit{bytes: t, mark: true, ttl: automaticLife})
	}
	for _, m := range req.Messages {
		q.units = append(q.units, unit{bytes: m, mark: true, ttl: automaticLife})
	}
	return q, nil
}

func checkChat(req *chatRequest, strict bool) *apiError {
	if len(req.Messages) == 0 {
		return invalidParam("messages", "empty_array", "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.")
	}
	for i, raw := range req.Tools {
		var t openaiTool
		if json.Unmarshal(raw, &t) != nil || t.Type != "function" || t.Function == nil {
			return invalidParam(at("tools[%d].type", i), "missing_required_parameter", "Missing required parameter: 'tools[%d].type'.", i)
		}
		if e := checkTool(at("tools[%d].function", i), *t.Function); e != nil {
			return e
		}
	}
	req.parsed = make([]chatMessage, len(req.Messages))
	for i, raw := range req.Messages {
		m := &req.parsed[i]
		if err := json.Unmarshal(raw, m); err != nil {
			return invalidParam(at("messages[%d]", i), "invalid_type", "Invalid type for 'messages[%d]': %v", i, err)
		}
		if e := checkChatMessage(i, m); e != nil {
			return e
		}
		if strict && i > 0 && m.Role == req.parsed[i-1].Role && m.Role != "tool" {
			return invalidParam("messages", "", "Conversation roles must alternate user/assistant/user/assistant/...")
		}
	}
	return checkChatPairs(req.parsed)
}

func checkChatMessage(i int, m *chatMessage) *apiError {
	where := at("messages.[%d]", i)
	texts, ok := partText(m.Content)
	m.texts = texts
	switch m.Role {
	case "system", "developer", "user":
		if !ok {
			return invalidParam(where+".content", "invalid_type", "Invalid value for 'content': expected a string, got null.")
		}
	case "tool":
		if !ok || m.CallID == "" {
			return invalidParam(where+".tool_call_id", "missing_required_parameter", "Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'.")
		}
	case "assistant":
		if !ok && len(m.Calls) == 0 {
			return invalidParam(where+".content", "invalid_type", "Invalid value for 'content': expected a string, got null.")
		}
		for j, c := range m.Calls {
			if c.ID == "" || c.Type != "function" || c.Function.Arguments == nil {
				return invalidParam(at("messages[%d].tool_calls[%d]", i, j), "missing_required_parameter", "Missing required parameter: 'messages[%d].tool_calls[%d].id'.", i, j)
			}
			if e := checkFunctionName(at("messages[%d].tool_calls[%d].function.name", i, j), c.Function.Name); e != nil {
				return e
			}
		}
	default:
		return invalidParam(at("messages[%d].role", i), "invalid_value", "Invalid value: '%s'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.", m.Role)
	}
	if ok && len(texts) == 0 {
		return invalidParam(where+".content", "empty_array", "Invalid 'messages[%d].content': empty array. Expected an array with minimum length 1, but got an empty array instead.", i)
	}
	return nil
}

// checkChatPairs holds every call to an answer right after it, and every answer
// to a call.
func checkChatPairs(messages []chatMessage) *apiError {
	var asked []string
	given := map[string]bool{}
	for i, m := range messages {
		if m.Role == "tool" {
			if !contains(asked, m.CallID) || given[m.CallID] {
				return invalidParam(at("messages.[%d].role", i), "", "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.")
			}
			given[m.CallID] = true
			continue
		}
		if e := chatUnanswered(i, asked, given); e != nil {
			return e
		}
		asked, given = nil, map[string]bool{}
		for _, c := range m.Calls {
			if contains(asked, c.ID) {
				return invalidParam(at("messages[%d].tool_calls", i), "invalid_value", "Duplicate value for 'tool_call_id' of '%s' found in message with role 'assistant'.", c.ID)
			}
			asked = append(asked, c.ID)
		}
	}
	return chatUnanswered(len(messages), asked, given)
}

func chatUnanswered(i int, asked []string, given map[string]bool) *apiError {
	if missing := unansweredCalls(asked, given); missing != "" {
		return invalidParam(at("messages.[%d].role", i), "", "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: %s", missing)
	}
	return nil
}

// chatModelRequest says the request in our own words, for the script.
func chatModelRequest(req *chatRequest) agent.ModelRequest {
	out := agent.ModelRequest{Model: req.Model, Purpose: "generate", MaxTokens: max(req.MaxTokens, req.OldMaxTokens)}
	for _, raw := range req.Tools {
		var t openaiTool
		_ = json.Unmarshal(raw, &t)
		out.Tools = append(out.Tools, agent.ToolSchema{Name: t.Function.Name, Description: t.Function.Description, Schema: t.Function.Parameters})
		out.Purpose = "step"
	}
	for _, m := range req.parsed {
		var blocks []agent.Block
		if thought := m.Reasoning + m.Thinking; thought != "" {
			blocks = append(blocks, agent.Block{Kind: agent.BlockReasoning, Text: thought})
		}
		switch m.Role {
		case "system", "developer":
			for _, t := range m.texts {
				out.System = append(out.System, agent.Slab{Text: t})
			}
			continue
		case "tool":
			blocks = []agent.Block{{Kind: agent.BlockResult, WireID: m.CallID, Text: joined(m.texts)}}
			out.Messages = addMessage(out.Messages, agent.RoleUser, blocks)
			continue
		}
		for _, t := range m.texts {
			blocks = append(blocks, agent.Block{Kind: agent.BlockText, Text: t})
		}
		for _, c := range m.Calls {
			blocks = append(blocks, agent.Block{Kind: agent.BlockCall, WireID: c.ID, Name: c.Function.Name, Input: json.RawMessage(*c.Function.Arguments)})
		}
		out.Messages = addMessage(out.Messages, agent.ModelRole(m.Role), blocks)
	}
	return out
}
