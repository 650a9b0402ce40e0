// Package memory is what an org's memory needs besides its store: the first texts of
// the reminder files, the difference of two of their versions, and the similarity by
// which notes are recalled.
package memory
