// Package markup reads the source of a slide without changing a byte of it:
// where its elements stand, whether its tags close, what in it could run or
// load something, and which words it shows.
package markup
