package capability

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
)

// Canonical gives the one form of a JSON text: no white space, names sorted by
// their bytes, strings with the shortest escapes, numbers by their exact value;
// and the sha256 of it in hex. Texts that parse strictly only: the error says in
// words what is wrong. An empty text counts as {}.
func Canonical(input json.RawMessage) (canonical json.RawMessage, digest string, err error) {
	v, err := parseArguments(input)
	if err != nil {
		return nil, "", err
	}
	canonical, digest = canonicalOf(v, len(input))
	return canonical, digest, nil
}

func parseArguments(input json.RawMessage) (any, error) {
	if len(input) == 0 {
		return map[string]any{}, nil
	}
	return parse(input)
}

func canonicalOf(v any, size int) (json.RawMessage, string) {
	out := appendValue(make([]byte, 0, size+2), v)
	sum := sha256.Sum256(out)
	return out, hex.EncodeToString(sum[:])
}

func appendValue(out []byte, v any) []byte {
	switch v := v.(type) {
	case map[string]any:
		return appendObject(out, v)
	case []any:
		out = append(out, '[')
		for i, item := range v {
			if i > 0 {
				out = append(out, ',')
			}
			out = appendValue(out, item)
		}
		return append(out, ']')
	case string:
		return appendString(out, v)
	case json.Number:
		return append(out, v...)
	case bool:
		if v {
			return append(out, "true"...)
		}
		return append(out, "false"...)
	}
	return append(out, "null"...)
}

func appendObject(out []byte, obj map[string]any) []byte {
	var few [16]string // most objects need no heap for their names
	names := few[:0]
	for name := range obj {
		names = append(names, name)
	}
	slices.Sort(names)
	out = append(out, '{')
	for i, name := range names {
		if i > 0 {
			out = append(out, ',')
		}
		out = appendString(out, name)
		out = append(out, ':')
		out = appendValue(out, obj[name])
	}
	return append(out, '}')
}

const hexDigits = "0123456789abcdef"

func appendString(out []byte, s string) []byte {
	out = append(out, '"')
	start := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		out = append(out, s[start:i]...)
		start = i + 1
		if at := strings.IndexByte(escapeMeaning, c); at >= 0 && c != '/' {
			out = append(out, '\\', escapeLetters[at])
		} else {
			out = append(out, `\u00`...)
			out = append(out, hexDigits[c>>4], hexDigits[c&15])
		}
	}
	out = append(out, s[start:]...)
	return append(out, '"')
}
