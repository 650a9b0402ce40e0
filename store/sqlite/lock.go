package sqlite

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// fileLock is a lock of the operating system on a file: it ends with its process,
// however that ends. So whoever holds it knows that no other owner is alive.
type fileLock struct{ f *os.File }

var errLocked = errors.New("locked by another open file")

// lockFile takes the lock or says who has it. The file stays when the lock is let
// go: removing it would let two processes lock two files of one name.
func lockFile(path string) (*fileLock, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, cannotOpen(path, err)
	}
	if err := tryLock(f); err != nil {
		_ = f.Close()
		if errors.Is(err, errLocked) {
			return nil, heldByAnother(path)
		}
		return nil, cannotOpen(path, err)
	}
	notePID(f)
	return &fileLock{f: f}, nil
}

// waitForLock takes the lock once the other holder lets go, within the context.
func waitForLock(ctx context.Context, path string) (*fileLock, error) {
	for {
		l, err := lockFile(path)
		if err == nil || !isHeld(err) {
			return l, err
		}
		timer := time.NewTimer(20 * time.Millisecond)
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil, err
		case <-timer.C:
		}
	}
}

func isHeld(err error) bool { return errors.Is(err, errLocked) }

func (l *fileLock) unlock() error { return l.f.Close() }

func heldByAnother(path string) error {
	who := "another process"
	if pid, err := os.ReadFile(path); err == nil && len(pid) > 0 && len(pid) < 20 {
		who = "another process (" + strings.TrimSpace(string(pid)) + ")"
	}
	return &agent.Error{
		Code:    agent.CodeUnavailable,
		Message: "The database " + strings.TrimSuffix(path, ".lock") + " is in use by " + who + ".",
		Hint:    "Stop the other one first, or give this one a data folder of its own.",
		Cause:   errLocked,
	}
}
