package capability_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/capability"
)

func giving(res agent.Result) agent.Result {
	reg := registry(with(simple("a.b"), func(c *agent.Capability) {
		c.Handler = func(context.Context, *agent.Call) (agent.Result, error) { return res, nil }
	}))
	return reg.Dispatch(context.Background(), envOf("a.b"), callOf("a.b", ``)).Result
}

func TestAnOutputOverTheLimitIsCutAndSaysSo(t *testing.T) {
	text := func(n int) json.RawMessage { return json.RawMessage(`"` + strings.Repeat("é", (n-2)/2) + `"`) }
	for n, cut := range map[int]bool{capability.MaxOutputBytes - 2: false, capability.MaxOutputBytes: false, capability.MaxOutputBytes + 2: true} {
		res := giving(agent.Result{OK: true, Output: text(n)})
		var told struct {
			Truncated  bool
			Bytes      int
			Note, Head string
		}
		if !res.OK || len(res.Output) > capability.MaxOutputBytes || !json.Valid(res.Output) {
			t.Fatalf("%d bytes: %d came, ok %v", n, len(res.Output), res.OK)
		}
		if !cut {
			if len(res.Output) != n {
				t.Errorf("%d bytes became %d", n, len(res.Output))
			}
			continue
		}
		if err := json.Unmarshal(res.Output, &told); err != nil || !told.Truncated || told.Bytes != n || told.Note == "" ||
			!strings.HasPrefix(told.Head, `"ééé`) || strings.Contains(told.Head, "\uFFFD") {
			t.Errorf("%d bytes: %v, %+v", n, err, told.Note)
		}
	}
	worst := giving(agent.Result{OK: true, Output: json.RawMessage(`["` + strings.Repeat(`\u0001`, 100_000) + `"]`)})
	if len(worst.Output) > capability.MaxOutputBytes || !json.Valid(worst.Output) {
		t.Errorf("escapes made %d bytes", len(worst.Output))
	}
}

func TestAPreviewOverTheLimitsIsRefused(t *testing.T) {
	preview := func(n, size int, data bool) agent.Result {
		p := agent.Preview{Summary: "s", Artifacts: make([]agent.Artifact, n)}
		if data {
			p.Artifacts[n-1].Data = make([]byte, size)
		} else {
			p.Artifacts[n-1].Text = strings.Repeat("x", size)
		}
		return agent.Result{OK: true, Preview: &p}
	}
	for name, tt := range map[string]struct {
		res agent.Result
		ok  bool
	}{
		"fewer artifacts":      {preview(agent.MaxArtifacts-1, 1, false), true},
		"as many as allowed":   {preview(agent.MaxArtifacts, 1, false), true},
		"one too many":         {preview(agent.MaxArtifacts+1, 1, false), false},
		"text under the limit": {preview(1, agent.MaxArtifactBytes-1, false), true},
		"text at the limit":    {preview(1, agent.MaxArtifactBytes, false), true},
		"text over the limit":  {preview(2, agent.MaxArtifactBytes+1, false), false},
		"bytes at the limit":   {preview(1, agent.MaxArtifactBytes, true), true},
		"bytes over the limit": {preview(1, agent.MaxArtifactBytes+1, true), false},
	} {
		got := giving(tt.res)
		if got.OK != tt.ok || !tt.ok && (got.Error.Code != agent.CodeToolError || got.Preview != nil || !strings.Contains(got.Error.Message, "is the limit")) {
			t.Errorf("%s: %v, %+v", name, got.OK, got.Error)
		}
	}
}

func TestLongWordsAreCutAtARune(t *testing.T) {
	res := giving(agent.Result{OK: true, Preview: &agent.Preview{Summary: strings.Repeat("é", capability.MaxSummaryBytes)}})
	if s := res.Preview.Summary; len(s) > capability.MaxSummaryBytes+len("…") || !strings.HasSuffix(s, "é…") {
		t.Errorf("%d bytes: …%q", len(s), s[len(s)-8:])
	}
	res = giving(agent.Result{Error: &agent.ResultError{Code: agent.CodeConflict, Message: strings.Repeat("x", 100_000) + "\xff"}})
	if len(res.Error.Message) > 10_000 {
		t.Errorf("an error of %d bytes", len(res.Error.Message))
	}
}

func TestADisplayHintIsKeptOnlyWhereItHolds(t *testing.T) {
	good := agent.Display{Mount: "slide", Props: json.RawMessage(`{"n":4}`), Layout: "panel"}
	for name, tt := range map[string]struct {
		change func(*agent.Display)
		kept   bool
	}{
		"as it should be": {func(*agent.Display) {}, true},
		"no props":        {func(d *agent.Display) { d.Props = nil }, true},
		"no mount":        {func(d *agent.Display) { d.Mount = "" }, false},
		"unknown layout":  {func(d *agent.Display) { d.Layout = "popup" }, false},
		"broken props":    {func(d *agent.Display) { d.Props = json.RawMessage(`{`) }, false},
		"props at limit": {func(d *agent.Display) {
			d.Props = json.RawMessage(`"` + strings.Repeat("x", capability.MaxPropsBytes-2) + `"`)
		}, true},
		"props over it": {func(d *agent.Display) {
			d.Props = json.RawMessage(`"` + strings.Repeat("x", capability.MaxPropsBytes-1) + `"`)
		}, false},
	} {
		d := good
		tt.change(&d)
		if res := giving(agent.Result{OK: true, Display: &d}); !res.OK || (res.Display != nil) != tt.kept {
			t.Errorf("%s: %+v", name, res.Display)
		}
	}
}
