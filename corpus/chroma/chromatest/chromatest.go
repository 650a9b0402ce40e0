// Package chromatest runs a real Chroma server for tests: the one that .ci/deps chroma
// installed into the project's .cache.
package chromatest

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
	"testing"
	"time"
)

// Server is a running server, or the reason why there is none.
type Server struct {
	url, why string
	stop     func()
}

// Start runs the server on a free port of loopback and waits until it answers. Root is
// the folder of the project. The caller stops it at the end of the test's process.
func Start(root string) *Server {
	s := &Server{stop: func() {}}
	if err := s.start(root); err != nil {
		s.Stop()
		s.why = err.Error()
	}
	return s
}

// URL gives the server's address, or skips the test and says why.
func (s *Server) URL(tb testing.TB) string {
	tb.Helper()
	if s.why != "" {
		tb.Skip(s.why)
	}
	return s.url
}

// Stop ends the server and removes what it stored.
func (s *Server) Stop() { s.stop() }

func (s *Server) start(root string) error {
	cache, err := filepath.Abs(filepath.Join(root, ".cache", "chroma"))
	if err != nil {
		return err
	}
	program := filepath.Join(cache, "venv", "bin", "chroma")
	if _, err := os.Stat(program); err != nil {
		if why, err := os.ReadFile(filepath.Join(cache, "missing")); err == nil {
			return errors.New(strings.TrimSpace(string(why)))
		}
		return errors.New("chromadb is not installed: run .ci/deps chroma")
	}
	ctx := context.Background() // until Stop
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	_ = l.Close()
	dir, err := os.MkdirTemp("", "chroma-test")
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, program, "run", "--path", dir, "--host", "127.0.0.1", "--port", port)
	cmd.Env = append(os.Environ(), "ANONYMIZED_TELEMETRY=False", "CHROMA_OTEL_COLLECTION_ENDPOINT=")
	if err := cmd.Start(); err != nil {
		return err
	}
	s.stop = func() {
		_ = cmd.Process.Kill() // it does not end by being asked
		_ = cmd.Wait()
		_ = os.RemoveAll(dir)
	}
	s.url = "http://127.0.0.1:" + port
	if err := Answers(s.url+"/api/v2/heartbeat", 30*time.Second); err != nil {
		return fmt.Errorf("the Chroma server did not start: %w", err)
	}
	return nil
}

// Answers waits until an address answers.
func Answers(url string, within time.Duration) error {
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
