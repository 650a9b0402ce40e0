package capability

import (
	"encoding/json"
	"fmt"
	"slices"

	agent "github.com/lossless-group/in-app-agent"
)

// The limits of a result.
const (
	MaxOutputBytes  = 256 << 10
	MaxSummaryBytes = 4 << 10
	MaxPropsBytes   = 64 << 10
	maxErrorBytes   = 8 << 10
	// headBytes of an output that is too long are kept; escaped they still fit.
	headBytes = 32 << 10
)

// result gives a function that turns what guard gave into a result within bounds.
func (e *entry) result(call *agent.Call, phase agent.Phase) func(agent.Result, *agent.ResultError) agent.Result {
	return func(res agent.Result, failed *agent.ResultError) agent.Result {
		if failed != nil {
			return agent.Result{Error: failed}
		}
		return e.bound(call, phase, res)
	}
}

// bound makes a result what the rest of the turn relies on: OK exactly when
// there is no error, JSON where JSON is meant, and nothing over its limit.
func (e *entry) bound(call *agent.Call, phase agent.Phase, res agent.Result) agent.Result {
	if res.Error != nil {
		return agent.Result{Error: told(&agent.Error{Code: res.Error.Code, Message: res.Error.Message, Pointer: res.Error.Pointer})}
	}
	if !res.OK && res.Output == nil && res.Preview == nil {
		return agent.Result{Error: e.failure(fmt.Errorf("%s gave no result at all", e.Name), call, phase)}
	}
	res.OK = true
	if len(res.Output) > 0 && !json.Valid(res.Output) {
		return agent.Result{Error: e.failure(fmt.Errorf("the output of %s is not JSON", e.Name), call, phase)}
	}
	if len(res.Output) > MaxOutputBytes {
		res.Output = shorten(res.Output)
	}
	if problem := display(&res); problem != "" {
		call.Log.Warn("display hint dropped", "capability", e.Name, "call", call.ID, "why", problem)
		res.Display = nil
	}
	if res.Preview != nil {
		if problem := overfull(*res.Preview); problem != "" {
			return refused(agent.CodeToolError, "%s made a preview that cannot be shown: %s. Ask for less at once.", e.Name, problem)
		}
		p := *res.Preview
		p.Summary = clip(p.Summary, MaxSummaryBytes)
		res.Preview = &p
	}
	return res
}

// shorten replaces an output that is too long by valid JSON that says so.
func shorten(output json.RawMessage) json.RawMessage {
	raw, err := json.Marshal(struct {
		Truncated bool   `json:"truncated"`
		Note      string `json:"note"`
		Bytes     int    `json:"bytes"`
		Head      string `json:"head"`
	}{true, "The output was too long and is cut off; head is its beginning. Ask for less at once.", len(output),
		clip(string(output[:headBytes]), headBytes)})
	if err != nil { // strings and numbers always encode
		return json.RawMessage(`{"truncated":true}`)
	}
	return raw
}

var layouts = []string{"inline", "panel", "full"}

func display(res *agent.Result) (problem string) {
	d := res.Display
	switch {
	case d == nil:
		return ""
	case d.Mount == "":
		return "no mount"
	case !slices.Contains(layouts, d.Layout):
		return "unknown layout " + clip(d.Layout, 40)
	case len(d.Props) > MaxPropsBytes:
		return "props are too long"
	case len(d.Props) > 0 && !json.Valid(d.Props):
		return "props are not JSON"
	}
	return ""
}

func overfull(p agent.Preview) (problem string) {
	if len(p.Artifacts) > agent.MaxArtifacts {
		return fmt.Sprintf("it has %d artifacts, and %d is the limit", len(p.Artifacts), agent.MaxArtifacts)
	}
	for _, a := range p.Artifacts {
		if size := max(len(a.Text), len(a.Data)); size > agent.MaxArtifactBytes {
			return fmt.Sprintf("the artifact %q has %d bytes, and %d is the limit", clip(a.Title, 80), size, agent.MaxArtifactBytes)
		}
	}
	return ""
}
