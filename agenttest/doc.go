// Package agenttest is a test kit for apps that embed the agent: a whole server on a
// temporary store, with a scripted model in place of a provider's, so that a test of
// the app's capabilities needs no key, no network and no browser.
//
//	func TestThePromptOfOurAppIsStable(t *testing.T) {
//		agenttest.StablePrefix(t, agenttest.New(t, func() agenttest.Parts {
//			return agenttest.Parts{App: "Notes", Capabilities: notes.Capabilities(), Host: notes.Host()}
//		}))
//	}
package agenttest
