package harness

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience bounds every wait for something that must happen; it is long because
// machines that run tests are busy.
const patience = 30 * time.Second

// process is a program that tells "listening on URL" once it is ready.
type process struct {
	cmd  *exec.Cmd
	url  string
	done chan struct{} // closed when it has ended
}

// journal keeps what processes said, for people and for searches.
type journal struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write appends; it never fails.
func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.b.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.b.String()
}

// launch starts a program and waits until it listens.
func launch(tb testing.TB, log *journal, env []string, path string, args ...string) *process {
	tb.Helper()
	p, up := tryLaunch(tb, log, env, path, args...)
	if !up {
		tb.Fatalf("%s ended before it listened:\n%s", path, log)
	}
	return p
}

// tryLaunch is launch for a program that may end before it listens: up is false then.
func tryLaunch(tb testing.TB, log *journal, env []string, path string, args ...string) (proc *process, up bool) {
	tb.Helper()
	p := &process{cmd: exec.Command(path, args...), done: make(chan struct{})}
	p.cmd.Env = env
	p.cmd.Stderr = log
	out, in := io.Pipe()
	p.cmd.Stdout = in
	p.cmd.WaitDelay = 5 * time.Second
	if err := p.cmd.Start(); err != nil {
		tb.Fatalf("start %s: %v", path, err)
	}
	go func() {
		_ = p.cmd.Wait()
		_ = in.Close()
		close(p.done)
	}()
	urls := make(chan string, 1)
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			_, _ = log.Write(append(lines.Bytes(), '\n'))
			if url, ok := strings.CutPrefix(lines.Text(), "listening on "); ok {
				urls <- url
			}
		}
	}()
	select {
	case p.url = <-urls:
	case <-p.done:
		return p, false
	case <-time.After(patience):
		p.kill()
		tb.Fatalf("%s does not listen after %s:\n%s", path, patience, log)
	}
	return p, true
}

// kill ends the process as a power cut would, and waits for its end.
func (p *process) kill() {
	_ = p.cmd.Process.Signal(syscall.SIGKILL)
	<-p.done
}

// terminate asks the process to end and gives its exit code.
func (p *process) terminate(tb testing.TB) int {
	tb.Helper()
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.done:
	case <-time.After(patience):
		p.kill()
		tb.Fatalf("the process does not end after %s", patience)
	}
	return p.cmd.ProcessState.ExitCode()
}

// environment is what a process sees: what it needs to run, and nothing of the
// caller's keys or addresses.
func environment(extra ...string) []string {
	var env []string
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "SystemRoot", "TEMP", "TMP"} {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return append(env, extra...)
}

// Result is how a command that was run to its end went.
type Result struct {
	Code           int
	Stdout, Stderr string
}

// Run runs a program to its end and gives what it said.
func Run(tb testing.TB, path string, args ...string) Result {
	tb.Helper()
	cmd := exec.CommandContext(tb.Context(), path, args...)
	cmd.Env = environment()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if cmd.ProcessState == nil {
		tb.Fatalf("run %s: %v", path, err)
	}
	return Result{Code: cmd.ProcessState.ExitCode(), Stdout: out.String(), Stderr: errs.String()}
}
