package fake

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// maxMarks is how many cache breakpoints a request may hold.
const maxMarks = 4

var (
	toolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	callName = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)
)

// anthropicCheck refuses what the Messages API refuses, in its words.
type anthropicCheck struct {
	req    *anthropicRequest
	system []anthropicBlock
	strict bool
	turns  []anthropicTurn // the messages, those of one role joined
	marks  int
	hours  []bool // of each breakpoint, whether it lives an hour
	odd    bool   // a breakpoint of an unknown type or time
}

func (c *anthropicCheck) all() *apiError {
	for _, check := range []func() *apiError{c.basics, c.roles, c.tools, c.content, c.pairs, c.breakpoints} {
		if e := check(); e != nil {
			return e
		}
	}
	return nil
}

func (c *anthropicCheck) basics() *apiError {
	r := c.req
	switch {
	case r.Model == "":
		return invalid("model: Field required")
	case r.MaxTokens == nil:
		return invalid("max_tokens: Field required")
	case *r.MaxTokens < 1:
		return invalid("max_tokens: Input should be greater than or equal to 1")
	case len(r.Messages) == 0:
		return invalid("messages: at least one message is required")
	case r.Thinking != nil && r.Thinking.Type == "enabled" && r.Thinking.Budget < 1024:
		return invalid("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024")
	case r.Thinking != nil && r.Thinking.Type == "enabled" && r.Thinking.Budget >= *r.MaxTokens:
		return invalid("`max_tokens` must be greater than `thinking.budget_tokens`")
	}
	return nil
}

func (c *anthropicCheck) roles() *apiError {
	for i, t := range c.req.Messages {
		switch t.Role {
		case "user", "assistant":
		default:
			return invalid("messages: Unexpected role %q. Allowed roles are \"user\" or \"assistant\"", t.Role)
		}
		n := len(c.turns)
		if n == 0 || c.turns[n-1].Role != t.Role {
			c.turns = append(c.turns, anthropicTurn{Role: t.Role, blocks: slices.Clone(t.blocks)})
			continue
		}
		if c.strict {
			return invalid("messages: roles must alternate between \"user\" and \"assistant\", but found multiple %q roles in a row at messages.%d", t.Role, i)
		}
		c.turns[n-1].blocks = append(c.turns[n-1].blocks, t.blocks...)
	}
	if c.turns[0].Role != "user" {
		return invalid("messages: first message must use the \"user\" role")
	}
	if c.turns[len(c.turns)-1].Role != "user" {
		return invalid("This model does not support assistant message prefill. The conversation must end with a user message.")
	}
	return nil
}

func (c *anthropicCheck) tools() *apiError {
	names := map[string]bool{}
	for i, raw := range c.req.Tools {
		var t struct {
			Name         string          `json:"name"`
			Type         string          `json:"type"`
			Schema       json.RawMessage `json:"input_schema"`
			CacheControl *cacheControl   `json:"cache_control"`
		}
		if err := json.Unmarshal(raw, &t); err != nil {
			return invalid("tools.%d: Input should be a valid dictionary", i)
		}
		if !toolName.MatchString(t.Name) {
			return invalid("tools.%d.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'", i)
		}
		if names[t.Name] {
			return invalid("tools: Tool names must be unique.")
		}
		names[t.Name] = true
		if e := checkInputSchema(i, t.Schema); e != nil {
			return e
		}
		c.mark(t.CacheControl)
	}
	return nil
}

func checkInputSchema(i int, raw json.RawMessage) *apiError {
	var schema map[string]json.RawMessage
	if json.Unmarshal(raw, &schema) != nil || schema == nil {
		return invalid("tools.%d.custom.input_schema: Field required", i)
	}
	if string(schema["type"]) != `"object"` {
		return invalid("tools.%d.custom.input_schema.type: Input should be 'object'", i)
	}
	for _, word := range []string{"oneOf", "allOf", "anyOf"} {
		if _, ok := schema[word]; ok {
			return invalid("tools.%d.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level", i)
		}
	}
	return nil
}

func (c *anthropicCheck) content() *apiError {
	for i, b := range c.system {
		if b.Type != "text" || b.Text == "" {
			return invalid("system.%d: text content blocks must be non-empty", i)
		}
		c.mark(b.CacheControl)
	}
	for i, t := range c.req.Messages {
		if len(t.blocks) == 0 {
			return invalid("messages.%d: all messages must have non-empty content except for the optional final assistant message", i)
		}
		for j, b := range t.blocks {
			if e := c.block(at("messages.%d.content.%d", i, j), t.Role, b); e != nil {
				return e
			}
		}
	}
	return nil
}

func (c *anthropicCheck) block(where, role string, b anthropicBlock) *apiError {
	switch b.Type {
	case "text":
		if b.Text == "" {
			return invalid("messages: text content blocks must be non-empty")
		}
		if strings.TrimSpace(b.Text) == "" {
			return invalid("messages: text content blocks must contain non-whitespace text")
		}
	case "thinking", "redacted_thinking":
		if b.CacheControl != nil {
			return invalid("%s.%s.cache_control: Extra inputs are not permitted", where, b.Type)
		}
		if role != "assistant" {
			return invalid("%s: `%s` blocks can only be used in `assistant` messages", where, b.Type)
		}
		if b.Type == "thinking" && b.Signature != sign(b.Thinking) {
			return invalid("%s: Invalid `signature` in `thinking` block", where)
		}
	case "tool_use":
		if role != "assistant" {
			return invalid("%s: `tool_use` blocks can only be in `assistant` messages", where)
		}
		return c.toolUse(where, b)
	case "tool_result":
		if role != "user" {
			return invalid("%s: `tool_result` blocks can only be in `user` messages", where)
		}
		return c.toolResult(where, b)
	case "image", "document", "search_result":
	default:
		return invalid("%s: Input tag '%s' found using 'type' does not match any of the expected tags", where, b.Type)
	}
	c.mark(b.CacheControl)
	return nil
}

func (c *anthropicCheck) toolUse(where string, b anthropicBlock) *apiError {
	if !callName.MatchString(b.ID) {
		return invalid("%s.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'", where)
	}
	if !toolName.MatchString(b.Name) {
		return invalid("%s.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'", where)
	}
	var input map[string]json.RawMessage
	if json.Unmarshal(b.Input, &input) != nil || input == nil {
		return invalid("%s.tool_use.input: Input should be a valid dictionary", where)
	}
	c.mark(b.CacheControl)
	return nil
}

func (c *anthropicCheck) toolResult(where string, b anthropicBlock) *apiError {
	inner, e := contentBlocks(where+".tool_result.content", b.Content)
	if e != nil {
		return e
	}
	for _, in := range inner {
		if in.Type == "text" && in.Text == "" && string(b.Content) != `""` {
			return invalid("messages: text content blocks must be non-empty")
		}
		c.mark(in.CacheControl)
	}
	c.mark(b.CacheControl)
	return nil
}
