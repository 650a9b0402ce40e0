package main

import (
	"context"
	"errors"
	"net"
	"syscall"
	"testing"
	"time"
)

// held gives an address that somebody listens on.
func held(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func TestAPortThatIsLeftAMomentLaterIsTaken(t *testing.T) {
	holder, again := held(t), make(chan time.Time)
	got := make(chan error, 1)
	go func() {
		l, err := bind(t.Context(), holder.Addr().String(), again)
		if err == nil {
			err = l.Close()
		}
		got <- err
	}()
	again <- time.Time{} // the first try is over, and found it taken
	again <- time.Time{} // so did the second
	if err := holder.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case again <- time.Time{}:
		if err := <-got; err != nil {
			t.Error(err)
		}
	case err := <-got: // the third try came after the close
		if err != nil {
			t.Error(err)
		}
	}
}

func TestAPortThatStaysTakenIsAnErrorWhenThePatienceEnds(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if l, err := bind(ctx, held(t).Addr().String(), nil); l != nil || !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("it gave %v, %v", l, err)
	}
}

func TestAnotherErrorIsNotWaitedFor(t *testing.T) {
	if _, err := bind(t.Context(), "127.0.0.1:none", nil); err == nil || errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("it gave %v", err)
	}
}
