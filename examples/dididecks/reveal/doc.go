// Package reveal cuts a reveal.js page into its slides and puts it together
// again. Each top-level section is a slide, with the steps of a vertical stack
// inside it; what stands between and around them is kept byte for byte, so a page
// whose slides were not touched comes back as it was.
package reveal
