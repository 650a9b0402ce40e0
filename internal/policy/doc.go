// Package policy holds the rules of a turn as pure functions: who may call what,
// and what a model call may cost.
package policy
