package openai

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/provider/providertest"
)

func TestOneConnectionServesManyCalls(t *testing.T) {
	reused(t, chatWire{}, func(base string) agent.Model { return New(Config{BaseURL: base, API: APIChat}) })
	reused(t, responsesWire{}, func(base string) agent.Model { return New(Config{BaseURL: base, API: APIResponses}) })
}

// reused makes calls one after the other, each left at its answer, and counts
// the connections: a handshake for each step would be felt.
func reused(t *testing.T, w providertest.Wire, model func(base string) agent.Model) {
	t.Helper()
	stream := providertest.Stream(w, providertest.Short())
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = w.Write(stream)
	}))
	var connections atomic.Int32
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	m := model(server.URL)
	for range 5 {
		for d, err := range m.Stream(t.Context(), agent.ModelRequest{Model: "m"}) {
			if err != nil {
				t.Fatal(err)
			}
			if d.Kind == agent.DeltaDone {
				break
			}
		}
	}
	if n := connections.Load(); n != 1 {
		t.Errorf("five calls took %d connections, want 1", n)
	}
}
