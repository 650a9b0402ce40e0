package outbound

import (
	"strings"
	"unicode/utf8"

	agent "github.com/lossless-group/in-app-agent"
)

const (
	maxCause   = 400 // bytes of an upstream's words that go to the log
	keyWindow  = 8   // a run of this many key bytes gives the key away
	scrubbedBy = "••••"
)

// Scrub makes an upstream's words fit for a log: every run of 8 or more bytes
// of the key becomes dots, whether the whole key or a piece was echoed; control
// characters become spaces, and the text is cut after 400 bytes.
func Scrub(text string, key agent.Secret) string {
	text = mask(text, key.Reveal())
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == utf8.RuneError {
			return ' '
		}
		return r
	}, text)
	if len(text) <= maxCause {
		return text
	}
	cut := maxCause
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}

func mask(text, key string) string {
	if key == "" {
		return text
	}
	if len(key) < keyWindow {
		return strings.ReplaceAll(text, key, scrubbedBy)
	}
	windows := make(map[string]struct{}, len(key))
	for i := 0; i+keyWindow <= len(key); i++ {
		windows[key[i:i+keyWindow]] = struct{}{}
	}
	var out strings.Builder
	for i, kept := 0, 0; ; i++ {
		if i+keyWindow > len(text) {
			out.WriteString(text[kept:])
			return out.String()
		}
		if _, hit := windows[text[i:i+keyWindow]]; !hit {
			continue
		}
		out.WriteString(text[kept:i])
		out.WriteString(scrubbedBy)
		kept = i + keyWindow
		for kept < len(text) {
			if _, more := windows[text[kept-keyWindow+1:kept+1]]; !more {
				break
			}
			kept++
		}
		i = kept - 1
	}
}
