package prompt

import (
	"fmt"
	"strings"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// Context gives the text that stands beside a message for the model: what the
// person sees and what they attached. It is written once, kept with the turn and
// repeated byte for byte; so the date may stand here and nowhere else.
func Context(now time.Time, project agent.Project, nouns []agent.Noun, mode string, applied []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<context>\nDate: %s\nOpen project: %s (%s, id %s)\n", now.Format(time.DateOnly), line(project.Title), project.Kind, project.ID)
	if mode == agent.ResponseThorough {
		b.WriteString("The person prefers thorough answers.\n")
	}
	for _, a := range applied {
		fmt.Fprintf(&b, "Already applied earlier, on a branch of this conversation that was left: %s\n", line(a))
	}
	for _, n := range nouns {
		fmt.Fprintf(&b, "Attached %s %s: %s\n", line(n.Kind), line(n.ID), line(n.Title))
		if n.Content != "" {
			b.WriteString("<attached>\n" + strings.ReplaceAll(strings.TrimSpace(n.Content), "</attached", "<\\/attached") + "\n</attached>\n")
		}
	}
	b.WriteString("</context>")
	return b.String()
}

// line keeps a title on its line; a name is material, not layout.
func line(s string) string { return strings.Join(strings.Fields(s), " ") }
