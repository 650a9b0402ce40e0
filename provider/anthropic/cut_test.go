package anthropic

import (
	"net/http"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/provider/providertest"
)

func canned(t http.RoundTripper) agent.Model {
	return New(Config{HTTP: &http.Client{Transport: t}})
}

func TestAStreamCutAtAnyByteIsOneErrorAndNeverASuccess(t *testing.T) {
	t.Parallel()
	body := providertest.Stream(wire{}, providertest.Long(55))
	if n := providertest.Cuts(t, body, len(body), canned); n < 20_000 {
		t.Errorf("%d cuts, want some 20,000", n)
	}
}

func FuzzAnyBodyGivesOneEnd(f *testing.F) {
	whole := string(providertest.Stream(wire{}, providertest.Short()))
	f.Add([]byte(whole))
	f.Add([]byte(whole[:len(whole)/2]))
	f.Add([]byte(strings.ReplaceAll(whole, "index\":1", "index\":0")))
	f.Add([]byte(strings.ReplaceAll(whole, "é", "\xff\x00")))
	f.Add([]byte("event: error\ndata: {\"error\":{\"type\":\"overloaded_error\"}}\n\n"))
	f.Add([]byte("event: message_start\ndata: null\n\nevent: content_block_start\ndata: {\"index\":-9,\"content_block\":{\"type\":\"__proto__\"}}\n\n"))
	f.Add([]byte("data: [DONE]\n\n\r\n: x\nevent"))
	f.Fuzz(func(t *testing.T, body []byte) {
		o := providertest.Collect(t.Context(), canned(providertest.Canned{Body: body}), agent.ModelRequest{Model: "m"})
		if law := o.Lawful(); law != "" {
			t.Fatal(law)
		}
	})
}
