// Command in-app-agent runs the agent: the demo deck with its chat, the jobs that
// keep it tidy, and the keys of orgs. One file a verb.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	agent "github.com/lossless-group/in-app-agent"
)

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

type commands struct {
	Demo      demoCmd      `cmd:"" help:"Open a slide deck with the chat beside it. No key is needed."`
	Doctor    doctorCmd    `cmd:"" help:"Look for what is wrong and say what to do."`
	Ingest    ingestCmd    `cmd:"" help:"Put Markdown files into the corpus."`
	Jobs      jobsCmd      `cmd:"" help:"Run or list the jobs that keep the data tidy."`
	Keys      keysCmd      `cmd:"" help:"Keep the model keys of orgs and users."`
	Orgs      orgsCmd      `cmd:"" help:"Add and list orgs and their members."`
	Migrate   migrateCmd   `cmd:"" help:"Take over what was kept elsewhere before."`
	Reminders remindersCmd `cmd:"" help:"Read, write and compare the reminder files of an org."`
	Version   versionCmd   `cmd:"" help:"Say which build this is."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is main with everything handed in. It gives the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	var cmd commands
	exited := -1
	parser, err := kong.New(&cmd,
		kong.Name("in-app-agent"),
		kong.Description("Agent chat inside other people's apps: it previews every change, waits, applies it exactly once."),
		kong.Writers(stdout, stderr),
		kong.Exit(func(code int) { exited = code }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Vars{"listen": defaultListen, "data": defaultData},
	)
	if err != nil {
		fmt.Fprintln(stderr, "in-app-agent:", err)
		return exitFailed
	}
	chosen, err := parser.Parse(asked(args))
	if exited >= 0 {
		return exited
	}
	if err != nil {
		fmt.Fprintf(stderr, "in-app-agent: %v\n", err)
		fmt.Fprintln(stderr, "Try in-app-agent --help.")
		return exitUsage
	}
	err = chosen.Run(&env{ctx: ctx, stdin: stdin, stdout: stdout, stderr: stderr})
	return report(err, stderr)
}

// asked reads help and --version as people type them.
func asked(args []string) []string {
	if len(args) == 0 {
		return args
	}
	switch args[0] {
	case "help":
		return append(slices.Clone(args[1:]), "--help")
	case "--version":
		return append([]string{"version"}, args[1:]...)
	}
	return args
}

// env is what a verb may touch.
type env struct {
	ctx            context.Context
	stdin          io.Reader
	stdout, stderr io.Writer
}

// usageError is a mistake in the words of a command.
type usageError struct{ error }

// Unwrap gives the mistake, so that its message and hint are told.
func (u usageError) Unwrap() error { return u.error }

// report says what went wrong and what to do.
func report(err error, stderr io.Writer) int {
	if err == nil || errors.Is(err, context.Canceled) {
		return exitOK
	}
	var ours *agent.Error
	if errors.As(err, &ours) {
		fmt.Fprintf(stderr, "in-app-agent: %s\n", ours.Message)
		if ours.Hint != "" {
			fmt.Fprintln(stderr, ours.Hint)
		}
		if cause := because(ours); cause != "" {
			fmt.Fprintf(stderr, "(%s: %s)\n", ours.Code, cause)
		}
	} else {
		fmt.Fprintln(stderr, "in-app-agent:", err)
	}
	var usage usageError
	if errors.As(err, &usage) {
		return exitUsage
	}
	return exitFailed
}

// because gives what stands behind an error and is not in its message already: the
// causes that are errors of ours are told by their messages.
func because(e *agent.Error) string {
	var parts []string
	cause := e.Cause
	for cause != nil {
		text, next := cause.Error(), error(nil)
		var inner *agent.Error
		if errors.As(cause, &inner) {
			text, next = inner.Message, inner.Cause
		}
		cause = next
		if text != "" && !strings.Contains(e.Message, strings.TrimSuffix(text, ".")) {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, ": ")
}
