package foreign

import (
	"encoding/json"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/provider/anthropic"
	"github.com/lossless-group/in-app-agent/provider/openai"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

// ours are the adapters under test, by wire.
func ours(url string) map[string]agent.Model {
	return map[string]agent.Model{
		"messages":  anthropic.New(anthropic.Config{BaseURL: url}),
		"chat":      openai.New(openai.Config{BaseURL: url + "/v1", API: openai.APIChat}),
		"responses": openai.New(openai.Config{BaseURL: url + "/v1", API: openai.APIResponses}),
	}
}

// ask is the request of play.mjs in our words.
func ask(name string) agent.ModelRequest {
	text := name
	if name == "big" {
		text = "big " + strings.TrimSpace(strings.Repeat(strings.Repeat("w", 199)+" ", 1000))
	}
	schema := json.RawMessage(`{"type":"object","properties":{"slide":{"type":"integer"}}}`)
	return agent.ModelRequest{
		Model: "m", Key: agent.NewSecret("sk-ours-0123456789"), Purpose: "step", MaxTokens: 1000,
		Tools: []agent.ToolSchema{
			{Name: "slide_read", Description: "Reads a slide.", Schema: schema},
			{Name: "deck_export", Description: "Exports the deck.", Schema: schema},
		},
		System:   []agent.Slab{{Text: strings.Repeat("You are a careful assistant. ", 20), Cache: true}},
		Messages: []agent.ModelMessage{{Role: agent.RoleUser, Blocks: []agent.Block{{Kind: agent.BlockText, Text: text}}}},
	}
}

// loadRounds gives the rounds by the name that asks for them.
func loadRounds(tb testing.TB) map[string]scripted.Round {
	tb.Helper()
	var file struct {
		Rounds []scripted.Round `json:"rounds"`
	}
	readJSON(tb, rounds, &file)
	out := map[string]scripted.Round{}
	for _, r := range file.Rounds {
		out[regexp.MustCompile(`[\w-]+`).FindString(r.When.LastUser)] = r
	}
	return out
}

// stricter names the rounds where a maker's helper gives up on what it does not
// know yet; ours must go on, as the design demands.
var stricter = map[string]bool{"news responses": true}

func TestOurAdaptersHearWhatTheMakersClientsHear(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped in short mode: it starts Node and the fake provider")
	}
	install(t)
	url := provider(t)
	models, byName := ours(url), loadRounds(t)
	foreign := playForeign(t, url)
	if len(foreign) != 3*len(byName) {
		t.Fatalf("the foreign clients played %d rounds, want %d on 3 wires", len(foreign), len(byName))
	}
	for _, theirs := range foreign {
		t.Run(theirs.Name+" on "+theirs.Wire, func(t *testing.T) {
			round := byName[theirs.Name]
			own := hear(t.Context(), models[theirs.Wire], ask(theirs.Name))
			switch {
			case stricter[theirs.Name+" "+theirs.Wire]:
				if theirs.Error == nil {
					t.Error("the maker's client has learned to go on: take the round off the list")
				}
				if own.Error != nil || own.Text != round.Text.String() {
					t.Errorf("ours heard %q, %+v, want %q", own.Text, own.Error, round.Text)
				}
			case theirs.Error != nil || own.Error != nil:
				compareErrors(t, theirs, own, round)
			default:
				compareAnswers(t, theirs, own, round)
			}
		})
	}
}

func compareErrors(t *testing.T, theirs, own heard, round scripted.Round) {
	t.Helper()
	if theirs.Error == nil || own.Error == nil {
		t.Fatalf("theirs ended with %+v and ours with %+v", theirs.Error, own.Error)
	}
	if round.Fault == nil {
		t.Errorf("a round without a fault failed: %+v and %+v", theirs.Error, own.Error)
	}
	if want := theirs.Error.expected(); own.code != want {
		t.Errorf("ours is %s, want %s for %+v", own.code, want, *theirs.Error)
	}
	if round.Fault.RetryAfter != "" && own.retry != 7*time.Second {
		t.Errorf("ours waits %v, want 7s", own.retry)
	}
}

func compareAnswers(t *testing.T, theirs, own heard, round scripted.Round) {
	t.Helper()
	if own.Text != theirs.Text {
		t.Errorf("ours heard %.200q, theirs %.200q", own.Text, theirs.Text)
	}
	if own.Reasoning != theirs.Reasoning {
		t.Errorf("ours reasons %q, theirs %q", own.Reasoning, theirs.Reasoning)
	}
	if own.Stop != string(theirs.stop()) {
		t.Errorf("ours stops with %q, theirs with %q", own.Stop, theirs.Stop)
	}
	if len(own.Calls) != len(theirs.Calls) {
		t.Fatalf("ours has %d calls, theirs %d", len(own.Calls), len(theirs.Calls))
	}
	for i, c := range theirs.Calls {
		if o := own.Calls[i]; o.ID != c.ID || o.Name != c.Name || !sameJSON(t, o.Input, c.Input) {
			t.Errorf("call %d: ours is %s %s %.200s, theirs %s %s %.200s", i, o.ID, o.Name, o.Input, c.ID, c.Name, c.Input)
		}
	}
	if round.Usage != nil && own.Usage != theirs.Usage {
		t.Errorf("ours used %+v, theirs %+v", own.Usage, theirs.Usage)
	}
	if own.Usage.Out != theirs.Usage.Out || (own.Usage.Read > 0) != (theirs.Usage.Read > 0) || own.Usage.In < 0 || own.Usage.Creation < 0 {
		t.Errorf("ours used %+v, theirs %+v", own.Usage, theirs.Usage)
	}
}

func sameJSON(tb testing.TB, a, b json.RawMessage) bool {
	tb.Helper()
	var x, y any
	if err := json.Unmarshal(a, &x); err != nil {
		tb.Errorf("%.200s: %v", a, err)
	}
	if err := json.Unmarshal(b, &y); err != nil {
		tb.Errorf("%.200s: %v", b, err)
	}
	return reflect.DeepEqual(x, y)
}
