package openai

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/provider/providertest"
)

func canned(api string) func(http.RoundTripper) agent.Model {
	return func(t http.RoundTripper) agent.Model {
		return New(Config{API: api, HTTP: &http.Client{Transport: t}})
	}
}

func TestAChatStreamCutBeforeItsFinishReasonIsOneErrorAndNeverASuccess(t *testing.T) {
	t.Parallel()
	body := providertest.Stream(chatWire{}, providertest.Long(125))
	finish := bytes.Index(body, []byte(`"finish_reason":"tool_calls"`))
	end := finish + bytes.Index(body[finish:], []byte("\n\n")) + 2
	if n := providertest.Cuts(t, body, end, canned(APIChat)); n < 20_000 {
		t.Errorf("%d cuts, want some 20,000", n)
	}
}

func TestAResponsesStreamCutAtAnyByteIsOneErrorAndNeverASuccess(t *testing.T) {
	t.Parallel()
	body := providertest.Stream(responsesWire{}, providertest.Long(65))
	if n := providertest.Cuts(t, body, len(body), canned(APIResponses)); n < 20_000 {
		t.Errorf("%d cuts, want some 20,000", n)
	}
}

func FuzzAnyBodyGivesOneEnd(f *testing.F) {
	for _, w := range []providertest.Wire{chatWire{}, responsesWire{}} {
		whole := string(providertest.Stream(w, providertest.Short()))
		f.Add([]byte(whole))
		f.Add([]byte(whole[:len(whole)/2]))
		f.Add([]byte(strings.ReplaceAll(whole, "index\":1", "index\":0")))
		f.Add([]byte(strings.ReplaceAll(whole, "é", "\xff\x00")))
	}
	f.Add([]byte("data: {\"choices\":[{\"delta\":{\"tool_calls\":[{},{\"id\":\"a\"},{\"index\":-1}]},\"finish_reason\":\"stop\"}]}\n\n"))
	f.Add([]byte("data: null\n\ndata: []\n\ndata: {\"error\":7}\n\n"))
	f.Add([]byte("event: response.completed\ndata: {\"response\":{\"output\":[1,null]}}\n\n"))
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, api := range []string{APIChat, APIResponses} {
			o := providertest.Collect(t.Context(), canned(api)(providertest.Canned{Body: body}), agent.ModelRequest{Model: "m"})
			if law := o.Lawful(); law != "" {
				t.Fatal(api, law)
			}
		}
	})
}
