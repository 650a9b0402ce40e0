package main

import (
	"context"
	"errors"
	"net"
	"syscall"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// portPatience is how long a taken port is tried again. A server that was killed while
// it started a program, as it does for git, leaves its port to the half-started child
// until that runs; a restart must not fail for it.
const portPatience = time.Second

// listenLoopback listens on an address that only this machine reaches.
func listenLoopback(e *env, address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, usageError{&agent.Error{Code: agent.CodeInvalidInput, Message: "--listen needs HOST:PORT, such as " + defaultListen + ".", Cause: err}}
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, usageError{&agent.Error{Code: agent.CodeInvalidInput, Message: "The demo signs people in without a password, so it listens on this machine only.",
			Hint: "Use --listen 127.0.0.1:PORT."}}
	}
	wait, stop := context.WithTimeout(e.ctx, portPatience)
	defer stop()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	l, err := bind(wait, address, again.C)
	if err != nil {
		return nil, &agent.Error{Code: agent.CodeUnavailable, Message: "Nothing can listen on " + address + ".",
			Hint: "Another program may have the port: choose one with --listen 127.0.0.1:PORT; port 0 takes any.", Cause: err}
	}
	return l, nil
}

// bind listens, and tries again at each tick while somebody has the port, until the
// context ends.
func bind(ctx context.Context, address string, again <-chan time.Time) (net.Listener, error) {
	var lc net.ListenConfig
	for {
		l, err := lc.Listen(context.WithoutCancel(ctx), "tcp", address)
		if !errors.Is(err, syscall.EADDRINUSE) {
			return l, err
		}
		select {
		case <-again:
		case <-ctx.Done():
			return nil, err
		}
	}
}
