package providertest

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// judge is a TB that remembers whether it was told of a failure.
type judge struct {
	ctx      context.Context
	mu       sync.Mutex
	failures []string
	cleanups []func()
}

func (j *judge) Helper()                  {}
func (j *judge) Context() context.Context { return j.ctx }
func (j *judge) Cleanup(f func())         { j.cleanups = append(j.cleanups, f) }

func (j *judge) Errorf(format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.failures = append(j.failures, fmt.Sprintf(format, args...))
}

func (j *judge) Fatalf(format string, args ...any) {
	j.Errorf(format, args...)
	runtime.Goexit()
}

// verdict runs a case and gives its failures.
func verdict(c Case, h Harness) []string {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	j := &judge{ctx: ctx}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if r := recover(); r != nil {
				j.Errorf("panic: %v", r)
			}
		}()
		c.Run(j, h)
	}()
	<-done
	for _, f := range j.cleanups {
		f()
	}
	return j.failures
}

func TestTheReferenceModelConforms(t *testing.T) { Run(t, reference{}) }

func TestEachBrokenModelIsCaughtByTheCaseMeantForIt(t *testing.T) {
	a, b, c := patience, slowness, brief
	patience, slowness, brief = proofPatience, 10*time.Millisecond, 5*time.Millisecond
	t.Cleanup(func() { patience, slowness, brief = a, b, c })
	for _, p := range proofs {
		t.Run(string(p.flaw), func(t *testing.T) {
			caught := false
			for _, c := range Cases() {
				failures := verdict(c, reference{p.flaw})
				switch {
				case len(failures) == 0:
				case c.Name == p.meant:
					caught = true
				case !slices.Contains(p.near, c.Name):
					t.Errorf("the case %q fails too: %s", c.Name, strings.Join(failures, "; "))
				}
			}
			if !caught {
				t.Errorf("the case %q does not catch it", p.meant)
			}
		})
	}
}
