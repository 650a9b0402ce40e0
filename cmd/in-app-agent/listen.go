package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
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
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, usageError{&agent.Error{Code: agent.CodeInvalidInput, Message: "--listen needs HOST:PORT, such as " + defaultListen + ".", Cause: err}}
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return nil, usageError{&agent.Error{Code: agent.CodeInvalidInput, Message: fmt.Sprintf("%.40q is no port: one is a number from 0 to 65535, and 0 takes any.", port),
			Hint: "Use --listen 127.0.0.1:PORT, such as " + defaultListen + "."}}
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
		return nil, &agent.Error{Code: agent.CodeUnavailable, Message: "Nothing can listen on " + address + ".", Hint: listenHint(err), Cause: err}
	}
	return l, nil
}

// listenHint says what to do about an address that nothing can listen on.
func listenHint(err error) string {
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return "Another program has the port: choose one with --listen 127.0.0.1:PORT; port 0 takes any."
	case errors.Is(err, syscall.EACCES):
		return "This user may not listen on that port: choose one above 1023 with --listen 127.0.0.1:PORT; port 0 takes any."
	}
	return "Choose another address with --listen 127.0.0.1:PORT; port 0 takes any."
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
