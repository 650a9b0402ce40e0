package harness

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// Options say how a server is started; the zero value is the demo on a free port
// with a data folder of its own and no provider that could be reached.
type Options struct {
	Programs Programs
	// Provider is what Anthropic and OpenAI are replaced by.
	Provider *Provider
	Data     string   // "" makes a folder that goes with the test
	Deck     string   // --deck
	Listen   string   // "" is a free port of 127.0.0.1
	Env      []string // besides the addresses of the providers
	Args     []string
	// Deaf keeps no copy of what users hear: a long run hears gigabytes.
	Deaf bool
}

// Server is a running in-app-agent.
type Server struct {
	URL  string // such as http://127.0.0.1:41234
	Data string

	tb      testing.TB
	opts    Options
	proc    *process
	log     *journal
	heard   *journal // every answer that its users got
	running bool
}

// nowhere is an address at which nothing answers: no test may reach a real provider.
const nowhere = "http://127.0.0.1:9/"

// Start starts a server and waits until it listens. It is killed with the test;
// a failed test shows the end of its log.
func Start(tb testing.TB, o Options) *Server {
	tb.Helper()
	if o.Data == "" {
		o.Data = filepath.Join(tb.TempDir(), "data")
	}
	if o.Listen == "" {
		o.Listen = freeAddress(tb)
	}
	s := &Server{tb: tb, opts: o, Data: o.Data, log: &journal{}, heard: &journal{}}
	tb.Cleanup(func() {
		s.Kill()
		if tb.Failed() {
			tb.Logf("the end of the server's log:\n%s", tail(s.log.String(), 60))
		}
	})
	s.launch()
	return s
}

func (s *Server) launch() {
	s.tb.Helper()
	proc, up := s.start(nil)
	if !up {
		s.tb.Fatalf("the server ended before it listened:\n%s", tail(s.log.String(), 60))
	}
	s.proc, s.URL, s.running = proc, proc.url, true
}

// start starts the program; up is false where it ended before it listened.
func (s *Server) start(env []string) (proc *process, up bool) {
	s.tb.Helper()
	base := nowhere
	if s.opts.Provider != nil {
		base = s.opts.Provider.URL + "/"
	}
	vars := environment(slices.Concat([]string{
		"IN_APP_AGENT_ANTHROPIC_BASE_URL=" + base,
		"IN_APP_AGENT_OPENAI_BASE_URL=" + base + "v1/",
		"IN_APP_AGENT_GROQ_BASE_URL=" + nowhere,
	}, s.opts.Env, env)...)
	args := []string{"demo", "--listen", s.opts.Listen, "--data", s.Data, "-v"}
	if s.opts.Deck != "" {
		args = append(args, "--deck", s.opts.Deck)
	}
	return tryLaunch(s.tb, s.log, vars, s.opts.Programs.Agent, append(args, s.opts.Args...)...)
}

// Kill ends the server as kill -9 does. A server that has ended stays so.
func (s *Server) Kill() {
	if s.running {
		s.proc.kill()
		s.running = false
	}
}

// KillAfter kills the server a while later, whatever it does then; wait returns
// once it is dead. Nothing else may end it in between.
func (s *Server) KillAfter(d time.Duration) (wait func()) {
	proc, dead := s.proc, make(chan struct{})
	time.AfterFunc(d, func() {
		proc.kill()
		close(dead)
	})
	return func() {
		<-dead
		s.running = false
	}
}

// Stop asks the server to end and gives its exit code.
func (s *Server) Stop() int {
	s.tb.Helper()
	code := s.proc.terminate(s.tb)
	s.running = false
	return code
}

// Restart starts an ended server again, on the same data and the same port.
func (s *Server) Restart() {
	s.tb.Helper()
	s.Kill()
	s.opts.Listen = strings.TrimPrefix(s.URL, "http://")
	s.launch()
}

// Strike kills the server as kill -9 does and does not wait for its end. Whoever waits
// for Ended calls Again.
func (s *Server) Strike() { _ = s.proc.cmd.Process.Kill() }

// Ended is closed once the server of this life has ended, whoever ended it.
func (s *Server) Ended() <-chan struct{} { return s.proc.done }

// Again starts an ended server on the same data and the same port, with more
// environment. It gives false where the server ended before it listened.
func (s *Server) Again(env ...string) bool {
	s.tb.Helper()
	s.running = false
	s.opts.Listen = strings.TrimPrefix(s.URL, "http://")
	proc, up := s.start(env)
	s.proc, s.running = proc, up
	return up
}

// Pid gives the process id of the server of this life.
func (s *Server) Pid() int { return s.proc.cmd.Process.Pid }

// Log gives everything that the server said on stdout and stderr, of all its lives.
func (s *Server) Log() string { return s.log.String() }

// Heard gives the bytes of every answer and stream that the server's users got.
func (s *Server) Heard() string { return s.heard.String() }

func tail(text string, n int) string {
	lines := strings.Split(text, "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
