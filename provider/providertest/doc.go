// Package providertest is the conformance suite that every agent.Model passes.
// An adapter's test says, as a Harness, how the upstream is made to do what a
// Script wants; the cases then say what must come out, whoever the provider is.
//
//	func TestConformance(t *testing.T) { providertest.Run(t, harness{}) }
//
// A case that cannot apply is named by the harness with a reason, is skipped
// aloud and counted; none is skipped in silence.
package providertest
