package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// drain is how long a stopping server waits for what runs.
const drain = 10 * time.Second

type demoCmd struct {
	common
	Listen string `default:"${listen}" help:"Address to listen on (${listen}); port 0 takes any." placeholder:"HOST:PORT"`
	Deck   string `type:"path" help:"A folder or git repository with slides, or a reveal.js page, instead of the demo deck." placeholder:"PATH"`
}

// Run opens the deck and serves it until it is told to stop.
func (c *demoCmd) Run(e *env) error {
	l, err := listenLoopback(e, c.Listen)
	if err != nil {
		return err
	}
	defer func() { _ = l.Close() }()
	log := c.logger(e)
	d, err := openDeck(e.ctx, c.common, c.Deck, l.Addr(), log)
	if err != nil {
		return err
	}
	if c.Deck != "" && d.app.Copied() {
		fmt.Fprintf(e.stderr, "working on a copy of %s in %s; yours stays as it is\n", c.Deck, c.Data)
	}
	if c.Deck != "" {
		for _, note := range d.app.Notes() {
			fmt.Fprintln(e.stderr, note)
		}
	}
	return serve(e, l, d)
}

func serve(e *env, l net.Listener, d *deckServer) error {
	srv := &http.Server{
		Handler:           d.Handler(),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
	}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(l) }()
	fmt.Fprintf(e.stdout, "listening on http://%s\n", l.Addr())
	var err error
	select {
	case <-e.ctx.Done():
		fmt.Fprintln(e.stderr, "stopping: what runs is released at its last finished step")
	case err = <-failed:
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(e.ctx), drain)
	defer cancel()
	// Streams never end by themselves, so the engine lets go first.
	closed := d.Close(ctx)
	_ = srv.Close()
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return errors.Join(err, closed)
}
