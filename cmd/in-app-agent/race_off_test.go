//go:build !race

package main

// underRace tells that the race detector slows everything down: tests that are
// long and have one goroutine are shorter then.
const underRace = false
