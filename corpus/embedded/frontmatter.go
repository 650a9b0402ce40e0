package embedded

import "strings"

// front is what is read of a document's front matter.
type front struct {
	title, date, repo, path string
	tags                    []string
}

// cutFront splits a document into its front matter and its text. Without one
// that is closed, everything is text.
func cutFront(doc string) (front, string) {
	var f front
	first, rest, ok := strings.Cut(doc, "\n")
	if !ok || strings.TrimRight(first, " \t\r") != "---" {
		return f, doc
	}
	key := ""
	for rest != "" {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		line = strings.TrimRight(line, " \t\r")
		if line == "---" || line == "..." {
			return f, rest
		}
		key = f.line(line, key)
	}
	return front{}, doc
}

// line reads one line of front matter: "key: value", or "- item" of the list
// that the last key began. It understands plain and quoted words and flow lists;
// what is nested deeper is left out.
func (f *front) line(line, last string) (key string) {
	bare := strings.TrimSpace(line)
	if item, ok := strings.CutPrefix(bare, "- "); ok && last == "tags" {
		f.tag(item)
		return last
	}
	if bare == "" || bare[0] == '#' || line[0] == ' ' || line[0] == '\t' {
		return last
	}
	name, value, ok := strings.Cut(bare, ":")
	if !ok {
		return ""
	}
	name, value = strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(value)
	switch name {
	case "title":
		f.title = scalar(value)
	case "date", "created_at":
		if f.date == "" || name == "date" {
			f.date = scalar(value)
		}
	case "source_repo_slug":
		f.repo = scalar(value)
	case "source_path":
		f.path = scalar(value)
	case "tags":
		f.flow(value)
	}
	return name
}

// flow reads tags on the key's own line: [a, b], or one word.
func (f *front) flow(value string) {
	inner, list := strings.CutPrefix(value, "[")
	if !list {
		f.tag(value)
		return
	}
	inner, _, _ = strings.Cut(inner, "]")
	for _, item := range strings.Split(inner, ",") {
		f.tag(item)
	}
}

// maxTags bounds the tags of one document.
const maxTags = 64

func (f *front) tag(s string) {
	if s = strings.TrimPrefix(scalar(s), "#"); s != "" && len(f.tags) < maxTags {
		f.tags = append(f.tags, s)
	}
}

// scalar takes quotes, or a comment, off a value.
func scalar(s string) string {
	s = strings.TrimSpace(s)
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') {
		if end := strings.IndexByte(s[1:], s[0]); end >= 0 {
			return s[1 : 1+end]
		}
	}
	if at := strings.Index(s, " #"); at >= 0 {
		s = strings.TrimSpace(s[:at])
	}
	return s
}
