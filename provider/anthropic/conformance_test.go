package anthropic

import (
	"net/http"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/provider/providertest"
)

type harness struct{}

func (harness) Play(tb providertest.TB, limits providertest.Limits, scripts ...providertest.Script) (agent.Model, providertest.Upstream) {
	server := providertest.NewServer(tb, wire{}, scripts...)
	transport := &http.Transport{}
	tb.Cleanup(transport.CloseIdleConnections)
	return New(Config{
		BaseURL: server.URL,
		HTTP:    &http.Client{Transport: transport},
		Idle:    limits.Idle,
		Total:   limits.Total,
		Now:     func() time.Time { return providertest.Now },
	}), server
}

func (harness) Provider() string                 { return ID }
func (harness) NotApplicable() map[string]string { return nil }

func TestConformance(t *testing.T) { providertest.Run(t, harness{}) }
