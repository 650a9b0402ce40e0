package embedded

import (
	"path"
	"strings"
	"unicode/utf8"

	agent "github.com/lossless-group/in-app-agent"
)

// MaxChunkBytes is how long the text of one section gets: a longer one is cut
// into several between paragraphs, else lines, else runes.
const MaxChunkBytes = 4 << 10

// maxTitleBytes bounds the path of headings.
const maxTitleBytes = 300

// Sections cuts a Markdown document into its sections, verbatim: one for each
// heading with text below it, and one for the text before the first heading. Of
// the front matter it reads title, date, tags, source_repo_slug and source_path,
// which replaces the given one: whoever puts the sections checks it. The title of
// a section is the document's, then the headings above it. Any bytes give
// sections; invalid UTF-8 is replaced.
func Sections(markdown []byte, sourcePath string) []agent.Section {
	doc := strings.ToValidUTF8(strings.TrimPrefix(string(markdown), "\uFEFF"), "\uFFFD")
	meta, text := cutFront(doc)
	if meta.path != "" {
		sourcePath = meta.path
	}
	parts := cutHeadings(text)
	if meta.title == "" {
		meta.title = titleOf(parts, sourcePath)
	}
	var out []agent.Section
	for _, part := range parts {
		title := sectionTitle(meta.title, part.headings)
		for _, chunk := range chunks(part.text) {
			p := agent.Passage{Text: chunk, Title: title, SourcePath: sourcePath,
				SourceRepo: meta.repo, Date: meta.date, Tags: meta.tags}
			out = append(out, agent.Section{Passage: p, Hash: Hash(p)})
		}
	}
	return out
}

// titleOf falls back to the first heading of level 1, then to the file's name.
func titleOf(parts []part, sourcePath string) string {
	for _, p := range parts {
		if len(p.headings) > 0 && p.headings[0] != "" {
			return p.headings[0]
		}
	}
	base := path.Base(strings.ReplaceAll(sourcePath, `\`, "/"))
	return strings.TrimSuffix(base, path.Ext(base))
}

func sectionTitle(doc string, headings []string) string {
	titles := []string{doc}
	for _, h := range headings {
		if h != "" && h != doc {
			titles = append(titles, h)
		}
	}
	title := strings.Join(titles, " › ")
	for len(title) > maxTitleBytes {
		_, size := utf8.DecodeLastRuneInString(title)
		title = title[:len(title)-size]
	}
	return title
}

// chunks cuts a text at the best place before each limit.
func chunks(text string) []string {
	var out []string
	for len(text) > MaxChunkBytes {
		at := cutPlace(text[:MaxChunkBytes])
		out = appendText(out, text[:at])
		text = text[at:]
	}
	return appendText(out, text)
}

// cutPlace looks for a border in the second half of a full chunk.
func cutPlace(full string) int {
	for _, border := range []string{"\n\n", "\n", " "} {
		if at := strings.LastIndex(full, border); at >= len(full)/2 {
			return at + len(border)
		}
	}
	at := len(full) // a rune that the limit cuts through goes to the next chunk
	for back := 1; back <= utf8.UTFMax; back++ {
		if i := len(full) - back; utf8.RuneStart(full[i]) {
			if !utf8.FullRuneInString(full[i:]) {
				at = i
			}
			break
		}
	}
	return at
}

func appendText(out []string, text string) []string {
	if text = strings.Trim(text, "\r\n"); strings.TrimSpace(text) != "" {
		return append(out, text)
	}
	return out
}
