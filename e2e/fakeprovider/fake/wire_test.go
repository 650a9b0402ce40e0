package fake_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/lossless-group/in-app-agent/e2e/fakeprovider/fake"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

const key = "sk-test-0123456789"

// bench is a fake on a real socket.
type bench struct {
	tb  testing.TB
	srv *fake.Server
	url string
}

func start(tb testing.TB, o fake.Options, rounds ...scripted.Round) *bench {
	tb.Helper()
	if rounds != nil {
		o.Script = scripted.NewScript(rounds...)
	}
	srv := fake.New(o)
	s := httptest.NewServer(srv)
	tb.Cleanup(s.Close)
	return &bench{tb: tb, srv: srv, url: s.URL}
}

// post sends a body with a valid key and the version header; headers come in
// pairs, and an empty value takes a header away.
func (b *bench) post(path, body string, headers ...string) *http.Response {
	b.tb.Helper()
	req, err := http.NewRequestWithContext(b.tb.Context(), http.MethodPost, b.url+path, strings.NewReader(body))
	if err != nil {
		b.tb.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Anthropic-Version", "2023-06-01")
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
		if headers[i+1] == "" {
			req.Header.Del(headers[i])
		}
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		b.tb.Fatal(err)
	}
	b.tb.Cleanup(func() { _ = res.Body.Close() })
	return res
}

// said is an error as either provider words it.
type said struct {
	Status int
	Error  struct {
		Type    string  `json:"type"`
		Message string  `json:"message"`
		Code    *string `json:"code"`
		Param   *string `json:"param"`
	} `json:"error"`
}

func (b *bench) refusal(res *http.Response) said {
	b.tb.Helper()
	out := said{Status: res.StatusCode}
	body := b.read(res)
	if res.StatusCode != http.StatusOK {
		if err := json.Unmarshal(body, &out); err != nil {
			b.tb.Fatalf("the error %q is no JSON: %v", body, err)
		}
	}
	return out
}

func (b *bench) read(res *http.Response) []byte {
	b.tb.Helper()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		b.tb.Fatal(err)
	}
	return body
}

// whole reads an answer that is not streamed.
func (b *bench) whole(path, body string) map[string]any {
	b.tb.Helper()
	res := b.post(path, body)
	data := b.read(res)
	var out map[string]any
	if err := json.Unmarshal(data, &out); err != nil || res.StatusCode != http.StatusOK {
		b.tb.Fatalf("%s answered %d %s", path, res.StatusCode, data)
	}
	return out
}

// event is one server-sent event as it came.
type event struct {
	name, data string
	json       map[string]any
}

// stream reads every event; err is what broke the body off.
func (b *bench) stream(path, body string) (events []event, err error) {
	b.tb.Helper()
	res := b.post(path, body)
	if res.StatusCode != http.StatusOK || !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		b.tb.Fatalf("%s answered %d %s", path, res.StatusCode, b.read(res))
	}
	lines := bufio.NewReader(res.Body)
	var e event
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			if err == io.EOF {
				err = nil
			}
			return events, err
		}
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == "":
			if e.data != "" {
				_ = json.Unmarshal([]byte(e.data), &e.json)
				events = append(events, e)
			}
			e = event{}
		case strings.HasPrefix(line, "event: "):
			e.name = line[len("event: "):]
		case strings.HasPrefix(line, "data: "):
			e.data = line[len("data: "):]
		}
	}
}

// mustStream reads a stream that must end in order.
func (b *bench) mustStream(path, body string) []event {
	b.tb.Helper()
	events, err := b.stream(path, body)
	if err != nil {
		b.tb.Fatal(err)
	}
	return events
}

// get follows a path of members and indices.
func get(v any, path ...any) any {
	for _, p := range path {
		switch p := p.(type) {
		case string:
			o, _ := v.(map[string]any)
			v = o[p]
		case int:
			l, _ := v.([]any)
			if p < 0 || p >= len(l) {
				return nil
			}
			v = l[p]
		}
	}
	return v
}

func compact(v any) string {
	out, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(out)
}

// The plainest request on each wire, streamed or whole.
const (
	messages  = "/v1/messages"
	chat      = "/v1/chat/completions"
	responses = "/v1/responses"
)

func plain(path string, stream bool) string {
	tools := map[string]string{
		messages:  `[{"name":"slide_read","input_schema":{"type":"object"}}]`,
		chat:      `[{"type":"function","function":{"name":"slide_read"}}]`,
		responses: `[{"type":"function","name":"slide_read"}]`,
	}[path]
	o := `{"model":"m","tools":` + tools
	if stream {
		o += `,"stream":true`
	}
	switch path {
	case messages:
		return o + `,"max_tokens":100,"messages":[{"role":"user","content":"hello"}]}`
	case chat:
		if stream {
			o += `,"stream_options":{"include_usage":true}`
		}
		return o + `,"messages":[{"role":"user","content":"hello"}]}`
	}
	return o + `,"input":"hello","include":["reasoning.encrypted_content"]}`
}

var wires = []string{messages, chat, responses}
