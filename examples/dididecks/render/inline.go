package render

import (
	"encoding/base64"
	"net/url"
	"path"
	"strings"

	"github.com/lossless-group/in-app-agent/examples/dididecks/markup"
)

// types is the table of what may come into a document, by file name.
var types = map[string]string{
	".svg": "image/svg+xml", ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif",
	".webp": "image/webp", ".avif": "image/avif",
	".woff2": "font/woff2", ".woff": "font/woff", ".ttf": "font/ttf", ".otf": "font/otf",
}

// maxImports bounds how deep style sheets may import each other.
const maxImports = 4

// dataURI gives a local image or font as a data: address, "" for anything else.
func (w *walker) dataURI(from, ref string) string {
	ref = strings.TrimSpace(ref)
	if strings.HasPrefix(strings.ToLower(ref), "data:") {
		kind := strings.ToLower(ref[5:min(len(ref), 25)])
		if (strings.HasPrefix(kind, "image/") || strings.HasPrefix(kind, "font/")) && len(ref) <= w.left {
			w.left -= len(ref)
			return ref
		}
		return ""
	}
	p := w.local(from, ref)
	kind := types[strings.ToLower(path.Ext(p))]
	if p == "" || kind == "" {
		return ""
	}
	data, err := w.assets.Read(w.ctx, p, MaxAssetBytes)
	size := base64.StdEncoding.EncodedLen(len(data))
	if err != nil || size > w.left {
		return ""
	}
	w.left -= size
	return "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(data)
}

// local gives the file that a reference means, "" when it is remote or missing.
func (w *walker) local(from, ref string) string {
	if markup.Remote(ref) {
		return ""
	}
	if i := strings.IndexAny(ref, "?#"); i >= 0 {
		ref = ref[:i]
	}
	if p := w.assets.Resolve(from, ref); p != "" {
		return p
	}
	plain, err := url.PathUnescape(ref)
	if err != nil {
		return ""
	}
	return w.assets.Resolve(from, plain)
}

// sheet brings what a style sheet refers to into it: local files as data, local
// imports as text. Remote ones are dropped.
func (w *walker) sheet(from, css string, depth int) string {
	var out strings.Builder
	for i := 0; i < len(css); {
		rest := css[i:]
		switch {
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				return out.String()
			}
			i += end + 4
		case rest[0] == '"' || rest[0] == '\'':
			n := quoted(rest)
			out.WriteString(rest[:n])
			i += n
		case fold(rest, "@import"):
			text, n := w.imported(from, rest, depth)
			out.WriteString(text)
			i += n
		case fold(rest, "url("):
			ref, n := address(rest)
			i += n
			if strings.HasPrefix(ref, "#") {
				out.WriteString(rest[:n])
			} else if uri := w.dataURI(from, ref); uri != "" {
				out.WriteString(`url("` + strings.NewReplacer(`"`, "%22", "\n", "", "\r", "", `\`, "%5C").Replace(uri) + `")`)
			} else {
				out.WriteString(`url("data:,")`)
			}
		default:
			out.WriteByte(rest[0])
			i++
		}
	}
	return out.String()
}

// imported gives the text of an import and the length of its statement.
func (w *walker) imported(from, rest string, depth int) (string, int) {
	body := rest[len("@import"):]
	lead := len(body) - len(strings.TrimLeft(body, " \t\r\n\f"))
	body = body[lead:]
	var ref string
	n := 0
	if fold(body, "url(") {
		ref, n = address(body)
	} else if body != "" && (body[0] == '"' || body[0] == '\'') {
		n = quoted(body)
		ref = strings.Trim(body[:n], `"'`)
	}
	tail := strings.IndexAny(body[n:], ";}")
	length := len(rest)
	media := ""
	if tail >= 0 {
		media = strings.TrimSpace(body[n : n+tail])
		length = len("@import") + lead + n + tail + 1
	}
	p := w.local(from, ref)
	if p == "" || depth >= maxImports {
		return "", length
	}
	css, err := w.assets.Read(w.ctx, p, MaxAssetBytes)
	if err != nil || len(css) > w.left {
		return "", length
	}
	w.left -= len(css)
	text := w.sheet(p, string(css), depth+1)
	if media != "" && !strings.ContainsAny(media, "{}<") {
		return "@media " + media + " {\n" + text + "\n}", length
	}
	return text, length
}

// address reads url(…) at the start of s: the reference and its length.
func address(s string) (ref string, n int) {
	inner := s[len("url("):]
	lead := len(inner) - len(strings.TrimLeft(inner, " \t\r\n\f"))
	inner = inner[lead:]
	n = len("url(") + lead
	if inner != "" && (inner[0] == '"' || inner[0] == '\'') {
		q := quoted(inner)
		end := strings.IndexByte(inner[q:], ')')
		if end < 0 {
			return "", len(s)
		}
		return strings.Trim(inner[:q], `"'`), n + q + end + 1
	}
	end := strings.IndexByte(inner, ')')
	if end < 0 {
		return "", len(s)
	}
	return strings.TrimSpace(inner[:end]), n + end + 1
}

// quoted gives the length of the string at the start of s.
func quoted(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case s[0]:
			return i + 1
		case '\n':
			return i
		}
	}
	return len(s)
}

func fold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}
