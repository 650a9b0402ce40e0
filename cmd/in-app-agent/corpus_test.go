package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheConfigurationSaysWhereTheCorpusIs(t *testing.T) {
	t.Setenv("IN_APP_AGENT_CHROMA_TOKEN", "chroma-canary")
	t.Setenv("IN_APP_AGENT_EMBED_KEY", "embed-canary")
	file := filepath.Join(t.TempDir(), "c.yaml")
	write := func(text string) (fileConfig, error) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return common{Config: file}.settings()
	}
	cfg, err := write(`
corpus: {url: "http://127.0.0.1:8000", tenant: client__acme, database: agent}
embed: {baseUrl: "http://127.0.0.1:11434/v1", model: m, dimensions: 768, shorten: true}
`)
	if err != nil {
		t.Fatal(err)
	}
	if c := cfg.Corpus; c.URL != "http://127.0.0.1:8000" || c.Tenant != "client__acme" || c.Database != "agent" || c.Token.Reveal() != "chroma-canary" {
		t.Errorf("%+v", c)
	}
	if e := cfg.Embed; e.BaseURL != "http://127.0.0.1:11434/v1" || e.Model != "m" || e.Dimensions != 768 || !e.Shorten || e.Key.Reveal() != "embed-canary" {
		t.Errorf("%+v", e)
	}
	if cfg, err := write("embed: {folder: models/minilm}"); err != nil || !filepath.IsAbs(cfg.Embed.Folder) || cfg.Corpus != nil {
		t.Errorf("%+v, %v", cfg.Embed, err)
	}
	for name, text := range map[string]string{
		"a token in the file":    `corpus: {url: "http://127.0.0.1:8000", token: x}`,
		"a key in the file":      `embed: {folder: /x, key: x}`,
		"a collection, which no": `corpus: {url: "http://127.0.0.1:8000", collection: x}`,
	} {
		if _, err := write(text); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}

func TestTheDoctorChecksIsolation(t *testing.T) {
	data := filled(t)
	code, stdout, stderr := out(t, "", "doctor", "isolation", "--data", data)
	if code != exitOK || !strings.Contains(stdout, "isolation: 26 searches from 3 orgs") {
		t.Errorf("exit %d %s%s", code, stdout, stderr)
	}
	if code, _, stderr := out(t, "", "doctor", "isolation", "--data", filepath.Join(t.TempDir(), "none")); code != exitFailed {
		t.Errorf("a folder that is not there: exit %d %s", code, stderr)
	}
	file := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(file, []byte(`corpus: {url: "http://127.0.0.1:1"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := out(t, "", "doctor", "isolation", "--data", data, "--config", file); code != exitFailed || !strings.Contains(stderr, "embedder") {
		t.Errorf("Chroma without an embedder: exit %d %s", code, stderr)
	}
}
