// Package floors holds the rules of the source tree as tests: which package may
// import which, how long a file gets, what must be documented. Each rule is a
// pure function over what it looks at, so that the tests also prove on invented
// trees that it would report.
package floors
