package prompt

import agent "github.com/lossless-group/in-app-agent"

// Tokens are estimated from bytes, and rather too many than too few: three bytes a
// token is more than English or JSON need, and about right for scripts whose letters
// take three bytes. The estimate needs no model and is the same everywhere.
const (
	bytesPerToken = 3
	blockBytes    = 48 // around a block: its kind, its ids
)

func tokens(bytes int) int { return (bytes + bytesPerToken - 1) / bytesPerToken }

// weigh estimates the tokens of messages.
func weigh(list []agent.ModelMessage) int {
	n := 0
	for _, m := range list {
		n += messageBytes(m)
	}
	return tokens(n)
}

func messageBytes(m agent.ModelMessage) int {
	n := blockBytes
	if m.Raw != nil {
		return n + len(m.Raw)
	}
	for _, b := range m.Blocks {
		n += blockBytes + len(b.Text) + len(b.Name) + len(b.Input)
	}
	return n
}

// weighSlabs estimates what stands before the conversation.
func weighSlabs(req agent.ModelRequest) int {
	n := 0
	for _, t := range req.Tools {
		n += blockBytes + len(t.Name) + len(t.Description) + len(t.Schema)
	}
	for _, s := range req.System {
		n += blockBytes + len(s.Text)
	}
	return tokens(n)
}

// room is how a model's window is shared out, in tokens.
type room struct {
	window int
	out    int // for the answer
}

// RoomFor gives how many tokens an answer may have in a window: what is wanted, and
// at most a quarter of it.
func RoomFor(wanted, window int) int { return min(wanted, window/4) }

func roomOf(in Input) room {
	return room{window: in.window(), out: in.MaxTokens}
}

// high is where a conversation is compacted, low what it is compacted to. Between
// the two lie many turns, so that the prefix stays as it is for as long.
func (r room) high() int { return (r.window - r.out) * 4 / 5 }
func (r room) low() int  { return (r.window - r.out) / 2 }

// fits tells whether a request of so many estimated tokens may fit. The estimate is
// too high by a quarter and more, so that what it calls too large by less is sent:
// the provider knows better.
func (r room) fits(estimate int) bool { return estimate*3/4 <= r.window-r.out }

// window is the model's, or the default one.
func (in Input) window() int {
	if in.Window > 0 {
		return in.Window
	}
	return agent.DefaultWindow
}
