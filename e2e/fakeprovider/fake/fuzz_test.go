package fake_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/lossless-group/in-app-agent/e2e/fakeprovider/fake"
)

func FuzzAnyBodyIsAnsweredOrRefused(f *testing.F) {
	for _, path := range wires {
		f.Add(path, plain(path, true))
		f.Add(path, plain(path, false))
	}
	f.Add(messages, ask(hi+`,`+use+`,`+result))
	f.Add(messages, ask(hi+`,{"role":"assistant","content":[{"type":"thinking","thinking":"a","signature":"b"}]},`+hi))
	f.Add(chat, chatAsk(hi+`,{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"x","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c1","content":"ok"}`))
	f.Add(responses, `{"model":"m","input":[{"type":"function_call","call_id":"c1","name":"x","arguments":"{}"},{"type":"function_call_output","call_id":"c1","output":"ok"}]}`)
	f.Add(responses, `{"model":"m","input":[{"type":"reasoning","encrypted_content":"aGk=.x"}],"tools":[null]}`)
	srv := fake.New(fake.Options{})
	f.Fuzz(func(t *testing.T, path, body string) {
		if path != messages && path != chat && path != responses {
			t.Skip()
		}
		r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
		r.Header.Set("X-Api-Key", key)
		r.Header.Set("Anthropic-Version", "2023-06-01")
		w := httptest.NewRecorder()
		srv.ServeHTTP(w, r)
		if w.Code != http.StatusOK && w.Code/100 != 4 || w.Body.Len() == 0 {
			t.Errorf("%s answered %d %q", path, w.Code, w.Body)
		}
	})
}
