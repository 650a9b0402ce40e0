package crash

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// trial is the testing.TB of one seed: its failures are its own, so that one seed
// does not end the others and a planted fault can be seen to be caught. Fatal may be
// called from any goroutine of the trial; it ends that goroutine, and the trial ends
// with it.
type trial struct {
	testing.TB
	ctx    context.Context
	cancel context.CancelFunc

	mu       sync.Mutex
	says     []string
	failed   bool
	cleanups []func()
}

// runTrial runs a body as a trial and gives what it found fault with.
func runTrial(tb testing.TB, body func(t *trial)) (faults []string) {
	t := &trial{TB: tb}
	t.ctx, t.cancel = context.WithCancel(tb.Context())
	t.apart(func() { body(t) })
	t.cancel()
	for i := len(t.cleanups) - 1; i >= 0; i-- {
		t.apart(t.cleanups[i])
	}
	if !t.failed {
		return nil
	}
	return t.says
}

// apart runs f in a goroutine that Fatal may end, and waits for it.
func (t *trial) apart(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	<-done
}

// note keeps a line; where is 2 callers up.
func (t *trial) note(fail bool, text string) {
	_, file, line, _ := runtime.Caller(2)
	t.mu.Lock()
	defer t.mu.Unlock()
	if fail && !t.failed {
		t.failed = true
		t.cancel() // nothing of a failed trial goes on
	}
	t.says = append(t.says, fmt.Sprintf("%s:%d: %s", file[strings.LastIndex(file, "/")+1:], line, text))
}

// The methods of testing.TB that a trial has of its own.

func (t *trial) Helper()                  {}
func (t *trial) Context() context.Context { return t.ctx }
func (t *trial) Error(args ...any)        { t.note(true, fmt.Sprint(args...)) }
func (t *trial) Errorf(f string, args ...any) {
	t.note(true, fmt.Sprintf(f, args...))
}
func (t *trial) Log(args ...any)            { t.note(false, fmt.Sprint(args...)) }
func (t *trial) Logf(f string, args ...any) { t.note(false, fmt.Sprintf(f, args...)) }
func (t *trial) Fatal(args ...any) {
	t.note(true, fmt.Sprint(args...))
	runtime.Goexit()
}
func (t *trial) Fatalf(f string, args ...any) {
	t.note(true, fmt.Sprintf(f, args...))
	runtime.Goexit()
}
func (t *trial) Fail()    { t.note(true, "failed") }
func (t *trial) FailNow() { t.Fail(); runtime.Goexit() }

func (t *trial) Failed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.failed
}

func (t *trial) Cleanup(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.cleanups = append(t.cleanups, f)
}

func (t *trial) TempDir() string {
	dir, err := os.MkdirTemp("", "crash-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}
