package fake

import "strings"

// pairs holds each tool_use to exactly one tool_result at the start of the next
// message, and each tool_result to a tool_use before it.
func (c *anthropicCheck) pairs() *apiError {
	all := map[string]bool{}
	var open []string // ids that the message before asked for
	for i, t := range c.turns {
		if t.Role == "user" {
			if e := answers(i, t.blocks, open); e != nil {
				return e
			}
			open = nil
			continue
		}
		for j, b := range t.blocks {
			if b.Type != "tool_use" {
				continue
			}
			if all[b.ID] {
				return invalid("messages.%d.content.%d: `tool_use` ids must be unique", i, j)
			}
			all[b.ID] = true
			open = append(open, b.ID)
		}
	}
	return nil
}

// answers checks the user message that follows a message with open ids.
func answers(i int, blocks []anthropicBlock, open []string) *apiError {
	given := map[string]bool{}
	known := map[string]bool{}
	for _, id := range open {
		known[id] = true
	}
	leading := true
	for j, b := range blocks {
		if b.Type != "tool_result" {
			leading = false
			continue
		}
		switch {
		case !known[b.ToolUseID]:
			return invalid("messages.%d.content.%d: unexpected `tool_use_id` found in `tool_result` blocks: %s. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.", i, j, b.ToolUseID)
		case given[b.ToolUseID]:
			return invalid("messages.%d.content.%d: each tool_use must have a single result. Found multiple `tool_result` blocks with id: %s", i, j, b.ToolUseID)
		case leading:
			given[b.ToolUseID] = true
		}
	}
	var missing []string
	for _, id := range open {
		if !given[id] {
			missing = append(missing, id)
		}
	}
	if len(missing) > 0 {
		return invalid("messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after: %s. Each `tool_use` block must have a corresponding `tool_result` block in the next message.", i-1, strings.Join(missing, ", "))
	}
	return nil
}

// mark counts a breakpoint.
func (c *anthropicCheck) mark(cc *cacheControl) {
	if cc != nil {
		c.marks++
		c.hours = append(c.hours, cc.TTL == "1h")
		c.odd = c.odd || cc.Type != "ephemeral" || !contains([]string{"", "5m", "1h"}, cc.TTL)
	}
}

func (c *anthropicCheck) breakpoints() *apiError {
	c.mark(c.req.CacheControl)
	if c.marks > maxMarks {
		return invalid("A maximum of %d blocks with cache_control may be provided. Found %d.", maxMarks, c.marks)
	}
	if c.odd {
		return invalid("cache_control: Input should be {\"type\": \"ephemeral\"} with a ttl of '5m' or '1h'")
	}
	short := false
	for _, hour := range c.hours {
		if hour && short {
			return invalid("a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: `tools`, `system`, `messages`.")
		}
		short = short || !hour
	}
	return nil
}
