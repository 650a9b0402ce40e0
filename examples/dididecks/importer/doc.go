// Package importer reads a deck from a folder or a reveal.js page into memory,
// to be committed to a repository of our own. It never writes to what it reads,
// never leaves the folder, and follows no link that does.
package importer
