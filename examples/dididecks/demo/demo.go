// Package demo holds the built-in deck and a small corpus of notes, so that the
// demo runs without a network, a key or a file of the user's.
package demo

import (
	"embed"
	"io/fs"
)

//go:embed all:deck
var deck embed.FS

//go:embed all:corpus
var corpus embed.FS

// Deck gives the files of the demo deck.
func Deck() fs.FS { return sub(deck, "deck") }

// Corpus gives the notes: a folder for each collection, Markdown with front
// matter inside.
func Corpus() fs.FS { return sub(corpus, "corpus") }

func sub(files embed.FS, dir string) fs.FS {
	root, err := fs.Sub(files, dir)
	if err != nil {
		panic("demo: " + err.Error()) // the folder is built in
	}
	return root
}
