// Package builtin holds the capabilities of the house, which every app has:
// what can be asked for here, what the host knows about the open project, and
// the search over the corpus. Each lies beside the words that the model reads.
package builtin
