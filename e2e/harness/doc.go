// Package harness runs the real binary and the fake provider as processes and
// looks at them as their users do: over HTTP, in the git repository of a deck, in
// the database, in the log. Tests of the whole stack are built on it.
//
// Whatever goes wrong in a helper ends the test that called it; only Send and Open
// give errors, so that many goroutines may call them at once.
package harness
