package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"
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
