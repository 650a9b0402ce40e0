// Package embedded serves the corpus without a server: a tenant is one SQLite
// file with a full-text index, and ranking is BM25 over all searched scopes
// together, with title and tags as a boost and never as a gate. There are no
// vectors: it is BM25 alone.
//
// Sections cuts Markdown into what Put takes.
package embedded
