package builtin

import (
	"regexp"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

// titles are the first lines of files that are still empty.
var titles = map[agent.ReminderFile]string{
	agent.ReminderProfile: "# Client profile", agent.ReminderDecisions: "# Our decisions", agent.ReminderGotchas: "# Gotchas",
}

// add puts a new entry at the end of the file.
func (d *document) add(file agent.ReminderFile, e entry, text string) {
	if len(d.lines) == 0 {
		d.lines = []string{titles[file]}
	}
	d.lines = append(d.lines, "", e.head(), "", text)
}

// reword gives an entry another text, scope and date under its id.
func (d *document) reword(e entry, text string) {
	d.replaceBody(e, []string{text})
	d.lines[e.heading] = e.head()
}

// strike marks an entry as superseded by a later one: its words are struck out and stay
// readable, and a line says when and by which.
func (d *document) strike(old, by entry) {
	body, any := []string{}, false
	fence := ""
	for i := old.heading + 1; i <= old.last(); i++ {
		line := d.lines[i]
		m := fenceLine.FindStringSubmatch(line)
		switch {
		case fence != "":
			if closes(line, fence) {
				fence = ""
			}
		case m != nil:
			fence = m[1]
		default:
			line = struckOut(line)
			any = any || struckWords.MatchString(strings.TrimSpace(listMarks.ReplaceAllString(line, "")))
		}
		body = append(body, line)
	}
	for len(body) > 0 && strings.TrimSpace(body[0]) == "" {
		body = body[1:]
	}
	if !any { // nothing, or code alone, which cannot be struck
		body = append([]string{"~~(superseded)~~", ""}, body...)
	}
	for body[len(body)-1] == "" {
		body = body[:len(body)-1]
	}
	body = append(body, "", "Superseded on "+by.date+" by ["+by.id+"]("+by.anchor()+").")
	d.replaceBody(old, body)
}

// last is the entry's last line that is not blank.
func (e entry) last() int {
	if len(e.body) == 0 {
		return e.heading
	}
	return e.body[len(e.body)-1]
}

// replaceBody puts lines in the place of an entry's body. Places of later lines move,
// so a file is changed from its end to its beginning.
func (d *document) replaceBody(e entry, body []string) {
	lines := append([]string{}, d.lines[:e.heading+1]...)
	lines = append(lines, "")
	lines = append(lines, body...)
	d.lines = append(lines, d.lines[e.last()+1:]...)
}

// struckOut strikes the words of a line out, behind the marks of a list.
func struckOut(line string) string {
	marks := listMarks.FindString(line)
	words := strings.TrimSpace(strings.ReplaceAll(line[len(marks):], "~", ""))
	if words == "" {
		return line
	}
	return marks + "~~" + words + "~~"
}

var (
	blockMark   = regexp.MustCompile("^(?:#{1,6}(?:\\s|$)|>|[-*+](?:\\s|$)|`{3,}|~{3,}|={2,}$|[-*_](?:\\s*[-*_]){2,}$|\\[[^\\]]+\\]:)")
	orderedMark = regexp.MustCompile(`^([0-9]{1,9})([.)])(\s|$)`)
	tagStart    = regexp.MustCompile(`<([A-Za-z/!?])`)
)

// paragraph gives a line of plain words as Markdown that is one paragraph and nothing
// else: it makes no heading, list, code block or tag, and hides nothing.
func paragraph(line string) string {
	line = tagStart.ReplaceAllString(line, `\<$1`)
	line = strings.ReplaceAll(line, "~~", `\~\~`)
	if blockMark.MatchString(line) {
		return `\` + line
	}
	return orderedMark.ReplaceAllString(line, `$1\$2$3`)
}
