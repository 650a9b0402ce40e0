// Package ingest puts folders of Markdown into a corpus. It is idempotent, by the hash
// of each file and of each section, and it can be killed at any moment: the next run
// goes on where it was. What cannot be read is told, file by file, and stops nothing.
package ingest
