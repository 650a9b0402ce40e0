package openai

import (
	"net/http"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/provider/providertest"
)

type harness struct {
	api           string
	wire          providertest.Wire
	notApplicable map[string]string
}

func (h harness) Play(tb providertest.TB, limits providertest.Limits, scripts ...providertest.Script) (agent.Model, providertest.Upstream) {
	server := providertest.NewServer(tb, h.wire, scripts...)
	transport := &http.Transport{}
	tb.Cleanup(transport.CloseIdleConnections)
	return New(Config{
		ProviderID: "groq",
		BaseURL:    server.URL + "/v1",
		API:        h.api,
		HTTP:       &http.Client{Transport: transport},
		Idle:       limits.Idle,
		Total:      limits.Total,
		Now:        func() time.Time { return providertest.Now },
	}), server
}

func (harness) Provider() string                   { return "groq" }
func (h harness) NotApplicable() map[string]string { return h.notApplicable }

const noBreakpoints = "this wire has no cache breakpoints: its caches match the longest common beginning"

func TestChatConformance(t *testing.T) {
	providertest.Run(t, harness{APIChat, chatWire{}, map[string]string{
		"breakpoints stand where they are asked for": noBreakpoints,
		"a signature survives the replay":            "Chat Completions has no signatures",
	}})
}

func TestResponsesConformance(t *testing.T) {
	providertest.Run(t, harness{APIResponses, responsesWire{}, map[string]string{
		"breakpoints stand where they are asked for": noBreakpoints,
	}})
}
