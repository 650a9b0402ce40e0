// Package builtin holds the capabilities of the house, which every app has:
// what can be asked for here, what the host knows about the open project, the
// search over the corpus, what the people of an org want to be remembered, and
// what the agent notes by itself. Each lies beside the words that the model reads.
package builtin
