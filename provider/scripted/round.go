package scripted

import (
	"encoding/json"
	"errors"

	agent "github.com/lossless-group/in-app-agent"
)

// Round is one answer of the model. The members Reasoning, Text, HTML and Calls
// are played in that order; Blocks says another order and then stands alone.
// Strings of a round from a Script may hold references, see Script.
type Round struct {
	// When says which requests the round answers; nil answers all of them.
	When *When `json:"when,omitempty"`
	// Times is how often the round may answer before it is used up; 0 means always.
	Times int `json:"times,omitempty"`
	// Reasoning is a block of thinking before the answer.
	Reasoning Text `json:"reasoning,omitempty"`
	// Text is a block of words for the user.
	Text Text `json:"text,omitempty"`
	// HTML is a block of words that is a slide made from a seed.
	HTML *HTML `json:"html,omitempty"`
	// Calls are capability calls, in one parallel batch.
	Calls []Call `json:"calls,omitempty"`
	// Blocks replaces the four members above where their order matters.
	Blocks []Part `json:"blocks,omitempty"`
	// Stop is why the answer ends; "" means calls where there are any, else end.
	Stop agent.StopReason `json:"stop,omitempty"`
	// Usage is what the round reports; nil means not reported. The fake provider
	// counts by itself and lets members that are given here win.
	Usage *agent.Usage `json:"usage,omitempty"`
	// DelayMs is the time before the first byte, in milliseconds.
	DelayMs int `json:"delayMs,omitempty"`
	// Fault is what goes wrong; nil means nothing.
	Fault *Fault `json:"fault,omitempty"`
}

// When is the condition of a round: every member that is set must hold.
type When struct {
	// LastUser is a regular expression on the last words of the user. Case does
	// not matter, and ^ and $ match at line ends.
	LastUser string `json:"lastUser,omitempty"`
	// LastResult is one, by the same rules, on a result in the last message.
	LastResult string `json:"lastResult,omitempty"`
	// ResultOf names the capability whose result stands in the last message.
	ResultOf string `json:"resultOf,omitempty"`
	// Purpose is "step", "generate" (any one-shot request), or the exact purpose of
	// a one-shot request, which no wire carries.
	Purpose string `json:"purpose,omitempty"`
	// Tool names a capability that must be offered.
	Tool string `json:"tool,omitempty"`
	// Step is the number of this model call since the user spoke, from 1.
	Step int `json:"step,omitempty"`
}

// Part is one block of a round; exactly one member is set.
type Part struct {
	Reasoning Text `json:"reasoning,omitempty"`
	// Redacted is thinking that the provider hides: opaque data. The scripted
	// model itself has no such block and leaves it out.
	Redacted string `json:"redacted,omitempty"`
	Text     Text   `json:"text,omitempty"`
	HTML     *HTML  `json:"html,omitempty"`
	Call     *Call  `json:"call,omitempty"`
}

// Call is one capability call of a round.
type Call struct {
	// Name is the capability's own name, slide.edit, or its wire name.
	Name string `json:"name"`
	// Wire, where set, is the tool name that is sent, byte for byte, whatever is
	// offered: providers have sent names that nobody gave them.
	Wire string `json:"wire,omitempty"`
	// Input is the arguments; nil means an empty object.
	Input json.RawMessage `json:"input,omitempty"`
	// InputText, where set, is sent instead of Input, byte for byte; it need not be
	// JSON.
	InputText string `json:"inputText,omitempty"`
	// ID is the id on the wire; "" mints one that is new in the conversation.
	ID string `json:"id,omitempty"`
}

// Tool gives the tool name as it goes on the wire: that of the offered capability,
// or the name in the form of one where none is offered.
func (c Call) Tool(req agent.ModelRequest) string {
	if c.Wire != "" {
		return c.Wire
	}
	wire, _ := Offered(req, c.Name)
	return wire
}

// Arguments gives the text of the arguments as it goes on the wire.
func (c Call) Arguments() string {
	switch {
	case c.InputText != "":
		return c.InputText
	case len(c.Input) == 0:
		return "{}"
	}
	return string(c.Input)
}

// Text is words, in JSON a string or a list of strings. A single string is cut
// into chunks of a word when it is played; several are played as they stand.
type Text []string

// UnmarshalJSON reads a string or a list of strings.
func (t *Text) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*t = Text{one}
		return nil
	}
	var many []string
	if json.Unmarshal(data, &many) != nil {
		return errors.New("text must be a string or a list of strings")
	}
	*t = many
	return nil
}

// MarshalJSON writes a single string as a string.
func (t Text) MarshalJSON() ([]byte, error) {
	if len(t) == 1 {
		return json.Marshal(t[0])
	}
	return json.Marshal([]string(t))
}

// Parts gives the blocks of the round in the order of play, with HTML made.
func (r Round) Parts() []Part {
	parts := r.Blocks
	if parts == nil {
		if len(r.Reasoning) > 0 {
			parts = append(parts, Part{Reasoning: r.Reasoning})
		}
		if len(r.Text) > 0 {
			parts = append(parts, Part{Text: r.Text})
		}
		if r.HTML != nil {
			parts = append(parts, Part{HTML: r.HTML})
		}
		for i := range r.Calls {
			parts = append(parts, Part{Call: &r.Calls[i]})
		}
	}
	made := make([]Part, len(parts))
	for i, p := range parts {
		if p.HTML != nil {
			p = Part{Text: Text{p.HTML.Slide()}}
		}
		made[i] = p
	}
	return made
}

// StopReason gives Stop, or what follows from the blocks where it is not set.
func (r Round) StopReason() agent.StopReason {
	if r.Stop != "" {
		return r.Stop
	}
	for _, p := range r.Parts() {
		if p.Call != nil {
			return agent.StopCalls
		}
	}
	return agent.StopEnd
}
