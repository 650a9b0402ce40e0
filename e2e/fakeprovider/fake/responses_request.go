package fake

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

var responsesMembers = strings.Fields(`background background_options context_management conversation include
	input instructions max_output_tokens max_tool_calls metadata model moderation parallel_tool_calls
	previous_response_id prompt prompt_cache_key prompt_cache_options prompt_cache_retention reasoning
	safety_identifier service_tier store stream stream_options temperature text tool_choice tools top_logprobs
	top_p truncation user access_programs image`)

type responsesRequest struct {
	Model        string            `json:"model"`
	Input        json.RawMessage   `json:"input"`
	Instructions string            `json:"instructions"`
	Tools        []json.RawMessage `json:"tools"`
	Stream       bool              `json:"stream"`
	Store        *bool             `json:"store"`
	Include      []string          `json:"include"`
	MaxTokens    int               `json:"max_output_tokens"`
	Previous     string            `json:"previous_response_id"`
	items        []responsesItem
}

type responsesItem struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments *string         `json:"arguments"`
	Output    json.RawMessage `json:"output"`
	Encrypted string          `json:"encrypted_content"`
	Summary   json.RawMessage `json:"summary"`
	texts     []string
	raw       json.RawMessage
}

func (responsesWire) parse(s *Server, _ http.Header, body []byte) (*question, *apiError) {
	if e := checkMembers(body, responsesMembers); e != nil {
		return nil, e
	}
	var req responsesRequest
	if err := json.Unmarshal(body, &req); err != nil {
		return nil, invalidParam("", "invalid_type", "Invalid type: %v", err)
	}
	if e := s.checkModel(req.Model); e != nil {
		return nil, e
	}
	if e := checkResponses(&req); e != nil {
		return nil, e
	}
	q := &question{stream: req.Stream, strictly: slices.Contains(req.Include, "reasoning.encrypted_content")}
	q.req = responsesModelRequest(&req)
	for _, t := range req.Tools {
		q.units = append(q.units, unit{bytes: t, mark: true, ttl: automaticLife})
	}
	if req.Instructions != "" {
		q.units = append(q.units, unit{bytes: []byte(req.Instructions), mark: true, ttl: automaticLife})
	}
	for _, it := range req.items {
		q.units = append(q.units, unit{bytes: it.raw, mark: true, ttl: automaticLife})
	}
	return q, nil
}

func checkResponses(req *responsesRequest) *apiError {
	if req.Previous != "" {
		e := invalidParam("previous_response_id", "previous_response_not_found", "Previous response with id '%s' not found.", req.Previous)
		return e
	}
	for i, raw := range req.Tools {
		var t openaiTool
		if json.Unmarshal(raw, &t) != nil || t.Type != "function" {
			return invalidParam(at("tools[%d].type", i), "invalid_value", "Invalid value for 'tools[%d].type'.", i)
		}
		if e := checkTool(at("tools[%d]", i), t); e != nil {
			return e
		}
	}
	if e := req.readItems(); e != nil {
		return e
	}
	for i := range req.items {
		if e := req.checkItem(i); e != nil {
			return e
		}
	}
	return checkResponsesPairs(req.items)
}

// readItems reads input that is a string or a list of items.
func (req *responsesRequest) readItems() *apiError {
	var text string
	if json.Unmarshal(req.Input, &text) == nil && len(req.Input) > 0 {
		req.items = []responsesItem{{Type: "message", Role: "user", Content: req.Input, raw: req.Input}}
		return nil
	}
	var raws []json.RawMessage
	if json.Unmarshal(req.Input, &raws) != nil || len(raws) == 0 {
		return invalidParam("input", "missing_required_parameter", "Missing required parameter: 'input'.")
	}
	req.items = make([]responsesItem, len(raws))
	for i, raw := range raws {
		if err := json.Unmarshal(raw, &req.items[i]); err != nil {
			return invalidParam(at("input[%d]", i), "invalid_type", "Invalid type for 'input[%d]': %v", i, err)
		}
		req.items[i].raw = raw
		if req.items[i].Type == "" && req.items[i].Role != "" {
			req.items[i].Type = "message"
		}
	}
	return nil
}

// itemPrefixes are what the ids of items begin with.
var itemPrefixes = map[string]string{"message": "msg", "function_call": "fc", "reasoning": "rs"}

func (req *responsesRequest) checkItem(i int) *apiError {
	it := &req.items[i]
	if prefix := itemPrefixes[it.Type]; it.ID != "" && !strings.HasPrefix(it.ID, prefix) {
		return invalidParam(at("input[%d].id", i), "invalid_value", "Invalid 'input[%d].id': '%s'. Expected an ID that begins with '%s'.", i, it.ID, prefix)
	}
	switch it.Type {
	case "message":
		return it.checkMessage(i)
	case "function_call":
		if it.CallID == "" || it.Arguments == nil {
			return invalidParam(at("input[%d].call_id", i), "missing_required_parameter", "Missing required parameter: 'input[%d].call_id'.", i)
		}
		return checkFunctionName(at("input[%d].name", i), it.Name)
	case "function_call_output":
		texts, ok := partText(it.Output)
		if !ok {
			return invalidParam(at("input[%d].output", i), "missing_required_parameter", "Missing required parameter: 'input[%d].output'.", i)
		}
		it.texts = texts
		return nil
	case "reasoning":
		return req.checkReasoning(i, it)
	}
	return invalidParam(at("input[%d]", i), "invalid_value", "Invalid value: '%s'. Supported values are: 'message', 'reasoning', 'function_call' and 'function_call_output'.", it.Type)
}

func (it *responsesItem) checkMessage(i int) *apiError {
	texts, ok := partText(it.Content)
	if !ok {
		return invalidParam(at("input[%d].content", i), "invalid_type", "Invalid type for 'input[%d].content': expected a string or an array.", i)
	}
	it.texts = texts
	var parts []struct {
		Type string `json:"type"`
	}
	_ = json.Unmarshal(it.Content, &parts)
	for j, p := range parts {
		switch {
		case it.Role == "assistant" && p.Type != "output_text" && p.Type != "refusal":
			return invalidParam(at("input[%d].content[%d]", i, j), "invalid_value", "Invalid value: '%s'. Supported values are: 'output_text' and 'refusal'.", p.Type)
		case it.Role != "assistant" && !strings.HasPrefix(p.Type, "input_"):
			return invalidParam(at("input[%d].content[%d]", i, j), "invalid_value", "Invalid value: '%s'. Supported values are: 'input_text', 'input_image' and 'input_file'.", p.Type)
		}
	}
	switch it.Role {
	case "user", "assistant", "system", "developer":
		return nil
	}
	return invalidParam(at("input[%d].role", i), "invalid_value", "Invalid value: '%s'. Supported values are: 'assistant', 'system', 'developer', and 'user'.", it.Role)
}

// checkReasoning refuses reasoning that is not stored and does not come whole.
func (req *responsesRequest) checkReasoning(i int, it *responsesItem) *apiError {
	if it.Encrypted == "" {
		e := invalidParam("input", "", "Item with id '%s' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.", it.ID)
		e.Status = http.StatusNotFound
		return e
	}
	thought, ok := unseal(it.Encrypted)
	if !ok {
		return invalidParam("input", "invalid_encrypted_content", "The encrypted content for item %s could not be verified.", it.ID)
	}
	it.texts = []string{thought}
	if i+1 == len(req.items) || req.items[i+1].Type == "function_call_output" || req.items[i+1].Role == "user" {
		return invalidParam("input", "", "Item '%s' of type 'reasoning' was provided without its required following item.", it.ID)
	}
	return nil
}

func checkResponsesPairs(items []responsesItem) *apiError {
	asked, answered := map[string]bool{}, map[string]bool{}
	for _, it := range items {
		switch it.Type {
		case "function_call":
			asked[it.CallID] = true
		case "function_call_output":
			if !asked[it.CallID] {
				return invalidParam("input", "", "No tool call found for function call output with call_id %s.", it.CallID)
			}
			answered[it.CallID] = true
		}
	}
	for _, it := range items {
		if it.Type == "function_call" && !answered[it.CallID] {
			return invalidParam("input", "", "No tool output found for function call %s.", it.CallID)
		}
	}
	return nil
}

// seal hides a thought so that only the fake itself can read it, and notices
// when a byte was changed.
func seal(thought string) string {
	return base64.StdEncoding.EncodeToString([]byte(thought)) + "." + sign(thought)
}

func unseal(sealed string) (thought string, ok bool) {
	body, mac, _ := strings.Cut(sealed, ".")
	raw, err := base64.StdEncoding.DecodeString(body)
	return string(raw), err == nil && mac == sign(string(raw))
}

// responsesModelRequest says the request in our own words, for the script.
func responsesModelRequest(req *responsesRequest) agent.ModelRequest {
	out := agent.ModelRequest{Model: req.Model, Purpose: "generate", MaxTokens: req.MaxTokens}
	if req.Instructions != "" {
		out.System = append(out.System, agent.Slab{Text: req.Instructions})
	}
	for _, raw := range req.Tools {
		var t openaiTool
		_ = json.Unmarshal(raw, &t)
		out.Tools = append(out.Tools, agent.ToolSchema{Name: t.Name, Description: t.Description, Schema: t.Parameters})
		out.Purpose = "step"
	}
	for _, it := range req.items {
		role := agent.RoleAssistant
		var block agent.Block
		switch it.Type {
		case "reasoning":
			block = agent.Block{Kind: agent.BlockReasoning, Text: joined(it.texts)}
		case "function_call":
			block = agent.Block{Kind: agent.BlockCall, WireID: it.CallID, Name: it.Name, Input: json.RawMessage(*it.Arguments)}
		case "function_call_output":
			role, block = agent.RoleUser, agent.Block{Kind: agent.BlockResult, WireID: it.CallID, Text: joined(it.texts)}
		default:
			for _, t := range it.texts {
				if it.Role == "system" || it.Role == "developer" {
					out.System = append(out.System, agent.Slab{Text: t})
				} else {
					out.Messages = addMessage(out.Messages, agent.ModelRole(it.Role), []agent.Block{{Kind: agent.BlockText, Text: t}})
				}
			}
			continue
		}
		out.Messages = addMessage(out.Messages, role, []agent.Block{block})
	}
	return out
}
