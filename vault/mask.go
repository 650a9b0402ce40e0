package vault

import (
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

// knownPrefixes are the public beginnings of keys, longest first. Nothing else of
// a key's beginning is ever shown.
var knownPrefixes = []string{"sk-svcacct-", "sk-proj-", "sk-ant-", "sk-or-", "gsk_", "xai-", "AIza", "sk-"}

// minShown is the shortest key of which a prefix is shown: of a shorter one, too
// little would be left hidden.
const minShown = 20

func prefix(key agent.Secret) string {
	s := key.Reveal()
	if len(s) < minShown {
		return ""
	}
	for _, p := range knownPrefixes {
		if strings.HasPrefix(s, p) {
			return p
		}
	}
	return ""
}

// info gives the masked metadata of a row, such as sk-ant-…••••AB12.
func info(row agent.KeyRow) agent.KeyInfo {
	masked := "••••"
	if row.LastFour != masked {
		masked += row.LastFour
	}
	if row.Prefix != "" {
		masked = row.Prefix + "…" + masked
	}
	return agent.KeyInfo{
		ID: row.ID, Provider: row.Provider, Label: row.Label, Masked: masked,
		LastFour: row.LastFour, CreatedAt: row.CreatedAt, LastUsedAt: row.LastUsedAt,
	}
}
