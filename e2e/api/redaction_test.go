package api

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/e2e/fakeprovider/fake"
	"github.com/lossless-group/in-app-agent/e2e/harness"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

const keepsEverything = `{"kinds":["email","phone","card","iban","national_id","secret"],"patterns":[{"name":"employee","pattern":"EMP-[0-9]{5}"}]}`

// echoes are the rounds of a model that says again whatever it is told: in the arguments
// of a call, in what it writes for a capability, and in its answer.
func echoes(seed uint64) []scripted.Round {
	return []scripted.Round{
		draws(seed),
		{When: &scripted.When{LastUser: "^EDIT ", Purpose: "step", Step: 1},
			Calls: []scripted.Call{call("slide.edit", map[string]string{"slide_id": "02", "instruction": "${user}"})}},
		{When: &scripted.When{LastUser: "^(EDIT|SAY) ", Purpose: "step"}, Text: scripted.Text{"${user}"}},
	}
}

// message writes the details of a language with a word before them.
func message(verb string, g tongue, list []detail) string {
	lines := []string{verb + " " + g.name}
	for _, d := range list {
		lines = append(lines, d.sentence)
	}
	return strings.Join(lines, "\n")
}

// conversation gives the messages of a request to Anthropic, cache marks aside.
func conversation(t *testing.T, seen fake.Seen) (list []any) {
	t.Helper()
	var body struct{ Messages []any }
	if err := json.Unmarshal(seen.Body, &body); err != nil {
		t.Fatal(err)
	}
	unmark(body.Messages)
	return body.Messages
}

func unmark(v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			unmark(e)
		}
	case map[string]any:
		delete(v, "cache_control")
		for _, e := range v {
			unmark(e)
		}
	}
}

// everyString gives all strings of a JSON body as they read, whatever their escapes.
func everyString(t *testing.T, body json.RawMessage) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			b.WriteString(v + "\n")
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for k, e := range v {
				b.WriteString(k + "\n")
				walk(e)
			}
		}
	}
	walk(v)
	return b.String()
}

// newest gives the newest model call whose conversation has the mark in it.
func newest(t *testing.T, p *harness.Provider, mark string) fake.Seen {
	t.Helper()
	seen := p.Requests("")
	for i := len(seen) - 1; i >= 0; i-- {
		if strings.Contains(seen[i].Raw, mark) {
			return seen[i]
		}
	}
	t.Fatalf("no request has %q", mark)
	return fake.Seen{}
}

func TestFiveHundredDetailsInTenLanguagesStayHereAndComeBack(t *testing.T) {
	t.Parallel()
	rng, _ := harness.Seed(t)
	st := start(t, rng, echoes(rng.Uint64())...)
	st.Stop()
	st.Edit(`UPDATE orgs SET redaction = ? WHERE id = 'org_lingering'`, keepsEverything)
	st.Restart()
	lin := st.lin

	seen := map[string]bool{}
	var all []detail
	threads, told := map[string]agent.ThreadID{}, map[string]string{}
	for _, g := range tongues {
		first, second := g.details(rng, seen), g.details(rng, seen)
		all = append(append(all, first...), second...)
		threads[g.name] = editsBack(t, st, message("EDIT", g, first))
		told[g.name] = message("SAY", g, second)
		if got := lin.Chat(harness.Say(told[g.name]).In(threads[g.name])).Completed().Text; got != told[g.name] {
			t.Errorf("%s: the answer is\n%s\nnot\n%s", g.name, got, told[g.name])
		}
		var shown agent.RedactionPreview
		lin.Must(http.StatusOK, "POST /redaction/preview", map[string]string{"text": told[g.name]}).Into(t, &shown)
		count := map[string]int{}
		for _, c := range shown.Found {
			count[numbers(c.Kind)] += c.Count
		}
		want := map[string]int{}
		for kind, n := range kindsEach {
			want[numbers(kind)] += n
		}
		if !reflect.DeepEqual(count, want) {
			t.Errorf("%s: the preview finds %v", g.name, count)
		}
	}
	if len(all) != 500 || len(seen) != 500 {
		t.Fatalf("%d details, %d of them different", len(all), len(seen))
	}
	before := map[string]fake.Seen{}
	for _, g := range tongues {
		before[g.name] = newest(t, st.provider, "SAY "+g.name)
	}

	st.Kill()
	st.Restart()
	for _, g := range tongues {
		if got := lin.Chat(harness.Say(told[g.name]).In(threads[g.name])).Completed().Text; got != told[g.name] {
			t.Errorf("%s: after a restart the answer is\n%s", g.name, got)
		}
		old, now := conversation(t, before[g.name]), conversation(t, newest(t, st.provider, "SAY "+g.name))
		if len(now) != len(old)+2 || !reflect.DeepEqual(now[:len(old)], old) {
			t.Errorf("%s: after a restart other bytes are sent", g.name)
		}
		if !reflect.DeepEqual(wordsOf(now[len(now)-1]), wordsOf(old[len(old)-1])) {
			t.Errorf("%s: the same message is sent in other bytes after a restart", g.name)
		}
	}
	noneLeft(t, st.provider, all)

	if n := harness.Count(t, st.Server, `SELECT count(*) FROM redaction_maps`); n != len(tongues) {
		t.Errorf("there are %d maps", n)
	}
	lin.Must(http.StatusNoContent, "DELETE /threads/"+string(threads["Polish"]), nil)
	if n := harness.Count(t, st.Server, `SELECT count(*) FROM redaction_maps WHERE thread_id = ?`, threads["Polish"]); n != 0 {
		t.Error("the map of a deleted thread is left")
	}
}

// numbers takes two kinds for one: some numbers of a phone have the check digits of a
// state's, and either name keeps them.
func numbers(kind string) string {
	if kind == "national_id" {
		return "phone"
	}
	return kind
}

// wordsOf gives the last text of a message.
func wordsOf(m any) any {
	blocks := m.(map[string]any)["content"].([]any)
	return blocks[len(blocks)-1]
}

// editsBack says a message whose words come back as the arguments of a call, and then as
// the answer; it gives the thread.
func editsBack(t *testing.T, st stack, text string) agent.ThreadID {
	t.Helper()
	stream := st.lin.Chat(harness.Say(text))
	preview := stream.Preview()
	var input struct{ Instruction string }
	if err := json.Unmarshal(preview.Input, &input); err != nil || input.Instruction != text {
		t.Errorf("the arguments are\n%s\nnot\n%s", input.Instruction, text)
	}
	st.lin.Discard(stream.Turn(), preview)
	if got := stream.Completed().Text; got != text {
		t.Errorf("the answer is\n%s\nnot\n%s", got, text)
	}
	row := st.Transcript(stream.Turn())
	if row.UserMessage != text || row.ModelMessage != text {
		t.Error("the transcript is not as it was said")
	}
	return stream.Thread()
}

// noneLeft fails for every detail that stands in a byte that reached the provider.
func noneLeft(t *testing.T, p *harness.Provider, all []detail) {
	t.Helper()
	requests := p.Requests("")
	if len(requests) < 4*len(tongues) {
		t.Fatalf("only %d requests came", len(requests))
	}
	placeholders := 0
	for _, r := range requests {
		if r.RawBase64 != "" || len(r.Body) == 0 {
			t.Fatalf("request %d is no JSON", r.N)
		}
		read := r.Raw + everyString(t, r.Body) + r.Path
		for name, values := range r.Headers {
			read += name + strings.Join(values, " ")
		}
		placeholders += strings.Count(r.Raw, "[EMAIL_") + strings.Count(r.Raw, "[EMPLOYEE_")
		for _, d := range all {
			if strings.Contains(read, d.value) {
				t.Errorf("request %d holds the %s %s", r.N, d.kind, d.value)
			}
		}
	}
	if placeholders < 500 {
		t.Errorf("only %d placeholders came", placeholders)
	}
}
