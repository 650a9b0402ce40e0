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
	MaxTokens int
}

// noReminders fills the third slab until the org has written something, so that
// the layout of the prompt does not depend on it.
const noReminders = "# Reminders of this organisation\n\nNone are recorded yet."

// Compose gives the request of the turn's next step. The key is the caller's to add.
func Compose(in Input) agent.ModelRequest {
	req := agent.ModelRequest{
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
	for _, rec := range window(in.Path) {
		req.Messages = append(req.Messages, messages(rec, in.Provider)...)
	}
	req.Messages = append(req.Messages, messages(in.Turn, in.Provider)...)
	if n := len(req.Messages); n > 0 {
		req.Messages[n-1].Cache = true
	}
	return req
}

func reminders(files []Reminder) string {
	if len(files) == 0 {
		return noReminders
	}
	sorted := slices.Clone(files)
	slices.SortFunc(sorted, func(a, b Reminder) int { return strings.Compare(a.Name, b.Name) })
	var b strings.Builder
	b.WriteString("# Reminders of this organisation\n")
	for _, f := range sorted {
		b.WriteString("\n## " + f.Name + "\n\n" + strings.TrimSpace(f.Text) + "\n")
	}
	return b.String()
}

// Bounds of the history that is sent. Turns leave in blocks, so that the prefix
// changes once in many turns and the provider's cache survives in between.
const (
	maxHistoryBytes = 480 << 10
	historyBlock    = 16
)

// window drops the oldest turns while the history is too large. Where it begins
// depends on the turns' place in the thread only, so that it stays put for many turns.
func window(path []agent.TurnRecord) []agent.TurnRecord {
	total := 0
	sizes := make([]int, len(path))
	for i, rec := range path {
		sizes[i] = size(rec)
		total += sizes[i]
	}
	from := 0
	for total > maxHistoryBytes && from < len(path) {
		next := from + 1
		for next < len(path) && path[next].Turn.Index%historyBlock != 0 {
			next++
		}
		for ; from < next; from++ {
			total -= sizes[from]
		}
	}
	return path[from:]
}

func size(rec agent.TurnRecord) int {
	n := len(rec.Turn.Message.Text) + len(rec.Turn.Context)
	for _, s := range rec.Steps {
		n += len(s.Raw)
		for _, b := range s.Blocks {
			n += len(b.Text) + len(b.Input)
		}
	}
	for _, c := range rec.Calls {
		if c.Result != nil {
			n += min(len(c.Result.Output), maxResultBytes)
		}
	}
	return n
}
