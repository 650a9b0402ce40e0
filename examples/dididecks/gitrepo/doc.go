// Package gitrepo works on one git repository through the git command line:
// it reads trees and blobs of a commit, puts a change on a side branch, and
// merges a side branch into a working branch with compare and set.
//
// Everything that changes is written with plumbing commands and a private
// index, so no work tree is checked out for a proposal, no hook runs and no
// filter touches a byte. git never sees the caller's environment or the
// machine's configuration.
package gitrepo
