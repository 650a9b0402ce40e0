// Command fakeprovider is a model provider for tests: a process that speaks the
// wires of Anthropic and OpenAI, plays the rounds of a script and breaks on
// demand. See package fake for what it does and scripted for the script's format.
//
//	go run ./e2e/fakeprovider --listen 127.0.0.1:0 --script rounds.json
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/lossless-group/in-app-agent/e2e/fakeprovider/fake"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run serves until the context ends. It gives the exit code: 0, 1 failed, 2
// wrong usage.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("fakeprovider", flag.ContinueOnError)
	flags.SetOutput(stderr)
	listen := flags.String("listen", "127.0.0.1:0", "address to listen on; port 0 takes a free one")
	script := flags.String("script", "", "file of rounds; without it every answer is one sentence")
	accept := flags.String("accept", "", "prefixes of the keys that are accepted, with commas between; all by default")
	keyless := flags.Bool("keyless", false, "accept requests without a key as well")
	models := flags.String("models", "", "the models that exist, with commas between; all by default")
	minCache := flags.Int("min-cache-tokens", 0, "the smallest prefix that is cached, in tokens")
	strict := flags.Bool("strict-roles", false, "refuse two messages of one role in a row")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	if flags.NArg() > 0 {
		fmt.Fprintf(stderr, "fakeprovider takes flags only, not %q\n", flags.Arg(0))
		return 2
	}
	opts := fake.Options{Accept: list(*accept), Keyless: *keyless, Models: list(*models), MinCacheTokens: *minCache, StrictRoles: *strict}
	if *script != "" {
		data, err := os.ReadFile(*script)
		if err != nil {
			fmt.Fprintln(stderr, err)
			return 1
		}
		s, err := scripted.Parse(data)
		if err != nil {
			fmt.Fprintf(stderr, "%s: %v\n", *script, err)
			return 1
		}
		opts.Script = s
	}
	if err := serve(ctx, *listen, fake.New(opts), stdout); err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	return 0
}

// serve tells where it listens and answers until the context ends; answers that
// are on their way are cut then.
func serve(ctx context.Context, addr string, handler http.Handler, stdout io.Writer) error {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	srv := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	defer context.AfterFunc(ctx, func() { _ = srv.Close() })()
	fmt.Fprintf(stdout, "listening on http://%s\n", l.Addr())
	if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func list(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ',' })
}
