package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// Limits of one git command: how much it may print, and how long it may take to
// end after its context did.
const (
	MaxOutputBytes = 256 << 20
	killDelay      = 10 * time.Second
)

// hardened keeps a repository's own configuration from running programs.
var hardened = []string{
	"-c", "core.hooksPath=" + os.DevNull,
	"-c", "core.fsmonitor=false",
	"-c", "core.quotePath=false",
	"-c", "protocol.allow=never",
	"-c", "gc.auto=0",
	"-c", "commit.gpgSign=false",
}

// command is one run of git.
type command struct {
	args  []string
	stdin []byte
	env   []string // besides the fixed environment
	dir   string   // "" means the repository's
}

// failure is a git command that ran to its end and exited with an error: what it says
// is an answer. Its text is for the log.
type failure struct {
	args   []string
	stderr string
	code   int // exit code
	err    error
}

func (f *failure) Error() string {
	return fmt.Sprintf("git %s: %v: %s", strings.Join(f.args, " "), f.err, strings.TrimSpace(f.stderr))
}

func (f *failure) Unwrap() error { return f.err }

// git runs one command in the repository and gives what it printed.
func (r *Repo) git(ctx context.Context, args ...string) ([]byte, error) {
	return r.run(ctx, command{args: args})
}

func (r *Repo) run(ctx context.Context, c command) ([]byte, error) {
	if c.dir == "" {
		c.dir = r.dir
	}
	return run(ctx, c)
}

func run(ctx context.Context, c command) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", append(hardened[:len(hardened):len(hardened)], c.args...)...)
	cmd.Dir = c.dir
	cmd.Env = append(Environment(), c.env...)
	cmd.WaitDelay = killDelay
	if c.stdin != nil {
		cmd.Stdin = bytes.NewReader(c.stdin)
	}
	var out, problems bytes.Buffer
	cmd.Stderr = &limited{w: &problems, left: 64 << 10, quiet: true}
	err := runInto(ctx, cmd, &limited{w: &out, left: MaxOutputBytes})
	switch {
	case err == nil:
		return out.Bytes(), nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, exec.ErrNotFound):
		return nil, &agent.Error{
			Code: agent.CodeUnavailable, Message: "git is not installed on the server, and decks live in git.",
			Hint: "Install git (Debian: apt install git) and start again.", Cause: err,
		}
	case errors.Is(err, errTooMuch):
		return nil, agent.Wrap(agent.CodeTooLarge, err, "The repository gave more than we read at once.")
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) || !exit.Exited() {
		// It did not start, was killed or was given up: nobody knows what it would say.
		return nil, &agent.Error{
			Code: agent.CodeUnavailable, Message: "The repository of the deck does not answer at the moment.", Hint: "Try again in a moment.",
			Retryable: true, RetryAfter: time.Second, Cause: fmt.Errorf("git %s: %w", strings.Join(c.args, " "), err),
		}
	}
	return nil, &failure{args: c.args, stderr: problems.String(), code: exit.ExitCode(), err: err}
}

// runInto runs a program and takes what it prints. It reads to the end before it waits
// for the exit: the runtime lets others have the core while a pipe is silent, but gives
// it away late while a process is waited for, and there are two of these to each turn.
func runInto(ctx context.Context, cmd *exec.Cmd, out io.Writer) error {
	printed, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	// A child of a killed git may hold the pipe open.
	defer context.AfterFunc(ctx, func() { _ = printed.Close() })()
	_, copied := io.Copy(out, printed)
	_ = printed.Close() // a program that goes on printing ends by it
	if err := cmd.Wait(); err != nil && !errors.Is(copied, errTooMuch) {
		return err
	}
	return copied
}

// Environment is all that git sees: nothing of the caller's GIT_ variables, no
// configuration of the machine or the user, no prompt.
func Environment() []string {
	env := []string{
		"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_SYSTEM=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "LC_ALL=C", "TZ=UTC",
	}
	for _, name := range []string{"PATH", "SystemRoot", "TMPDIR", "TEMP", "TMP"} {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}

var errTooMuch = errors.New("output is over the limit")

// limited stops a writer at a number of bytes; a quiet one drops the rest.
type limited struct {
	w     io.Writer
	left  int
	quiet bool
}

func (l *limited) Write(p []byte) (int, error) {
	n := len(p)
	if n > l.left {
		if !l.quiet {
			return 0, errTooMuch
		}
		p = p[:l.left]
	}
	l.left -= len(p)
	if _, err := l.w.Write(p); err != nil {
		return 0, err
	}
	return n, nil
}
