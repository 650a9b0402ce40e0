// Package export makes files of a deck: one HTML page, Markdown, a PDF, and the
// images that are shown when a link to it is shared. PDFs and images are made by
// Chromium, with scripts and network off.
package export
