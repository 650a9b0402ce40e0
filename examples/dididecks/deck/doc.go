// Package deck is the model of a slide deck as it stands in a git commit:
// deck.yaml, slides/NN-name.html (or .md, .astro) with a .css beside, and
// brand-kits. A Snapshot never changes; what one sees of a deck is always one
// commit of it.
package deck
