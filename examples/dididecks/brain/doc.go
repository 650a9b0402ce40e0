// Package brain is what the keyless demo thinks with: a scripted model that knows
// the words of a deck app. It reads what the user wants from patterns, calls the
// same capabilities as a real model, and rewrites slides by rules that work on any
// deck. It knows nothing of a particular one.
package brain
