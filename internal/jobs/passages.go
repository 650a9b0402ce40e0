package jobs

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	agent "github.com/lossless-group/in-app-agent"
)

const (
	maxPiece   = 4 << 10 // bytes of one passage
	maxTitle   = 200
	maxSummary = 300
)

// sourcePath is where a turn lies in client-app-sessions.
func sourcePath(thread agent.ThreadID, row string) string {
	return "sessions/" + string(thread) + "/" + row
}

// passages gives a turn as the corpus keeps it: what was asked, what was answered and
// what was decided, word for word; what the capabilities gave back is left out. A turn
// that came to nothing has none. The words of a conversation choose no title and no
// tag: those are ours.
func passages(d agent.DueTranscript) []agent.Section {
	var out []agent.Section
	for _, text := range pieces(document(d.TranscriptRow)) {
		p := agent.Passage{Text: text, Title: titleOf(d), SourcePath: sourcePath(d.ThreadID, d.ID),
			Date: time.UnixMilli(d.CreatedAt).UTC().Format(time.DateOnly)}
		for _, tag := range []string{d.ProjectKind, d.ProjectID} {
			if tag != "" {
				p.Tags = append(p.Tags, tag)
			}
		}
		out = append(out, agent.Section{Passage: p, Hash: hashOf(p)})
	}
	return out
}

func titleOf(d agent.DueTranscript) string {
	title := short(d.Title, maxTitle)
	if title == "" {
		title = "Conversation"
	}
	return title + " › " + time.UnixMilli(d.CreatedAt).UTC().Format(time.DateOnly)
}

func hashOf(p agent.Passage) string {
	h := sha256.New()
	// An array of strings always encodes, and no two passages to the same bytes.
	_ = json.NewEncoder(h).Encode(append([]string{p.Text, p.Title, p.SourcePath, p.SourceRepo, p.Date}, p.Tags...))
	return hex.EncodeToString(h.Sum(nil))
}

// decided is what a transcript says of a call that a person decided on.
type decided struct {
	Name     string `json:"name"`
	Decision string `json:"decision"`
	Summary  string `json:"summary"`
}

func document(r agent.TranscriptRow) string {
	var parts, lines []string
	var calls []decided
	// A row that was synced from elsewhere may hold anything here; then it says nothing.
	if json.Unmarshal(r.ToolResults, &calls) == nil {
		for _, c := range calls {
			if c.Decision != "" {
				lines = append(lines, strings.TrimRight("- "+short(c.Name, maxTitle)+" ("+short(c.Decision, maxTitle)+"): "+short(c.Summary, maxSummary), ": "))
			}
		}
	}
	answer := strings.TrimSpace(r.ModelMessage)
	if answer == "" && len(lines) == 0 {
		return ""
	}
	if asked := strings.TrimSpace(r.UserMessage); asked != "" {
		parts = append(parts, "Asked:\n\n"+asked)
	}
	if answer != "" {
		parts = append(parts, "Answered:\n\n"+answer)
	}
	if len(lines) > 0 {
		parts = append(parts, "Decided:\n\n"+strings.Join(lines, "\n"))
	}
	return strings.ToValidUTF8(strings.Join(parts, "\n\n"), "\uFFFD")
}

// short gives a text on one line, cut between two runes.
func short(text string, limit int) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " ")
	for len(text) > limit {
		_, size := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-size]
	}
	return strings.TrimSpace(text)
}

// pieces cuts a text into passages between paragraphs, else lines, else words, else
// runes. Nothing but the blanks at a cut is lost.
func pieces(text string) (out []string) {
	for {
		text = strings.TrimSpace(text)
		if len(text) <= maxPiece {
			break
		}
		at := cutPlace(text[:maxPiece+1])
		out = append(out, strings.TrimSpace(text[:at]))
		text = text[at:]
	}
	if text != "" {
		out = append(out, text)
	}
	return out
}

// cutPlace looks for a border in the second half of a text one byte too long.
func cutPlace(text string) int {
	for _, border := range []string{"\n\n", "\n", " "} {
		if at := strings.LastIndex(text, border); at >= len(text)/2 {
			return at
		}
	}
	at := len(text) - 1
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}
