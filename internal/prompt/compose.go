package prompt

import (
	"slices"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

// Reminder is one of the org's reminder files.
type Reminder struct {
	Name string
	Text string
}

// Input is all that a request is made of.
type Input struct {
	App       string
	Provider  string // id of the adapter that will send it
	Model     string
	Tools     []agent.ToolSchema // of the turn's capabilities, sorted by name
	Reminders []Reminder
	Path      []agent.TurnRecord // the finished turns, oldest first
	Turn      agent.TurnRecord   // the running one
	// Base stands for the turns before those of Path; nil for none.
	Base      *agent.Compaction
	MaxTokens int
	Window    int // what the model can read at once, in tokens; 0 means agent.DefaultWindow
	// Whole gives what a cut at a place of a text must not part, from and to; nil where a
	// cut may be anywhere.
	Whole func(text string, isJSON bool, at int) (from, to int)
}

// noReminders fills the third slab until the org has written something, so that
// the layout of the prompt does not depend on it.
const noReminders = "# Reminders of this organisation\n\nNone are recorded yet."

// Compose gives the request of the turn's next step. The key is the caller's to add.
func Compose(in Input) agent.ModelRequest {
	req := slabs(in)
	req.Messages = conversation(in)
	if n := len(req.Messages); n > 0 {
		req.Messages[n-1].Cache = true
	}
	return req
}

// slabs is the request without its conversation.
func slabs(in Input) agent.ModelRequest {
	return agent.ModelRequest{
		Model:      in.Model,
		Purpose:    "step",
		Tools:      in.Tools,
		CacheTools: len(in.Tools) > 0,
		System: []agent.Slab{
			{Text: Spine(in.App), Cache: true},
			{Text: reminders(in.Reminders), Cache: true},
		},
		MaxTokens: in.MaxTokens,
	}
}

// conversation is the digest of what was compacted, the turns after it, and the
// running one.
func conversation(in Input) []agent.ModelMessage {
	var list []agent.ModelMessage
	lim := limits{in.window(), in.Whole}
	for _, rec := range in.Path {
		list = append(list, messages(rec, in.Provider, lim)...)
	}
	list = append(list, messages(in.Turn, in.Provider, lim)...)
	if in.Base != nil {
		// It stands within the first message of a person, so that no two of one role meet.
		first := &list[0]
		first.Blocks = slices.Insert(slices.Clone(first.Blocks), 0, agent.Block{Kind: agent.BlockText, Text: in.Base.Text})
	}
	return list
}

func reminders(files []Reminder) string {
	sorted := slices.DeleteFunc(slices.Clone(files), func(f Reminder) bool { return strings.TrimSpace(f.Text) == "" })
	if len(sorted) == 0 {
		return noReminders
	}
	slices.SortFunc(sorted, func(a, b Reminder) int { return strings.Compare(a.Name, b.Name) })
	var b strings.Builder
	b.WriteString("# Reminders of this organisation\n")
	for _, f := range sorted {
		b.WriteString("\n## " + f.Name + "\n\n" + strings.TrimSpace(f.Text) + "\n")
	}
	return b.String()
}
