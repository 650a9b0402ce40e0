package ingest

import (
	"bytes"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	agent "github.com/lossless-group/in-app-agent"
)

// The limits of one file.
const (
	MaxFileBytes       = 8 << 20
	MaxSourcePathBytes = 512
)

// read gives the text of a file. Errors: not_found, forbidden, unavailable, too_large,
// unsupported_media_type.
func (f file) read() ([]byte, error) {
	in, err := f.root.Open(filepath.FromSlash(f.name))
	if err != nil {
		return nil, unreadable(err)
	}
	defer func() { _ = in.Close() }() // it was only read
	info, err := in.Stat()
	if err != nil {
		return nil, unreadable(err)
	}
	if !info.Mode().IsRegular() {
		return nil, notRegular()
	}
	data, err := io.ReadAll(io.LimitReader(in, MaxFileBytes+1))
	if err != nil {
		return nil, unreadable(err)
	}
	if len(data) > MaxFileBytes {
		return nil, &agent.Error{Code: agent.CodeTooLarge, Message: fmt.Sprintf("It is larger than %d MiB.", MaxFileBytes>>20), Hint: "Cut it into several files."}
	}
	return data, checkText(data)
}

// checkText refuses what is not UTF-8, because words that were guessed would be found
// and cited as if somebody had written them.
func checkText(data []byte) error {
	hint := "Save it as UTF-8."
	switch {
	case bytes.HasPrefix(data, []byte{0xFE, 0xFF}), bytes.HasPrefix(data, []byte{0xFF, 0xFE}):
		return &agent.Error{Code: agent.CodeUnsupportedMedia, Message: "It is written in UTF-16.", Hint: hint}
	case bytes.IndexByte(data, 0) >= 0:
		return agent.Errorf(agent.CodeUnsupportedMedia, "It is no text: it holds a null byte.")
	case utf8.Valid(data):
		return nil
	}
	line := 1
	for rest := data; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		if r == utf8.RuneError && size == 1 {
			break
		}
		if r == '\n' {
			line++
		}
		rest = rest[size:]
	}
	return &agent.Error{Code: agent.CodeUnsupportedMedia, Message: fmt.Sprintf("It is not written in UTF-8: line %d holds a byte that is no letter.", line), Hint: hint}
}

// checkSourcePath refuses a source path of a front matter that is no plain path below
// something. Errors: invalid_input.
func checkSourcePath(p string) error {
	bad := p == "" || len(p) > MaxSourcePathBytes || strings.ContainsAny(p, "\\\x00\n\r") || path.IsAbs(p) || path.Clean(p) != p ||
		p == "." || p == ".." || strings.HasPrefix(p, "../") || !utf8.ValidString(p)
	if bad {
		return &agent.Error{Code: agent.CodeInvalidInput, Message: "Its source path cannot be used.",
			Hint: fmt.Sprintf("source_path in the front matter is a relative path with slashes and without .., of at most %d bytes.", MaxSourcePathBytes)}
	}
	return nil
}
