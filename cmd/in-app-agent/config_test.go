package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

func TestTheConfigurationSaysHowPeopleHearOfApprovals(t *testing.T) {
	t.Setenv("IN_APP_AGENT_MAIL_PASSWORD", "mail-canary")
	t.Setenv("IN_APP_AGENT_WEBHOOK_SECRET", "hook-canary")
	file := filepath.Join(t.TempDir(), "c.yaml")
	write := func(text string) (fileConfig, error) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return common{Config: file}.settings()
	}
	cfg, err := write(`
approvals:
  baseUrl: https://agent.example
  loginUrl: https://app.example/login
  after: 90s
  life: 2h
  mail: {server: "mail.example:587", from: a@b.example, user: u, security: tls}
  webhook: {url: "https://hook.example/x", private: true}
`)
	if err != nil {
		t.Fatal(err)
	}
	a := cfg.Approvals
	if a.BaseURL != "https://agent.example" || a.LoginURL != "https://app.example/login" || a.After != 90*time.Second || a.Life != 2*time.Hour {
		t.Errorf("%+v", a)
	}
	if m := a.Mail; m.Server != "mail.example:587" || m.From != "a@b.example" || m.User != "u" || m.Security != "tls" || m.Password.Reveal() != "mail-canary" {
		t.Errorf("%+v", m)
	}
	if h := a.Webhook; h.URL != "https://hook.example/x" || !h.Private || h.Secret.Reveal() != "hook-canary" {
		t.Errorf("%+v", h)
	}
	for name, text := range map[string]string{
		"a password in the file": "approvals: {mail: {server: \"m:25\", from: a@b.example, password: x}}",
		"a secret in the file":   "approvals: {webhook: {url: \"https://h.example\", secret: x}}",
		"a word that is none":    "approvals: {smtp: {server: \"m:25\"}}",
		"a time that is none":    "approvals: {after: soon}",
	} {
		if _, err := write(text); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
	if cfg, err := write("model: {default: scripted}"); err != nil || cfg.Approvals != nil {
		t.Errorf("%+v, %v", cfg.Approvals, err)
	}
}

func TestAConfigurationIsRefusedInItsOwnWords(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.yaml")
	for says, text := range map[string]string{
		"not known: modell.":                   "modell: {default: x}",
		"not known: approvals.smtp, model.def": "model: {def: x}\napprovals: {smtp: {}}",
		"not known: providers[0].kind2":        "providers: [{id: a, kind2: x}]",
		"approvals.after":                      "approvals: {after: soon}",
		"model":                                "model: [x]",
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := common{Config: file}.settings()
		var e *agent.Error
		if !errors.As(err, &e) || !strings.Contains(e.Message, says) || e.Hint == "" || strings.ContainsAny(e.Message, "'\n*") || strings.Contains(e.Message, "decoding") || strings.Contains(e.Message, "invalid keys") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestAnAddressThatCannotBeUsedIsNamedWithWhereItWasGiven(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(file, []byte("providers: [{id: local, kind: openai, baseUrl: \"localhost:11434\", models: [qwen3]}]"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		env, config string
		says, not   string
	}{
		"a variable":       {"foo", "", `"foo" in IN_APP_AGENT_ANTHROPIC_BASE_URL is refused: the scheme`, "  "},
		"without a host":   {"http://", "", `"http://" in IN_APP_AGENT_ANTHROPIC_BASE_URL is refused: the address names no host`, "  "},
		"with credentials": {"http://u:canary@h/", "", "IN_APP_AGENT_ANTHROPIC_BASE_URL is refused: the address carries credentials", "canary"},
		"with a query":     {"ftp://h/?key=canary", "", "IN_APP_AGENT_ANTHROPIC_BASE_URL is refused", "canary"},
		"the file":         {"", file, `"localhost:11434" in baseUrl in ` + file, "  "},
	} {
		t.Setenv("IN_APP_AGENT_ANTHROPIC_BASE_URL", c.env)
		code, _, stderr := out(t, "", "demo", "--listen", "127.0.0.1:0", "--data", t.TempDir(), "--config="+c.config)
		if c.config == "" {
			code, _, stderr = out(t, "", "demo", "--listen", "127.0.0.1:0", "--data", t.TempDir())
		}
		if code != exitFailed || !strings.Contains(stderr, c.says) || strings.Contains(stderr, c.not) {
			t.Errorf("%s: exit %d: %s", name, code, stderr)
		}
	}
}
