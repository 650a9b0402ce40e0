// Package render makes one self-contained HTML document of a slide: styles,
// images and fonts inline, nothing that runs, nothing that loads. The document
// is meant for an opaque frame, and would be harmless without it.
package render
