package markup

import (
	"strings"

	"golang.org/x/net/html"
)

var (
	activeTags = set("iframe frame frameset object embed applet base link portal")
	loading    = set("src poster background data data-src data-background data-background-image data-background-video lowsrc longdesc dynsrc")
	inertTypes = set("text/template text/x-template text/markdown application/json application/ld+json")
)

// Active tells what in a source could run, frame, or load something from
// elsewhere: scripts, handlers, frames, script addresses, remote images and
// styles. Each find is a short text that is the same for the same content, so
// that what an older version of the source already had can be told from what is
// new. Links that a person may follow are not active.
func Active(src []byte) []string { return active(src, 0) }

func active(src []byte, depth int) []string {
	var found []string
	var raw string // name of the raw-text element that we are in
	inert := false
	for t := range Tokens(src) {
		text := string(src[t.Start:t.End])
		switch t.Type {
		case html.StartTagToken, html.SelfClosingTagToken:
			found = append(found, activeTag(t)...)
			if t.Type == html.StartTagToken && rawText[t.Name] {
				raw = t.Name
				kind, _ := t.Value("type")
				inert = t.Name == "script" && inertTypes[strings.ToLower(strings.TrimSpace(kind))]
				if t.Name == "script" && !inert {
					found = append(found, "script tag "+squeeze(text))
				}
			} else if t.Name == "script" {
				found = append(found, "script tag "+squeeze(text))
			}
		case html.EndTagToken:
			raw = ""
		case html.TextToken:
			switch {
			case raw == "script" && !inert:
				found = append(found, "script "+squeeze(text))
			case raw == "style":
				found = append(found, ActiveCSS(text)...)
			}
			// What is text here may be markup elsewhere: in a template that a deck
			// renders later, or below an svg element.
			if raw != "" && (raw != "script" || inert) && depth < 4 {
				found = append(found, active([]byte(html.UnescapeString(text)), depth+1)...)
			}
		}
	}
	return found
}

func activeTag(t Token) []string {
	var found []string
	_, refresh := t.Value("http-equiv")
	if activeTags[t.Name] || (t.Name == "meta" && refresh) {
		found = append(found, "<"+t.Name+"> "+attributes(t))
	}
	for _, a := range t.Attr {
		key := strings.ToLower(a.Key)
		switch {
		case strings.HasPrefix(key, "on"), key == "srcdoc", key == "ping", key == "data-background-iframe",
			key == "data-markdown" && a.Val != "", strings.HasPrefix(key, "set:"), strings.HasPrefix(key, "client:"),
			strings.HasPrefix(key, "define:"):
			found = append(found, key+"="+squeeze(a.Val))
		case scriptAddress(a.Val):
			found = append(found, key+"="+squeeze(a.Val))
		case key == "style":
			found = append(found, ActiveCSS(a.Val)...)
		case loading[key] && Remote(a.Val), key == "srcset" && remoteSet(a.Val), (key == "href" || key == "xlink:href") && drawn[t.Name] && Remote(a.Val):
			found = append(found, "loads "+squeeze(a.Val))
		}
	}
	return found
}

// drawn are elements whose href is loaded, not followed.
var drawn = set("image use feimage script pattern lineargradient radialgradient textpath mpath")

func attributes(t Token) string {
	var b strings.Builder
	for _, a := range t.Attr {
		b.WriteString(a.Key + "=" + squeeze(a.Val) + " ")
	}
	return b.String()
}

// scriptAddress reports whether a value is an address that runs.
func scriptAddress(v string) bool {
	v = strings.ToLower(strings.Map(func(c rune) rune {
		if c <= ' ' || c == 0x7f {
			return -1
		}
		return c
	}, v))
	for _, scheme := range []string{"javascript:", "vbscript:", "livescript:", "data:text/html", "data:application/xhtml", "data:text/xml", "data:application/xml"} {
		if strings.HasPrefix(v, scheme) {
			return true
		}
	}
	return false
}

// Remote reports whether an address leaves the deck: it has a scheme other than
// data:, or names a host.
func Remote(v string) bool {
	v = strings.ToLower(strings.TrimLeft(strings.ReplaceAll(v, `\`, "/"), " \t\r\n\f\x00"))
	if strings.HasPrefix(v, "//") {
		return true
	}
	scheme, _, ok := strings.Cut(v, ":")
	return ok && scheme != "" && scheme != "data" && strings.Trim(scheme, "abcdefghijklmnopqrstuvwxyz0123456789+-.\t\r\n") == ""
}

// remoteSet is Remote for a srcset.
func remoteSet(v string) bool {
	for part := range strings.SplitSeq(v, ",") {
		if Remote(part) {
			return true
		}
	}
	return false
}

// ActiveCSS tells what in a style sheet loads from elsewhere or could run.
func ActiveCSS(css string) []string {
	var found []string
	plain := plainCSS(css)
	for _, word := range []string{"@import", "expression(", "-moz-binding", "behavior:", "javascript:"} {
		if n := strings.Count(plain, word); n > 0 {
			found = append(found, "css "+word+strings.Repeat("+", n-1))
		}
	}
	for _, open := range []string{"url(", "image-set(", "image(", "src("} {
		for _, part := range strings.Split(plain, open)[1:] {
			inside, _, _ := strings.Cut(part, ")")
			if Remote(strings.Trim(inside, `"' `)) {
				found = append(found, "css loads "+squeeze(inside))
			}
		}
	}
	return found
}

// plainCSS removes what could hide a word from us: comments, escapes, capitals.
func plainCSS(css string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(css, "/*")
		b.WriteString(before)
		if !ok {
			break
		}
		if _, css, ok = strings.Cut(rest, "*/"); !ok {
			break
		}
	}
	s, out := b.String(), strings.Builder{}
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			out.WriteByte(s[i])
			continue
		}
		n, digits := 0, 0
		for digits < 6 && i+1+digits < len(s) && hexValue(s[i+1+digits]) >= 0 {
			n = n<<4 | hexValue(s[i+1+digits])
			digits++
		}
		if digits == 0 {
			continue // an escaped character stands for itself
		}
		out.WriteRune(rune(n))
		if i += digits; i+1 < len(s) && (s[i+1] == ' ' || s[i+1] == '\n' || s[i+1] == '\t') {
			i++
		}
	}
	return strings.ToLower(out.String())
}

func hexValue(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// squeeze makes a short text of white space runs, for comparing and for telling.
func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// NewActive gives what is active in a source and was not in an older one.
func NewActive(before, after []string) []string {
	have := map[string]int{}
	for _, b := range before {
		have[b]++
	}
	var added []string
	for _, a := range after {
		if have[a]--; have[a] < 0 {
			added = append(added, a)
		}
	}
	return added
}
