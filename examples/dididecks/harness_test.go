package dididecks

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/examples/dididecks/brain"
	"github.com/lossless-group/in-app-agent/examples/dididecks/gitrepo"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

var (
	ana = agent.Principal{UserID: "u1", UserName: "Ana", OrgID: "o1", OrgSlug: "one", Tier: agent.TierUser}
	bo  = agent.Principal{UserID: "u2", UserName: "Bo", OrgID: "o2", OrgSlug: "two", Tier: agent.TierUser}
)

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// newApp opens a deck for the orgs one and two with the clock at noon.
func newApp(tb testing.TB, o Options) *App {
	tb.Helper()
	if o.DataDir == "" {
		o.DataDir = tb.TempDir()
	}
	if o.Orgs == nil {
		o.Orgs = []string{"one", "two"}
	}
	if o.Now == nil {
		o.Now = func() time.Time { return noon }
	}
	a, err := Open(tb.Context(), o)
	must(tb, err)
	return a
}

// plainDeck makes a folder with ten slides, each with a style sheet, as a git
// repository on the branch work.
func plainDeck(tb testing.TB) string {
	tb.Helper()
	dir := tb.TempDir()
	must(tb, os.MkdirAll(filepath.Join(dir, "slides"), 0o755))
	must(tb, os.WriteFile(filepath.Join(dir, "deck.yaml"), []byte("title: Plain\n"), 0o644))
	for _, n := range []string{"01", "02", "03", "04", "05", "06", "07", "08", "09", "10"} {
		html := "<section>\n  <h2>Slide " + n + "</h2>\n  <p>We leverage synergy.</p>\n</section>\n"
		must(tb, os.WriteFile(filepath.Join(dir, "slides", n+"-s.html"), []byte(html), 0o644))
	}
	userGit(tb, dir, "init", "-q", "-b", "work")
	userGit(tb, dir, "add", ".")
	userGit(tb, dir, "commit", "-qm", "begin")
	return dir
}

func userGit(tb testing.TB, dir string, args ...string) string {
	tb.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(gitrepo.Environment(), "GIT_AUTHOR_NAME=U", "GIT_AUTHOR_EMAIL=u@x", "GIT_COMMITTER_NAME=U", "GIT_COMMITTER_EMAIL=u@x")
	out, err := cmd.CombinedOutput()
	if err != nil {
		tb.Fatalf("git %v: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// capabilityOf gives a capability by name.
func capabilityOf(tb testing.TB, a *App, name string) agent.Capability {
	tb.Helper()
	for _, c := range a.Capabilities() {
		if c.Name == name {
			return c
		}
	}
	tb.Fatalf("there is no %s", name)
	return agent.Capability{}
}

// newCall makes a call as the engine would; Generate asks the scripted brain.
func newCall(p agent.Principal, name, id string, input any) *agent.Call {
	raw, err := json.Marshal(input)
	if err != nil {
		panic(err)
	}
	return &agent.Call{
		ID: agent.CallID(id), Turn: "turn_1", Capability: name, Input: raw, Principal: p,
		Project: agent.Project{ID: DemoDeckID, Kind: ProjectKind}, Key: "turn_1/" + id + "/apply",
		Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return noon },
		Progress: func(agent.CapabilityProgress) {},
		Generate: func(_ context.Context, r agent.GenerateRequest) (string, error) {
			round, err := brain.Brain().Round(agent.ModelRequest{Purpose: r.Purpose, Messages: []agent.ModelMessage{{
				Role: agent.RoleUser, Blocks: []agent.Block{{Kind: agent.BlockText, Text: r.Prompt}},
			}}})
			return round.Text.String(), err
		},
	}
}

// say makes Generate answer a text.
func say(call *agent.Call, text string) {
	call.Generate = func(context.Context, agent.GenerateRequest) (string, error) { return text, nil }
}

// shown runs a confirming capability to its preview and gives the receipt that the
// engine would store, by way of its JSON.
func shown(tb testing.TB, a *App, call *agent.Call) agent.Receipt {
	tb.Helper()
	r, err := show1(tb.Context(), a, call)
	must(tb, err)
	return r
}

func show1(ctx context.Context, a *App, call *agent.Call) (agent.Receipt, error) {
	var c agent.Capability
	for _, known := range a.Capabilities() {
		if known.Name == call.Capability {
			c = known
		}
	}
	res, err := c.Resources(ctx, call)
	if err != nil {
		return agent.Receipt{}, err
	}
	result, err := c.Handler(ctx, call)
	if err != nil {
		return agent.Receipt{}, err
	}
	return agent.Receipt{ID: "rcpt_" + agent.ReceiptID(call.ID), CallID: call.ID, Capability: call.Capability, TurnID: call.Turn, Input: call.Input, Resources: res, Preview: *result.Preview}, nil
}

func accept(tb testing.TB, a *App, call *agent.Call, r agent.Receipt) (applied, error) {
	tb.Helper()
	result, err := capabilityOf(tb, a, call.Capability).Apply(tb.Context(), call, r)
	var out applied
	if err == nil {
		must(tb, json.Unmarshal(result.Output, &out))
	}
	return out, err
}

func snapshotFiles(tb testing.TB, d *Deck) map[string]string {
	tb.Helper()
	snap, err := d.Snapshot(tb.Context())
	must(tb, err)
	files := map[string]string{}
	for _, p := range snap.Paths() {
		raw, err := snap.Read(tb.Context(), p, 64<<20)
		must(tb, err)
		files[p] = string(raw)
	}
	return files
}

func mergeCount(tb testing.TB, d *Deck) int {
	tb.Helper()
	log, err := d.repo.Log(tb.Context(), d.Working, 1000)
	must(tb, err)
	n := 0
	for _, c := range log {
		if c.Parents == 2 {
			n++
		}
	}
	return n
}

func artifact(r agent.Receipt, kind agent.ArtifactKind) string {
	for _, a := range r.Preview.Artifacts {
		if a.Kind == kind {
			return a.Text
		}
	}
	return ""
}

func sideBranches(tb testing.TB, d *Deck) []gitrepo.Branch {
	tb.Helper()
	b, err := d.repo.Branches(tb.Context(), SidePrefix)
	must(tb, err)
	return b
}
