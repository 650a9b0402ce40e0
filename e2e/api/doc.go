// Package api holds the tests of the whole stack without a browser: the real
// binary as a process, over HTTP, with a fake provider on the real wire. The tests
// are the package; see harness for how they look at things.
package api
