package prompt

import (
	"encoding/json"
	"fmt"
	"slices"

	agent "github.com/lossless-group/in-app-agent"
)

// messages gives one turn as a provider may replay it: always valid, every call
// with exactly one result, whatever was cancelled or killed.
func messages(rec agent.TurnRecord, provider string, lim limits) []agent.ModelMessage {
	out := []agent.ModelMessage{userMessage(rec, lim)}
	for _, step := range rec.Steps {
		calls := callsOf(rec.Calls, step.Index)
		msg, keepWire := assistantMessage(step, calls, provider)
		if len(msg.Blocks) == 0 && msg.Raw == nil {
			continue
		}
		out = append(out, msg)
		if len(calls) == 0 {
			continue
		}
		results := agent.ModelMessage{Role: agent.RoleUser}
		limit := lim.result(len(calls))
		if step.Index < rec.Turn.CutBefore {
			limit = min(limit, shortResultBytes)
		}
		for _, c := range calls {
			results.Blocks = append(results.Blocks, resultBlock(c, keepWire, lim, limit))
		}
		out = append(out, results)
	}
	return out
}

func userMessage(rec agent.TurnRecord, lim limits) agent.ModelMessage {
	t := rec.Turn
	msg := agent.ModelMessage{Role: agent.RoleUser}
	if t.By == "hand" {
		return agent.ModelMessage{Role: agent.RoleUser, Blocks: []agent.Block{{Kind: agent.BlockText, Text: byHand(rec)}}}
	}
	if t.Context != "" {
		msg.Blocks = append(msg.Blocks, agent.Block{Kind: agent.BlockText, Text: lim.headAndTail(t.Context, false, lim.context())})
	}
	msg.Blocks = append(msg.Blocks, agent.Block{Kind: agent.BlockText, Text: t.Message.Text})
	return msg
}

// byHand tells the model what a person did without it.
func byHand(rec agent.TurnRecord) string {
	outcome := "It did not happen."
	for _, c := range rec.Calls {
		if c.Result != nil && c.Result.OK {
			outcome = "It happened."
		} else if c.Result != nil && c.Result.Error != nil {
			outcome = fmt.Sprintf("It was refused (%s).", c.Result.Error.Code)
		}
	}
	return fmt.Sprintf("<by-hand>The person did this themselves, without you. %s %s</by-hand>", line(rec.Turn.Message.Text), outcome)
}

// callsOf gives the calls that the model made in a step. One that a person edited
// has the result of what it was edited to.
func callsOf(calls []agent.CallRecord, step int) []agent.CallRecord {
	var out []agent.CallRecord
	for _, c := range calls {
		if c.Step == step && c.Parent == "" {
			c.Result = finalResult(calls, c)
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b agent.CallRecord) int { return a.Index - b.Index })
	return out
}

func finalResult(calls []agent.CallRecord, c agent.CallRecord) *agent.Result {
	for _, child := range calls {
		if child.Parent != c.ID {
			continue
		}
		result := finalResult(calls, child)
		if result == nil || !result.OK || failed(c) || failed(child) {
			return result // an edit that did not work was undone: the change is as it was
		}
		edited := *result
		edited.Output = wrapEdited(child.Input, result.Output)
		return &edited
	}
	return c.Result
}

func failed(c agent.CallRecord) bool { return c.Result != nil && !c.Result.OK }

func wrapEdited(input, output json.RawMessage) json.RawMessage {
	data, err := json.Marshal(map[string]any{"editedByThePerson": input, "result": output})
	if err != nil {
		return output
	}
	return data
}

// assistantMessage replays a step. The provider's own bytes go back to the same
// provider only; anyone else gets the neutral blocks, without reasoning, under
// our call ids.
func assistantMessage(step agent.Step, calls []agent.CallRecord, provider string) (agent.ModelMessage, bool) {
	same := step.Provider == provider
	msg := agent.ModelMessage{Role: agent.RoleAssistant, Provider: step.Provider}
	if same {
		msg.Raw = step.Raw
	}
	n := 0
	for _, b := range step.Blocks {
		switch b.Kind {
		case agent.BlockReasoning:
			continue
		case agent.BlockText:
			if b.Text == "" {
				continue
			}
		case agent.BlockCall:
			if n >= len(calls) {
				// A call that was cut with its answer never ran and has no record.
				continue
			}
			if !same {
				b.WireID = string(calls[n].ID)
			}
			if name := replayable(b.Name); name != b.Name {
				b.Name, msg.Raw = name, nil
			}
			b.Input = parsable(b.Input)
			n++
		}
		msg.Blocks = append(msg.Blocks, b)
	}
	return msg, same
}

// parsable keeps a provider from refusing the history because the model once
// wrote arguments that do not parse; the model has read the refusal anyway.
func parsable(input json.RawMessage) json.RawMessage {
	var object map[string]json.RawMessage
	if json.Unmarshal(input, &object) == nil && object != nil {
		return input
	}
	return json.RawMessage("{}")
}

// maxToolName is the longest tool name that every provider takes.
const maxToolName = 64

// replayable gives a tool name that every provider takes back. A model may call a
// capability by a name that nobody gave it, such as multi_tool_use.parallel; it has
// read the refusal, but the provider would refuse the whole history for that name.
func replayable(name string) string {
	clean := []byte(nil)
	for _, r := range name {
		if !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == '-') {
			r = '_'
		}
		if clean = append(clean, byte(r)); len(clean) == maxToolName {
			break
		}
	}
	if len(clean) == 0 {
		return "_"
	}
	return string(clean)
}

func resultBlock(c agent.CallRecord, keepWire bool, lim limits, limit int) agent.Block {
	b := agent.Block{Kind: agent.BlockResult, WireID: string(c.ID)}
	if keepWire {
		b.WireID = c.WireID
	}
	result := c.Result
	if result == nil {
		result = &agent.Result{Error: &agent.ResultError{
			Code: agent.CodeNotExecuted, Message: "This call was not executed.",
		}}
	}
	b.Error = !result.OK
	b.Text = hedged(c.Capability, lim.resultText(*result, limit), result.OK)
	return b
}
