// Package rewrite is the one-shot question that asks a model for a new version
// of a slide, and the rules that its answer must keep before anybody sees it.
package rewrite
