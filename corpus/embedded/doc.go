// Package embedded serves the corpus without a server: a tenant is one SQLite file
// with a full-text index and, where an embedder is given, vectors. Ranking is over all
// searched scopes together, by words (BM25) fused with likeness of meaning, with
// title, tags and source repo as a boost and never as a gate; without an embedder it
// is by words alone, and the findings say so.
//
// Candidates by meaning are the rows whose signs differ least from the query's; the
// nearest 500 are compared exactly.
//
// Sections cuts Markdown into what Put takes.
package embedded
