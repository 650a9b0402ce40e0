package harness

import (
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

// The ports that servers listen on lie below those that systems give to outgoing
// connections: one of those could take the port of a server between two of its lives.
const (
	lowestPort = 10_000
	ports      = 20_000
)

// freeAddress gives an address at which nobody listens.
func freeAddress(tb testing.TB) string {
	tb.Helper()
	const tries = 100
	var last error
	for range tries {
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(lowestPort+rand.IntN(ports)))
		l, err := net.Listen("tcp", address)
		if err == nil {
			_ = l.Close()
			return address
		}
		last = err
	}
	tb.Fatalf("no free port in %d tries: %v", tries, last)
	return ""
}
