package api

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/e2e/harness"
)

// bad is one request that must be refused.
type bad struct {
	what    string
	body    any
	changes []harness.Change
	status  int
	code    agent.Code
}

func TestBadMessagesAreRefusedWithTheirReason(t *testing.T) {
	t.Parallel()
	rng, _ := harness.Seed(t)
	s := start(t, rng)
	chat := func(change func(*harness.Chat)) harness.Chat {
		c := harness.Say("hello")
		change(&c)
		return c
	}
	over := strings.Repeat("x", agent.MaxMessageBytes+1)
	for name, c := range map[string]bad{
		"empty":                         {body: harness.Say(""), status: 422, code: agent.CodeInvalidInput},
		"white space":                   {body: harness.Say(" \n\t\u00a0"), status: 422, code: agent.CodeInvalidInput},
		"200 KiB and a byte":            {body: harness.Say(over), status: 413, code: agent.CodeTooLarge},
		"a body of a MiB and a byte":    {body: `{"projectId":"demo-deck","text":"` + strings.Repeat("x", agent.MaxBodyBytes) + `"}`, status: 413, code: agent.CodeTooLarge},
		"a NUL":                         {body: `{"projectId":"demo-deck","text":"a\u0000b"}`, status: 400, code: agent.CodeInvalidRequest},
		"an unknown model":              {body: chat(func(c *harness.Chat) { c.Model = "model-of-nobody" }), status: 422, code: agent.CodeInvalidInput},
		"a project that is not":         {body: chat(func(c *harness.Chat) { c.ProjectID = "deck-of-another-org" }), status: 404, code: agent.CodeNotFound},
		"a project that climbs":         {body: chat(func(c *harness.Chat) { c.ProjectID = "../paying-client/demo-deck" }), status: 404, code: agent.CodeNotFound},
		"another kind of project":       {body: chat(func(c *harness.Chat) { c.ProjectKind = "memopop-memo" }), status: 404, code: agent.CodeNotFound},
		"no project":                    {body: chat(func(c *harness.Chat) { c.ProjectID = "" }), status: 422, code: agent.CodeInvalidInput},
		"an unknown thread":             {body: chat(func(c *harness.Chat) { c.ThreadID = "thread_none" }), status: 404, code: agent.CodeNotFound},
		"a parent without a thread":     {body: chat(func(c *harness.Chat) { c.ParentID = "turn_none" }), status: 422, code: agent.CodeInvalidInput},
		"a whitelist that names no one": {body: chat(func(c *harness.Chat) { c.Tools = []string{"slide.*", "shell.*"} }), status: 422, code: agent.CodeInvalidInput},
		"101 entries":                   {body: chat(func(c *harness.Chat) { c.Tools = strings.Fields(strings.Repeat("slide.* ", agent.MaxWhitelist+1)) }), status: 422, code: agent.CodeInvalidInput},
		"a message id of 65":            {body: chat(func(c *harness.Chat) { c.MessageID = strings.Repeat("m", agent.MaxMessageID+1) }), status: 422, code: agent.CodeInvalidInput},
		"an attached thing that is not": {body: `{"projectId":"demo-deck","text":"x","attachments":[{"kind":"slide","id":"99"}]}`, status: 404, code: agent.CodeNotFound},
		"an attached kind that is not":  {body: `{"projectId":"demo-deck","text":"x","attachments":[{"kind":"file","id":"/etc/passwd"}]}`, status: 404, code: agent.CodeNotFound},
		"text and messages":             {body: `{"projectId":"demo-deck","text":"x","messages":[{"role":"user","content":"y"}]}`, status: 422, code: agent.CodeInvalidInput},
		"no words of the user":          {body: `{"projectId":"demo-deck","messages":[{"role":"assistant","content":"y"}]}`, status: 422, code: agent.CodeInvalidInput},
		"a picture":                     {body: `{"projectId":"demo-deck","messages":[{"role":"user","content":[{"type":"image","data":"x"}]}]}`, status: 422, code: agent.CodeInvalidInput},
		"plain text":                    {body: "hello", changes: []harness.Change{harness.Set("Content-Type", "text/plain")}, status: 415, code: agent.CodeUnsupportedMedia},
		"a form":                        {body: "text=hello", changes: []harness.Change{harness.Set("Content-Type", "application/x-www-form-urlencoded")}, status: 415, code: agent.CodeUnsupportedMedia},
		"no type":                       {body: `{}`, changes: []harness.Change{harness.Drop("Content-Type")}, status: 415, code: agent.CodeUnsupportedMedia},
		"another charset":               {body: `{}`, changes: []harness.Change{harness.Set("Content-Type", "application/json; charset=latin1")}, status: 415, code: agent.CodeUnsupportedMedia},
		"compressed":                    {body: zipped(`{"projectId":"demo-deck","text":"x"}`), changes: []harness.Change{harness.Set("Content-Encoding", "gzip")}, status: 415, code: agent.CodeUnsupportedMedia},
	} {
		c.what = "POST /chat"
		refuses(t, s.lin, name, c)
	}
	if n := len(s.provider.Requests("")); n != 0 {
		t.Errorf("%d model calls were made", n)
	}
	if n := harness.Count(t, s.Server, `SELECT count(*) FROM turns`); n != 0 {
		t.Errorf("%d turns were written", n)
	}
	full := s.lin.Begin(harness.Say(strings.Repeat("x", agent.MaxMessageBytes)))
	s.lin.Attach(full.ID, "").Completed()
	if row := s.Transcript(full.ID); len(row.UserMessage) != agent.MaxMessageBytes {
		t.Errorf("a message of 200 KiB was kept as %d bytes", len(row.UserMessage))
	}
}

func zipped(text string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(text))
	_ = z.Close()
	return b.Bytes()
}

func refuses(t *testing.T, u *harness.User, name string, c bad) {
	t.Helper()
	a := u.Do(c.what, c.body, c.changes...)
	p := a.Problem()
	if a.Status != c.status || p.Code != c.code || p.Message == "" || p.RequestID == "" || p.Status != c.status {
		t.Errorf("%s: answered %s, want %d %s", name, a, c.status, c.code)
	}
	if kind := a.Header.Get("Content-Type"); kind != "application/problem+json" {
		t.Errorf("%s: of type %s", name, kind)
	}
}

func TestWhatIsNoStrictJSONIsA400OnEveryAddress(t *testing.T) {
	t.Parallel()
	s, _ := bare(t, harness.Options{})
	u := s.SignIn("demo")
	good := `"projectId":"demo-deck","text":"hello"`
	texts := map[string]string{
		"nothing": "", "a space": " ", "a word": "hello", "cut off": `{` + good, "cut in a string": `{"projectId":"demo`, "cut in an escape": `{"text":"\u00`,
		"an array": `[{` + good + `}]`, "a string": `"hello"`, "a number": `1`, "null": `null`, "true": `true`, "two values": `{` + good + `}{}`,
		"a comma too much": `{` + good + `,}`, "single quotes": `{'projectId':'demo-deck','text':'hello'}`, "a comment": `{` + good + `/* */}`,
		"a key twice": `{` + good + `,"text":"again"}`, "a key twice by escape": `{` + good + `,"\u0074ext":"again"}`, "a byte order mark": "\ufeff{" + good + `}`,
		"a lone surrogate": `{` + good + `,"messageId":"\ud800"}`, "broken UTF-8": "{" + good + ",\"messageId\":\"\xff\"}", "a raw line break": "{" + good + ",\"messageId\":\"a\nb\"}",
		"NaN": `{` + good + `,"n":NaN}`, "a leading zero": `{` + good + `,"n":01}`, "a plus": `{` + good + `,"n":+1}`, "an endless number": `{` + good + `,"n":` + strings.Repeat("9", 5000) + `x}`,
		"depth 100000": `{` + good + `,"n":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}`, "depth 65": `{` + good + `,"n":` + strings.Repeat("[", 65) + strings.Repeat("]", 65) + `}`,
	}
	for name, text := range texts {
		for _, what := range []string{"POST /chat", "POST /confirm", "POST /keys", "PUT /settings", "POST /feedback"} {
			refuses(t, u, name+" to "+what, bad{what: what, body: text, status: 400, code: agent.CodeInvalidRequest})
		}
	}
	for name, text := range map[string]string{
		"a text of another type": `{"projectId":"demo-deck","text":7}`, "a project of another type": `{"projectId":{},"text":"x"}`, "tools of another type": `{` + good + `,"tools":"slide.*"}`,
		"a tool of another type": `{` + good + `,"tools":[null]}`, "messages of another type": `{"projectId":"demo-deck","messages":{}}`, "a message of another type": `{"projectId":"demo-deck","messages":["x"]}`,
	} {
		refuses(t, u, name, bad{what: "POST /chat", body: text, status: 400, code: agent.CodeInvalidRequest})
	}
	if a := u.Do("POST /chat", `{`+good+`,"id":"of another kit","trigger":"submit","n":`+strings.Repeat("[", 63)+strings.Repeat("]", 63)+`}`); a.Status != http.StatusOK {
		t.Errorf("members of other kits beside ours: %s", a)
	}
}

func TestAKeyThatCannotBeOneNeverLeaves(t *testing.T) {
	t.Parallel()
	s, provider := bare(t, harness.Options{})
	lin, view := s.SignIn("lin"), s.SignIn("view")
	key := func(provider, key string) map[string]string {
		return map[string]string{"provider": provider, "label": "personal", "key": key}
	}
	for name, c := range map[string]bad{
		"a line break":                  {body: key("anthropic", "sk-ant-0123456789\nX-Evil: 1"), status: 422, code: agent.CodeInvalidInput},
		"a space":                       {body: key("anthropic", "sk-ant-0123 456789"), status: 422, code: agent.CodeInvalidInput},
		"7 characters":                  {body: key("anthropic", "sk-ant-"), status: 422, code: agent.CodeInvalidInput},
		"513 characters":                {body: key("anthropic", strings.Repeat("k", 513)), status: 422, code: agent.CodeInvalidInput},
		"a key of OpenAI for Anthropic": {body: key("anthropic", "sk-proj-0123456789abcdef"), status: 422, code: agent.CodeInvalidInput},
		"a key of Anthropic for OpenAI": {body: key("openai", "sk-ant-0123456789abcdef"), status: 422, code: agent.CodeInvalidInput},
		"a key of Groq for OpenAI":      {body: key("openai", "gsk_0123456789abcdef"), status: 422, code: agent.CodeInvalidInput},
		"a provider that is not":        {body: key("mistral", "0123456789abcdef"), status: 422, code: agent.CodeInvalidInput},
		"a provider that takes none":    {body: key("scripted", "0123456789abcdef"), status: 422, code: agent.CodeInvalidInput},
		"no key":                        {body: key("anthropic", ""), status: 422, code: agent.CodeInvalidInput},
		"a label of 65":                 {body: map[string]string{"provider": "anthropic", "label": strings.Repeat("l", 65), "key": "sk-ant-0123456789"}, status: 422, code: agent.CodeInvalidInput},
		"a base address of the client":  {body: map[string]string{"provider": "anthropic", "key": "sk-ant-0123456789", "baseUrl": "http://evil.example"}, status: 400, code: agent.CodeInvalidRequest},
	} {
		c.what = "POST /keys"
		refuses(t, lin, name, c)
	}
	refuses(t, view, "a viewer's key", bad{what: "POST /keys", body: key("anthropic", "sk-ant-0123456789"), status: 403, code: agent.CodeForbidden})
	if seen := provider.Requests(""); len(seen) != 0 {
		t.Errorf("%d keys were sent to the provider", len(seen))
	}
	if n := harness.Count(t, s, `SELECT count(*) FROM user_api_keys`); n != 0 {
		t.Errorf("%d keys were stored", n)
	}
}

func TestAnotherSitesRequestsReachNothing(t *testing.T) {
	t.Parallel()
	s, _ := bare(t, harness.Options{})
	u := s.SignIn("demo")
	port := s.URL[strings.LastIndex(s.URL, ":"):]
	message := harness.Say("hello")
	for _, host := range []string{"evil.example", "evil.example" + port, "127.0.0.1", "localhost:1", "127.0.0.1.evil.example" + port, "[::1]" + port} {
		for _, what := range []string{"POST /chat", "GET /threads", "GET /healthz/", "GET /", "POST /api/dev/login"} {
			var body any
			if strings.HasPrefix(what, "POST") {
				body = message
			}
			if a := u.Do(what, body, harness.Set("Host", host)); a.Status != http.StatusMisdirectedRequest {
				t.Errorf("%s with the host %s answered %s", what, host, a)
			}
		}
		// A balancer asks by address; what it hears is a word and nothing of anybody.
		for what, word := range map[string]string{"GET /healthz": "ok\n", "GET /readyz": "ready\n"} {
			if a := u.Do(what, nil, harness.Set("Host", host)); a.Status != http.StatusOK || string(a.Body) != word {
				t.Errorf("%s with the host %s answered %s", what, host, a)
			}
		}
	}
	if a := u.Do("GET /threads", nil, harness.Set("Host", "localhost"+port)); a.Status != http.StatusOK {
		t.Errorf("localhost answered %s", a)
	}
	for name, changes := range map[string][]harness.Change{
		"another origin":     {harness.Set("Origin", "http://evil.example"), harness.Set("Sec-Fetch-Site", "cross-site")},
		"an opaque origin":   {harness.Set("Origin", "null"), harness.Set("Sec-Fetch-Site", "cross-site")},
		"another port":       {harness.Set("Origin", "http://127.0.0.1:1"), harness.Set("Sec-Fetch-Site", "same-site")},
		"a sibling":          {harness.Set("Sec-Fetch-Site", "same-site")},
		"an old browser":     {harness.Drop("Sec-Fetch-Site"), harness.Set("Origin", "http://evil.example")},
		"a cookie by itself": {harness.Drop("Sec-Fetch-Site"), harness.Drop("Origin")},
		"only the site lies": {harness.Set("Origin", "http://evil.example")},
	} {
		for _, what := range []string{"POST /chat", "POST /confirm", "POST /keys", "PUT /settings", "DELETE /threads/thread_x"} {
			refuses(t, u, fmt.Sprintf("%s: %s", name, what), bad{what: what, body: message, changes: changes, status: 403, code: agent.CodeForbidden})
		}
	}
	for name, origin := range map[string]string{"none": "", "another": "http://evil.example", "this host by name": "http://localhost:1"} {
		if a := u.Do("POST /api/dev/login", map[string]string{"user": "adm"}, harness.Set("Origin", origin)); a.Status != http.StatusForbidden || a.Header.Get("Set-Cookie") != "" {
			t.Errorf("a login from the origin %s answered %s", name, a)
		}
	}
	if n := harness.Count(t, s, `SELECT count(*) FROM turns`); n != 0 {
		t.Errorf("%d turns were started", n)
	}
}
