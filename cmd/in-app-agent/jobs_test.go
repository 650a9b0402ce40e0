package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// whileServing runs f beside a running demo.
func whileServing(t *testing.T, f func(), args ...string) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	r, w := io.Pipe()
	done := make(chan int, 1)
	var stderr strings.Builder
	go func() {
		done <- run(ctx, append([]string{"demo", "--listen", "127.0.0.1:0"}, args...), strings.NewReader(""), w, &stderr)
	}()
	line := make([]byte, 200)
	if n, err := r.Read(line); err != nil || !strings.HasPrefix(string(line[:n]), "listening on ") {
		t.Fatalf("%q, %v, %s", line[:n], err, stderr.String())
	}
	f()
	stop()
	if code := <-done; code != exitOK {
		t.Fatalf("exit %d: %s", code, stderr.String())
	}
}

func TestJobsAreListedAndRunBesideARunningServer(t *testing.T) {
	data := dataFolder(t)
	if code, stdout, _ := out(t, "", "jobs", "list", "--data", data); code != exitOK || !strings.Contains(stdout, "start the server once") {
		t.Errorf("before the first start: exit %d %s", code, stdout)
	}
	config := filepath.Join(t.TempDir(), "agent.yaml")
	if err := os.WriteFile(config, []byte("jobs: {at: \"04:30\", zone: Europe/Berlin, every: 12h, off: [clean-branches]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	whileServing(t, func() {
		for job, did := range map[string]string{"ingest-transcripts": "0 turns", "mirror-memory": "0 snapshots", "compact-events": "0 turns"} {
			if code, stdout, stderr := out(t, "", "jobs", "run", job, "--data", data, "--config", config); code != exitOK || !strings.Contains(stdout, job+": "+did) {
				t.Errorf("%s: exit %d %s%s", job, code, stdout, stderr)
			}
		}
		if code, _, stderr := out(t, "", "jobs", "run", "expire", "--data", data); code != exitFailed || !strings.Contains(stderr, "in use") && !strings.Contains(stderr, "another process") && !strings.Contains(stderr, "stop") {
			t.Errorf("expire beside the server: exit %d %s", code, stderr)
		}
	}, "--data", data, "--config", config)
	code, stdout, _ := out(t, "", "jobs", "list", "--data", data, "--config", config)
	want := regexp.MustCompile(`(?s)^NAME +STATE +LAST RUN +TOOK +NEXT RUN +OWNER +MESSAGE\n` +
		`compact-events +done .* UTC +[\d.]+m?s .*job_.*compacted.*\n` +
		`expire +planned +- +- +\S+ \d\d:30 UTC +- +-\n` +
		`ingest-transcripts +done .*0 turns of 0 orgs ingested.*\n` +
		`mirror-memory +done .*0 snapshots and 0 notes changed.*\n$`)
	if code != exitOK || !want.MatchString(stdout) {
		t.Errorf("exit %d\n%s", code, stdout)
	}
}

func TestAScheduleThatCannotBeKeptIsRefusedAtTheStart(t *testing.T) {
	dir := t.TempDir()
	for text, says := range map[string]string{
		`at: "25:00"`: "HH:MM", `at: soon`: "HH:MM", `zone: Atlantis/Centre`: "time zone", `zone: Local`: "time zone", `every: 7h`: "divide a day",
		`off: [sleep]`: "There is no job sleep", `att: "03:00"`: "misspelt",
	} {
		config := filepath.Join(dir, "agent.yaml")
		if err := os.WriteFile(config, []byte("jobs: {"+text+"}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		code, _, stderr := out(t, "", "demo", "--listen", "127.0.0.1:0", "--data", filepath.Join(dir, "data"), "--config", config)
		if code != exitFailed || !strings.Contains(stderr, says) {
			t.Errorf("%s: exit %d %s", text, code, stderr)
		}
	}
	var cfg fileConfig
	config := filepath.Join(dir, "agent.yaml")
	if err := os.WriteFile(config, []byte("jobs: {at: \"01:15\", every: 6h, zone: UTC, off: [expire]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := common{Config: config}.settings()
	if err != nil || cfg.Jobs.At != "01:15" || cfg.Jobs.Every != 6*time.Hour || len(cfg.Jobs.Off) != 1 {
		t.Errorf("%+v, %v", cfg.Jobs, err)
	}
}

func TestAnOrgIsAddedWithItsCollectionsAndMayOptOut(t *testing.T) {
	data := dataFolder(t)
	whileServing(t, func() {
		code, stdout, stderr := out(t, "", "orgs", "add", "acme", "--name", "Acme", "--billing", "paying", "--data", data)
		if code != exitOK || stdout != "acme: added, paying; its tenant client__acme has client-app-sessions, agent-cache, reminders-snapshots\n" {
			t.Errorf("exit %d %s%s", code, stdout, stderr)
		}
		for _, tenant := range []string{"client__acme", "lossless__global"} {
			if _, err := os.Stat(filepath.Join(data, "corpus", "tenant-"+tenant+".db")); err != nil {
				t.Error(err)
			}
		}
		if code, stdout, _ := out(t, "", "orgs", "add", "acme", "--data", data); code != exitOK || !strings.Contains(stdout, "is there already") {
			t.Errorf("added again: exit %d %s", code, stdout)
		}
		if _, stdout, _ := out(t, "", "orgs", "list", "--data", data); !regexp.MustCompile(`(?m)^acme +Acme +paying `).MatchString(stdout) {
			t.Errorf("the orgs are\n%s", stdout)
		}
		for _, slug := range []string{"Acme", "1st", "a--b", "../x", strings.Repeat("a", 33)} {
			if code, _, stderr := out(t, "", "orgs", "add", slug, "--data", data); code != exitFailed || !strings.Contains(stderr, "at most 32") {
				t.Errorf("%q: exit %d %s", slug, code, stderr)
			}
		}
		if code, _, _ := out(t, "", "orgs", "opt-out", "acme", "--data", data); code != exitOK {
			t.Errorf("opt-out: exit %d", code)
		}
		if _, stdout, _ := out(t, "", "jobs", "run", "ingest-transcripts", "--data", data); !strings.Contains(stdout, "1 org opted out") {
			t.Errorf("with an org that is out: %s", stdout)
		}
		if code, _, _ := out(t, "", "orgs", "opt-in", "acme", "--data", data); code != exitOK {
			t.Errorf("opt-in: exit %d", code)
		}
		if _, stdout, _ := out(t, "", "jobs", "run", "ingest-transcripts", "--data", data); strings.Contains(stdout, "opted out") {
			t.Errorf("with none that is out: %s", stdout)
		}
		if code, _, stderr := out(t, "", "orgs", "opt-out", "nobody", "--data", data); code != exitFailed || !strings.Contains(stderr, "There are: ") {
			t.Errorf("an unknown org: exit %d %s", code, stderr)
		}
	}, "--data", data)
}
