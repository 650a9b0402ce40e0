package fake_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/lossless-group/in-app-agent/e2e/fakeprovider/fake"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

func (b *bench) get(path string, headers ...string) *http.Response {
	b.tb.Helper()
	req, err := http.NewRequestWithContext(b.tb.Context(), http.MethodGet, b.url+path, nil)
	if err != nil {
		b.tb.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		b.tb.Fatal(err)
	}
	b.tb.Cleanup(func() { _ = res.Body.Close() })
	return res
}

func TestEveryRequestIsKeptAsItCame(t *testing.T) {
	b := start(t, fake.Options{})
	body := `{ "model":"m",  "max_tokens": 9, "messages":[{"role":"user","content":[{"cache_control":{"type":"ephemeral"},"type":"text","text":"wörld"}]}]}`
	b.read(b.post(messages, body))
	b.read(b.post(chat, "\xff\xfe", "Authorization", "", "X-Api-Key", "sk-other-9876543210"))
	var page struct {
		Requests []fake.Seen `json:"requests"`
	}
	text := b.read(b.get("/_fake/requests?key=" + key))
	mustJSON(t, text, &page)
	if strings.Contains(string(text), key) || strings.Contains(string(text), "sk-other-9876543210") {
		t.Error("the page tells a key")
	}
	if len(page.Requests) != 2 {
		t.Fatalf("%d requests, want 2", len(page.Requests))
	}
	one, two := page.Requests[0], page.Requests[1]
	if one.N != 1 || one.Raw != body || one.Body == nil || one.Path != messages || one.Status != 200 || one.Refused != "" {
		t.Errorf("the first is %+v", one)
	}
	if one.Key.Header != "authorization" || one.Key.LastFour != "6789" || !*one.Key.Equals || one.Usage == nil || one.Bytes == 0 || one.FirstByteMs == nil || one.EndMs == nil || one.ClosedEarly {
		t.Errorf("the first is %+v", one)
	}
	if two.RawBase64 != "//4=" || two.Raw != "" || string(two.Body) != "null" || two.Status != 400 || two.Refused == "" || two.Key.Header != "x-api-key" || *two.Key.Equals {
		t.Errorf("the second is %+v", two)
	}
	if one.Headers.Get("Anthropic-Version") != "2023-06-01" || !strings.HasPrefix(one.Headers.Get("Authorization"), "sha256:") {
		t.Errorf("headers %v", one.Headers)
	}
}

func TestTheScriptIsReplacedAndTheRestReset(t *testing.T) {
	b := start(t, fake.Options{})
	if got := b.post("/_fake/script", `{"rounds":[{"text":"new"}]}`).StatusCode; got != http.StatusNoContent {
		t.Fatalf("answered %d", got)
	}
	if got := get(b.whole(chat, plain(chat, false)), "choices", 0, "message", "content"); got != "new" {
		t.Errorf("said %v", got)
	}
	for _, bad := range []string{`{"rounds":[{"fault":{"kind":"flood"}}]}`, `{`} {
		res := b.post("/_fake/script", bad)
		if res.StatusCode != http.StatusBadRequest || len(b.read(res)) == 0 {
			t.Errorf("%s answered %d", bad, res.StatusCode)
		}
	}
	b.post("/_fake/faults", `[{"kind":"status","status":500}]`)
	if got := b.post("/_fake/reset", "").StatusCode; got != http.StatusNoContent || len(b.srv.Requests()) != 0 {
		t.Errorf("reset answered %d and left %d requests", got, len(b.srv.Requests()))
	}
	if got := b.post(chat, plain(chat, false)).StatusCode; got != 200 {
		t.Errorf("after a reset the fault still met: %d", got)
	}
}

func TestFaultsAreInjectedOneOrMany(t *testing.T) {
	b := start(t, fake.Options{})
	for body, want := range map[string]int{
		`{"kind":"status","status":500}`:     204,
		`[{"kind":"slow"},{"kind":"eof"}]`:   204,
		`{"kind":"flood"}`:                   400,
		`[{"kind":"status","status":99}]`:    400,
		`"status"`:                           400,
		`[{"kind":"no_stop"},{"kind":"no"}]`: 400,
	} {
		if got := b.post("/_fake/faults", body).StatusCode; got != want {
			t.Errorf("%s answered %d, want %d", body, got, want)
		}
	}
}

func TestOpenStreamsAreCounted(t *testing.T) {
	b := start(t, fake.Options{}, scripted.Round{Text: scripted.Text{"x"}, Fault: &scripted.Fault{Kind: scripted.FaultSilence}})
	open := func() float64 {
		var o map[string]any
		mustJSON(t, b.read(b.get("/_fake/open")), &o)
		return o["open"].(float64)
	}
	if open() != 0 {
		t.Errorf("%v open at first", open())
	}
	first, second := b.post(messages, plain(messages, true)), b.post(chat, plain(chat, true))
	if open() != 2 {
		t.Errorf("%v open, want 2", open())
	}
	_, _ = first.Body.Close(), second.Body.Close()
	b.closed()
	if open() != 0 {
		t.Errorf("%v open at the end", open())
	}
}

func TestModelsAreListedInTheFormOfTheWire(t *testing.T) {
	b := start(t, fake.Options{Models: []string{"claude-x", "gpt-x"}})
	var list map[string]any
	mustJSON(t, b.read(b.get("/v1/models", "X-Api-Key", key, "Anthropic-Version", "2023-06-01")), &list)
	if get(list, "data", 0, "type") != "model" || get(list, "data", 1, "id") != "gpt-x" || list["has_more"] != false {
		t.Errorf("%s", compact(list))
	}
	mustJSON(t, b.read(b.get("/v1/models", "Authorization", "Bearer "+key)), &list)
	if list["object"] != "list" || get(list, "data", 0, "object") != "model" {
		t.Errorf("%s", compact(list))
	}
	if got := b.get("/v1/models").StatusCode; got != 401 {
		t.Errorf("without a key: %d", got)
	}
}
