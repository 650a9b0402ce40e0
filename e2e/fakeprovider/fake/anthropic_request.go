package fake

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// The members of a Messages request that the real API knows; others are refused.
var anthropicMembers = strings.Fields(`model messages max_tokens system tools tool_choice stream thinking
	temperature top_p top_k stop_sequences metadata service_tier cache_control container output_config
	inference_geo diagnostics speed user_profile_id workspace_id`)

var anthropicVersions = []string{"2023-01-01", "2023-06-01", "2026-10-21"}

type anthropicRequest struct {
	Model        string             `json:"model"`
	MaxTokens    *int               `json:"max_tokens"`
	Messages     []anthropicTurn    `json:"messages"`
	System       json.RawMessage    `json:"system"`
	Tools        []json.RawMessage  `json:"tools"`
	ToolChoice   json.RawMessage    `json:"tool_choice"`
	Thinking     *anthropicThinking `json:"thinking"`
	Stream       bool               `json:"stream"`
	CacheControl *cacheControl      `json:"cache_control"`
}

type anthropicThinking struct {
	Type   string `json:"type"`
	Budget int    `json:"budget_tokens"`
}

type anthropicTurn struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
	blocks  []anthropicBlock
}

type anthropicBlock struct {
	Type         string          `json:"type"`
	Text         string          `json:"text"`
	Thinking     string          `json:"thinking"`
	Signature    string          `json:"signature"`
	ID           string          `json:"id"`
	Name         string          `json:"name"`
	Input        json.RawMessage `json:"input"`
	ToolUseID    string          `json:"tool_use_id"`
	Content      json.RawMessage `json:"content"`
	IsError      bool            `json:"is_error"`
	CacheControl *cacheControl   `json:"cache_control"`
	raw          json.RawMessage
}

type cacheControl struct {
	Type string `json:"type"`
	TTL  string `json:"ttl"`
}

func (c *cacheControl) life() time.Duration {
	if c != nil && c.TTL == "1h" {
		return time.Hour
	}
	return 5 * time.Minute
}

func (anthropicWire) parse(s *Server, h http.Header, body []byte) (*question, *apiError) {
	switch version := h.Get("Anthropic-Version"); {
	case version == "":
		return nil, invalid("anthropic-version: header is required")
	case !slices.Contains(anthropicVersions, version):
		return nil, invalid("anthropic-version: %q is not a valid version", version)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(body, &members); err != nil {
		return nil, invalid("The request body is not valid JSON: %v", err)
	}
	for _, name := range sortedKeys(members) {
		if !slices.Contains(anthropicMembers, name) {
			return nil, invalid("%s: Extra inputs are not permitted", name)
		}
	}
	var req anthropicRequest
	if err := json.Unmarshal(body, &req); err != nil {
		return nil, invalid("Input should be valid: %v", err)
	}
	system, e := contentBlocks("system", req.System)
	if e != nil {
		return nil, e
	}
	for i := range req.Messages {
		if req.Messages[i].blocks, e = contentBlocks(at("messages.%d.content", i), req.Messages[i].Content); e != nil {
			return nil, e
		}
	}
	c := &anthropicCheck{req: &req, system: system, strict: s.opts.StrictRoles}
	if e := c.all(); e != nil {
		return nil, e
	}
	if len(s.opts.Models) > 0 && !slices.Contains(s.opts.Models, req.Model) {
		e := errorOf(anthropicStatuses, http.StatusNotFound)
		e.Message = "model: " + req.Model
		return nil, e
	}
	q := &question{stream: req.Stream, units: anthropicUnits(&req, system)}
	q.req = anthropicModelRequest(&req, system)
	return q, nil
}

// contentBlocks reads content that is a string or a list of blocks.
func contentBlocks(where string, raw json.RawMessage) ([]anthropicBlock, *apiError) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []anthropicBlock{{Type: "text", Text: text, raw: encode(object{"type": "text", "text": text})}}, nil
	}
	var raws []json.RawMessage
	if json.Unmarshal(raw, &raws) != nil {
		return nil, invalid("%s: Input should be a valid list", where)
	}
	blocks := make([]anthropicBlock, len(raws))
	for i, b := range raws {
		if err := json.Unmarshal(b, &blocks[i]); err != nil {
			return nil, invalid("%s.%d: Input should be a valid dictionary", where, i)
		}
		blocks[i].raw = b
	}
	return blocks, nil
}

// anthropicUnits lists the blocks in the order in which the provider hashes them:
// tools, system, messages.
func anthropicUnits(req *anthropicRequest, system []anthropicBlock) []unit {
	var units []unit
	add := func(label string, raw json.RawMessage, c *cacheControl) {
		units = append(units, unit{bytes: append([]byte(label), unmarked(raw)...), mark: c != nil, ttl: c.life()})
	}
	for _, t := range req.Tools {
		var tool anthropicBlock
		_ = json.Unmarshal(t, &tool)
		add("tool:", t, tool.CacheControl)
	}
	for _, b := range system {
		add("system:", b.raw, b.CacheControl)
	}
	// Another choice of tools or of thinking leaves tools and system cached, and
	// nothing of the conversation.
	label := string(encode([]any{req.ToolChoice, req.Thinking}))
	for _, t := range req.Messages {
		for _, b := range t.blocks {
			add(t.Role+label+":", b.raw, b.mark())
		}
	}
	if req.CacheControl != nil && len(units) > 0 {
		units[len(units)-1].mark, units[len(units)-1].ttl = true, req.CacheControl.life()
	}
	return units
}

// mark gives the breakpoint of a block, or one inside a result's own blocks.
func (b anthropicBlock) mark() *cacheControl {
	inner, _ := contentBlocks("", b.Content)
	for _, in := range inner {
		if in.CacheControl != nil {
			return in.CacheControl
		}
	}
	return b.CacheControl
}

// unmarked gives a block without its cache_control. The order of its own members
// does not count, as it does not at the provider; what is inside them keeps its
// bytes.
func unmarked(raw json.RawMessage) []byte {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return raw
	}
	delete(members, "cache_control")
	return encode(members)
}

// anthropicModelRequest says the request in our own words, for the script.
func anthropicModelRequest(req *anthropicRequest, system []anthropicBlock) agent.ModelRequest {
	out := agent.ModelRequest{Model: req.Model, Purpose: "generate", MaxTokens: *req.MaxTokens}
	for _, b := range system {
		out.System = append(out.System, agent.Slab{Text: b.Text, Cache: b.CacheControl != nil})
	}
	for _, t := range req.Tools {
		var tool struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Schema      json.RawMessage `json:"input_schema"`
		}
		_ = json.Unmarshal(t, &tool)
		out.Tools = append(out.Tools, agent.ToolSchema{Name: tool.Name, Description: tool.Description, Schema: tool.Schema})
		out.Purpose = "step"
	}
	for _, t := range req.Messages {
		out.Messages = addMessage(out.Messages, agent.ModelRole(t.Role), anthropicBlocks(t.blocks))
	}
	return out
}

func anthropicBlocks(blocks []anthropicBlock) []agent.Block {
	var out []agent.Block
	for _, b := range blocks {
		switch b.Type {
		case "text":
			out = append(out, agent.Block{Kind: agent.BlockText, Text: b.Text})
		case "thinking":
			out = append(out, agent.Block{Kind: agent.BlockReasoning, Text: b.Thinking})
		case "tool_use":
			out = append(out, agent.Block{Kind: agent.BlockCall, WireID: b.ID, Name: b.Name, Input: b.Input})
		case "tool_result":
			inner, _ := contentBlocks("", b.Content)
			var texts []string
			for _, in := range inner {
				texts = append(texts, in.Text)
			}
			out = append(out, agent.Block{Kind: agent.BlockResult, WireID: b.ToolUseID, Text: strings.Join(texts, "\n"), Error: b.IsError})
		}
	}
	return out
}

// addMessage appends a message, or joins it to the last one of the same role.
func addMessage(to []agent.ModelMessage, role agent.ModelRole, blocks []agent.Block) []agent.ModelMessage {
	if n := len(to); n > 0 && to[n-1].Role == role {
		to[n-1].Blocks = append(to[n-1].Blocks, blocks...)
		return to
	}
	return append(to, agent.ModelMessage{Role: role, Blocks: blocks})
}
