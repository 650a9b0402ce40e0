package chroma_test

import (
	"fmt"
	"net/http"
	"os"
	"sync/atomic"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/corpus/chroma"
	"github.com/lossless-group/in-app-agent/corpus/chroma/chromatest"
	"github.com/lossless-group/in-app-agent/internal/outbound"
)

// running is the real server of all tests of a run.
var running *chromatest.Server

func TestMain(m *testing.M) {
	os.Exit(func() int {
		running = chromatest.Start("../..")
		defer running.Stop()
		return m.Run()
	}())
}

// real gives the address of the real server, or skips and says why.
func real(tb testing.TB) string {
	tb.Helper()
	return running.URL(tb)
}

var databases atomic.Int64

// freshDatabase names one that no other test uses.
func freshDatabase() string { return fmt.Sprintf("test-%d", databases.Add(1)) }

func client(tb testing.TB, url string) *http.Client {
	tb.Helper()
	host, err := outbound.HostOf(url, true)
	if err != nil {
		tb.Fatal(err)
	}
	c := outbound.NewClient(outbound.Policy{Hosts: []outbound.Host{host}, Purpose: "corpus"})
	tb.Cleanup(c.CloseIdleConnections)
	return c
}

func open(tb testing.TB, cfg chroma.Config) *chroma.Corpus {
	tb.Helper()
	if cfg.URL == "" {
		cfg.URL = real(tb)
	}
	if cfg.HTTP == nil {
		cfg.HTTP = client(tb, cfg.URL)
	}
	c, err := chroma.New(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

var (
	acme   = agent.Scope{Tenant: agent.ClientTenant("acme"), Collection: agent.CollectionSessions}
	globex = agent.Scope{Tenant: agent.ClientTenant("globex"), Collection: agent.CollectionSessions}
)
