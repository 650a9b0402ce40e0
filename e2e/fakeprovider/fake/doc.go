// Package fake is a model provider that speaks the real wires: Anthropic
// Messages, OpenAI Chat Completions and OpenAI Responses, streamed and whole. It
// refuses what the real ones refuse, counts its prompt cache for real, keeps
// every request for the test to read, and breaks in every way that a test asks
// for. What it answers are the rounds of a scripted.Script.
//
// A Server is an http.Handler; the program around it is e2e/fakeprovider.
package fake
