package account

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// quote writes text as a quotation, each line of it.
func (m *markdown) quote(text string) {
	for line := range strings.SplitSeq(lines(text), "\n") {
		m.b.WriteString(strings.TrimRight("> "+line, " ") + "\n")
	}
}

// json writes data in a fence that is longer than any in it.
func (m *markdown) json(data json.RawMessage) {
	if len(data) == 0 || string(data) == "null" || string(data) == "{}" {
		return
	}
	var pretty bytes.Buffer
	if json.Indent(&pretty, data, "", "  ") != nil {
		pretty.Reset()
		pretty.Write(data)
	}
	text := lines(pretty.String())
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	fmt.Fprintf(&m.b, "\n%sjson\n%s\n%s\n", fence, text, fence)
}

// lines makes every line break a LF: Markdown readers know others.
func lines(s string) string {
	return strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n", "\v", "\n", "\f", "\n").Replace(s)
}

// inline makes foreign text safe within a line: one line, nothing that formats.
func inline(s string) string {
	s = strings.ReplaceAll(lines(s), "\n", " ")
	return strings.NewReplacer("\\", "\\\\", "`", "'", "*", "\\*", "_", "\\_", "[", "\\[", "<", "&lt;", "#", "\\#").Replace(s)
}

func clock(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02 15:04 UTC") }

// scriptedProvider is the provider id of the model that needs no provider.
const scriptedProvider = "scripted"

func paidBy(t agent.Turn) string {
	switch t.KeySource {
	case agent.KeySourceNone:
		if t.Provider == scriptedProvider {
			return "no key, scripted answers"
		}
		return "no key"
	case agent.KeySourceOrg:
		return "paid with the organisation's key"
	case agent.KeySourceUser:
		return "paid with your own key"
	case agent.KeySourceUserLocal:
		return "paid with your own key, on this device"
	}
	return "key not recorded"
}
