// Package retrieval asks fifty questions that people wrote of the project's own pages,
// and measures whether the corpus finds the sections that answer them.
package retrieval
