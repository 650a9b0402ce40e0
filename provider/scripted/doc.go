// Package scripted is a model that plays rounds instead of asking a provider.
// It serves tests, the keyless demo and benchmarks: it streams like a real one,
// calls capabilities, fails on demand and needs no key and no network.
//
// A Brain picks the Round that answers a request. Script is the Brain that is
// written as JSON, in the format that the fake provider of e2e plays over real
// wires too; BrainFunc is one written in Go, for a host that knows its own words.
//
//	model := scripted.New(scripted.Sequence(
//		scripted.Round{Calls: []scripted.Call{{Name: "slide.read", Input: json.RawMessage(`{"slide":4}`)}}},
//		scripted.Round{Text: scripted.Text{"Slide four talks about revenue."}},
//	), scripted.Options{})
package scripted
