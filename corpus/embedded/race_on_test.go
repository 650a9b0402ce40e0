//go:build race

package embedded

// UnderRace tells that the race detector slows everything down: tests that are
// long and have one goroutine are shorter then.
const UnderRace = true
