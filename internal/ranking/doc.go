// Package ranking puts passages in order: BM25 over folded words, the likeness of
// vectors, and the two fused. It is pure: an adapter of the corpus finds candidates
// in its own way and hands them here, so that all of them rank alike.
package ranking
