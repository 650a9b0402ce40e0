package agent_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

func TestNothingPrintsASecret(t *testing.T) {
	const key = "sk-ant-canary-0123456789"
	s := agent.NewSecret(key)
	hidden := struct{ inner struct{ key agent.Secret } }{}
	hidden.inner.key = s
	open := struct{ Key agent.Secret }{s}
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "key", s, "open", open, "hidden", hidden)
	data, err := json.Marshal(map[string]any{"key": s, "open": open})
	if err != nil {
		t.Fatal(err)
	}
	printed := []string{log.String(), string(data)}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		for _, v := range []any{s, &s, open, &open, hidden, &hidden, []agent.Secret{s}, map[string]agent.Secret{"k": s}} {
			printed = append(printed, fmt.Sprintf(verb, v))
		}
	}
	for _, p := range printed {
		if strings.Contains(p, "canary") || strings.Contains(p, fmt.Sprintf("%x", "canary")) {
			t.Errorf("printed %s", p)
		}
	}
	if s.Reveal() != key || s.LastFour() != "6789" || s.Empty() || !(agent.Secret{}).Empty() || agent.NewSecret("short").LastFour() != "••••" {
		t.Error("the bytes themselves are not what went in")
	}
}
