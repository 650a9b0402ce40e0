// Package policy holds the rules of a turn as pure functions: who may call what.
package policy
