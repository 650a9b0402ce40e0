//go:build failpoint

package failpoint

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// linger is how long the rest of the process goes on while the point's goroutine
// stands: what was told before it reaches its readers, what comes after it never does.
const linger = 10 * time.Millisecond

var (
	armed, left = parse(os.Getenv("IN_APP_AGENT_FAILPOINT"))
	planted     = os.Getenv("IN_APP_AGENT_PLANT")
)

// parse reads name:n; a name alone means its first hit.
func parse(s string) (name string, n *atomic.Int64) {
	name, count, _ := strings.Cut(s, ":")
	n = &atomic.Int64{}
	n.Store(1)
	if v, err := strconv.ParseInt(count, 10, 64); err == nil {
		n.Store(v)
	}
	return name, n
}

// due counts a hit and reports whether it is the one.
func due(name string) bool { return name == armed && armed != "" && left.Add(-1) == 0 }

// Hit kills the process here when the point is armed and this is the nth hit; the
// caller never goes on.
func Hit(name string) {
	if due(name) {
		time.Sleep(linger)
		die(name)
	}
}

// Soon kills the process a moment after the nth hit, while the caller goes on: in the
// middle of what comes next.
func Soon(name string) {
	if due(name) {
		time.AfterFunc(linger, func() { die(name) })
	}
}

func die(name string) {
	fmt.Fprintf(os.Stderr, "failpoint %s\n", name)
	p, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = p.Kill()
	}
	if err != nil {
		os.Exit(137)
	}
	select {}
}

// Planted reports whether the environment plants this fault.
func Planted(name string) bool { return planted == name && name != "" }
