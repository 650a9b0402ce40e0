package embedded

import "strings"

// part is the text under one heading, the heading's line included.
type part struct {
	headings []string // by level, from 1; "" for a level that is skipped
	text     string
}

// cutHeadings cuts Markdown at its headings, # or underlined, but not inside
// fenced code. A heading with nothing below it gives no part of its own: its
// words are in the titles of the parts under it.
func cutHeadings(text string) []part {
	var parts []part
	var stack []string
	start, body := 0, 0 // where the open part and its text below the heading begin
	flush := func(end int) {
		if strings.TrimSpace(text[body:end]) != "" {
			parts = append(parts, part{append([]string{}, stack...), text[start:end]})
		}
	}
	fence := ""
	for at := 0; at < len(text); {
		line, next := lineAt(text, at)
		if mark := fenceOf(line); mark != "" {
			switch {
			case fence == "":
				fence = mark
			case strings.HasPrefix(mark, fence) && strings.TrimSpace(line) == mark:
				fence = ""
			}
		} else if fence == "" {
			level, title, end := headingOf(text, line, next)
			if level > 0 {
				flush(at)
				stack = append(stack[:min(len(stack), level-1)], make([]string, max(0, level-1-len(stack)))...)
				stack = append(stack, title)
				start, body, next = at, end, end
			}
		}
		at = next
	}
	flush(len(text))
	return parts
}

func lineAt(text string, at int) (line string, next int) {
	if end := strings.IndexByte(text[at:], '\n'); end >= 0 {
		return strings.TrimSuffix(text[at:at+end], "\r"), at + end + 1
	}
	return text[at:], len(text)
}

// fenceOf gives the run of backticks or tildes that a fence begins with.
func fenceOf(line string) string {
	bare := strings.TrimLeft(line, " ")
	if len(line)-len(bare) > 3 || bare == "" || bare[0] != '`' && bare[0] != '~' {
		return ""
	}
	mark := bare[:len(bare)-len(strings.TrimLeft(bare, bare[:1]))]
	if len(mark) < 3 || mark[0] == '`' && strings.Contains(bare[len(mark):], "`") {
		return ""
	}
	return mark
}

// headingOf reads a heading from a line, and from the next one where that
// underlines it. Level 0 means that it is none; end is where the text below begins.
func headingOf(text, line string, next int) (level int, title string, end int) {
	bare := strings.TrimLeft(line, " ")
	if len(line)-len(bare) > 3 || bare == "" {
		return 0, "", 0
	}
	if bare[0] == '#' {
		rest := strings.TrimLeft(bare, "#")
		level = len(bare) - len(rest)
		if level > 6 || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
			return 0, "", 0
		}
		return level, strings.TrimSpace(strings.TrimRight(strings.TrimSpace(rest), "#")), next
	}
	if next == len(text) || strings.ContainsAny(bare[:1], "-*+>|=~`<") {
		return 0, "", 0
	}
	under, end := lineAt(text, next)
	switch under = strings.TrimRight(under, " \t"); {
	case len(under) >= 3 && strings.Trim(under, "=") == "":
		return 1, strings.TrimSpace(bare), end
	case len(under) >= 3 && strings.Trim(under, "-") == "":
		return 2, strings.TrimSpace(bare), end
	}
	return 0, "", 0
}
