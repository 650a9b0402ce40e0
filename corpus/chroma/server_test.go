package chroma_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/corpus/chroma"
	"github.com/lossless-group/in-app-agent/internal/outbound"
)

// running is the real server of all tests of a run: its address, or why there is none.
var running struct{ url, why string }

func TestMain(m *testing.M) {
	os.Exit(func() int {
		stop, err := start()
		if err != nil {
			running.why = err.Error()
		} else {
			defer stop()
		}
		return m.Run()
	}())
}

// start runs the server that .ci/deps chroma installed, on a free port of loopback,
// and waits until it answers.
func start() (stop func(), err error) {
	program, err := filepath.Abs("../../.cache/chroma/venv/bin/chroma")
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(program); err != nil {
		if why, err := os.ReadFile("../../.cache/chroma/missing"); err == nil {
			return nil, errors.New(strings.TrimSpace(string(why)))
		}
		return nil, errors.New("chromadb is not installed: run .ci/deps chroma")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	l.Close()
	dir, err := os.MkdirTemp("", "chroma-test")
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(program, "run", "--path", dir, "--host", "127.0.0.1", "--port", port)
	cmd.Env = append(os.Environ(), "ANONYMIZED_TELEMETRY=False", "CHROMA_OTEL_COLLECTION_ENDPOINT=")
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	stop = func() {
		_ = cmd.Process.Kill() // it does not end by being asked
		_ = cmd.Wait()
		_ = os.RemoveAll(dir)
	}
	running.url = "http://127.0.0.1:" + port
	if err := answers(running.url+"/api/v2/heartbeat", 30*time.Second); err != nil {
		stop()
		return nil, fmt.Errorf("the Chroma server did not start: %w", err)
	}
	return stop, nil
}

func answers(url string, within time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		res, err := http.DefaultClient.Do(req)
		if err == nil {
			res.Body.Close()
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-tick.C:
		}
	}
}

// real gives the address of the real server, or skips and says why.
func real(tb testing.TB) string {
	tb.Helper()
	if running.why != "" {
		tb.Skip(running.why)
	}
	return running.url
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
