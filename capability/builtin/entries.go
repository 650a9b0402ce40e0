package builtin

import (
	"regexp"
	"strconv"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

// entry is one entry of a reminder file: a heading with id, scope and date, and what
// follows it. People may write entries by hand, and anything else around them.
type entry struct {
	id, scope, date string
	heading         int   // its line
	body            []int // its lines that are not blank
	struck          bool  // superseded by a later one
}

var (
	entryHeading = regexp.MustCompile(`^## ([a-z]-[0-9]{1,6}) \(([a-z0-9]+(?:-[a-z0-9]+)*), ([0-9]{4}-[0-9]{2}-[0-9]{2})\)\s*$`)
	headingLine  = regexp.MustCompile(`^ {0,3}#{1,2}(\s|$)`)
	fenceLine    = regexp.MustCompile("^ {0,3}(`{3,}|~{3,})")
	struckLine   = regexp.MustCompile(`^Superseded on [0-9]{4}-[0-9]{2}-[0-9]{2} by \[[a-z]-[0-9]{1,6}\]\(#[a-z0-9-]+\)\.$`)
	struckWords  = regexp.MustCompile(`^~~[^~]+~~$`)
	listMarks    = regexp.MustCompile(`^\s*(?:(?:[-*+]|[0-9]{1,9}[.)]|>)\s+)*`)
)

// document is a reminder file as lines, with the entries that were found in it.
type document struct {
	lines   []string
	entries []entry
	open    bool // it ends inside a code block or a comment, so that nothing can follow
}

// parse finds the entries of a file. What looks like a heading inside a code block or a
// comment is none.
func parse(text string) document {
	d := document{}
	if text = strings.TrimRight(text, "\n"); text != "" {
		d.lines = strings.Split(text, "\n")
	}
	fence, comment, in := "", false, false
	for i, line := range d.lines {
		m := fenceLine.FindStringSubmatch(line)
		switch {
		case comment:
			comment = !strings.Contains(line, "-->")
		case fence != "":
			if closes(line, fence) {
				fence = ""
			}
		case m != nil:
			fence = m[1]
		case headingLine.MatchString(line):
			var e entry
			if e, in = asEntry(line, i); in {
				d.entries = append(d.entries, e)
			}
			continue
		default:
			_, after, found := cutLast(line, "<!--")
			comment = found && !strings.Contains(after, "-->")
		}
		if in && strings.TrimSpace(line) != "" {
			e := &d.entries[len(d.entries)-1]
			e.struck = e.struck || (struckLine.MatchString(line) && d.isStruck(e.body))
			e.body = append(e.body, i)
		}
	}
	d.open = fence != "" || comment
	return d
}

// closes reports whether a line ends the code block that a fence began.
func closes(line, fence string) bool {
	m := fenceLine.FindStringSubmatch(line)
	return m != nil && strings.HasPrefix(m[1], fence) && strings.Trim(line, " `~") == ""
}

func asEntry(line string, i int) (entry, bool) {
	m := entryHeading.FindStringSubmatch(line)
	if m == nil {
		return entry{}, false
	}
	return entry{id: m[1], scope: m[2], date: m[3], heading: i}, true
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// isStruck reports whether some line of an entry's body is struck out.
func (d document) isStruck(body []int) bool {
	for _, i := range body {
		if struckWords.MatchString(strings.TrimSpace(listMarks.ReplaceAllString(d.lines[i], ""))) {
			return true
		}
	}
	return false
}

// standing gives the entries that are not superseded.
func (d document) standing() (list []entry) {
	for _, e := range d.entries {
		if !e.struck {
			list = append(list, e)
		}
	}
	return list
}

func (d document) find(id string) (entry, bool) {
	for _, e := range d.entries {
		if e.id == id {
			return e, true
		}
	}
	return entry{}, false
}

// words gives what an entry says, for comparing: one line, in one case of letters.
func (d document) words(e entry) string {
	var words []string
	for _, i := range e.body {
		words = append(words, strings.Fields(d.lines[i])...)
	}
	return strings.ToLower(strings.Join(words, " "))
}

// idLetters begin the ids of a file's entries.
var idLetters = map[agent.ReminderFile]string{agent.ReminderProfile: "p", agent.ReminderDecisions: "d", agent.ReminderGotchas: "g"}

var anyID = regexp.MustCompile(`\b([a-z])-([0-9]{1,6})\b`)

// nextID gives an id that the file does not mention anywhere, so that no link in it can
// come to mean another entry.
func (d document) nextID(file agent.ReminderFile) string {
	letter, last := idLetters[file], 0
	for _, line := range d.lines {
		for _, m := range anyID.FindAllStringSubmatch(line, -1) {
			if n, err := strconv.Atoi(m[2]); err == nil && m[1] == letter {
				last = max(last, n)
			}
		}
	}
	return letter + "-" + strconv.Itoa(last+1)
}

// anchor is where a link to the entry's heading goes, as Markdown renderers make it.
func (e entry) anchor() string { return "#" + e.id + "-" + e.scope + "-" + e.date }

func (e entry) head() string { return "## " + e.id + " (" + e.scope + ", " + e.date + ")" }

// text gives the file again.
func (d document) text() string { return strings.Join(d.lines, "\n") + "\n" }
