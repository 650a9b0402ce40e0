package policy

import (
	"slices"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

// maxMapBytes bounds the values of one thread.
const maxMapBytes = 4 << 20

// Redaction is an org's rules together with what stands for what in one thread. The
// same rules and the same entries give the same bytes for the same request. It is not
// safe for concurrent use.
type Redaction struct {
	rules   *Redactor
	byValue map[string]string
	byName  map[string]string
	last    map[string]int // the last number given, by kind
	known   known
	entries []agent.RedactionEntry
	size    int
	plans   map[planned][]marked
	written map[planned]rendered
	clean   map[string]int // raw bytes without a detail, as of so many entries
	cuts    map[place]cut
}

// planned names a text that was looked at.
type planned struct {
	text   string
	isJSON bool
}

// marked is a part with what was found in it.
type marked struct {
	part
	found []Found
}

// rendered is a text as it was written when the thread had so many entries.
type rendered struct {
	entries int
	text    string
	names   []string
}

// NewRedaction takes up a thread with the entries that it has so far.
func NewRedaction(rules *Redactor, entries []agent.RedactionEntry) *Redaction {
	d := &Redaction{rules: rules, byValue: map[string]string{}, byName: map[string]string{}, last: map[string]int{}, plans: map[planned][]marked{},
		written: map[planned]rendered{}, clean: map[string]int{}, cuts: map[place]cut{}}
	for _, e := range entries {
		d.keep(e)
	}
	return d
}

func (d *Redaction) keep(e agent.RedactionEntry) {
	value := e.Value.Reveal()
	d.byValue[value], d.byName[e.Placeholder] = e.Placeholder, value
	d.entries = append(d.entries, e)
	d.size += len(value)
	if kind, _, _ := readPlaceholder(e.Placeholder); d.rules.keeps(kind) {
		d.known.add(value)
	}
}

// Entries gives all entries, in the order in which they were made.
func (d *Redaction) Entries() []agent.RedactionEntry { return d.entries }

// Idle reports whether the thread has nothing to replace and nothing to restore.
func (d *Redaction) Idle() bool { return d.rules.Empty() && len(d.entries) == 0 }

// assign gives the placeholder of a value.
func (d *Redaction) assign(kind, value string) string {
	if name, ok := d.byValue[value]; ok {
		return name
	}
	name := ""
	if kind == kindLiteral && d.byName[value] == "" && isWholePlaceholder(value) {
		name = value // it means nothing yet, so it stays and its number is gone
	}
	for name == "" {
		d.last[kind]++
		if next := placeholder(kind, d.last[kind]); d.byName[next] == "" {
			name = next
		}
	}
	d.keep(agent.RedactionEntry{Placeholder: name, Value: agent.NewSecret(value)})
	return name
}

func isWholePlaceholder(s string) bool {
	_, size, what := readPlaceholder(s)
	return s[0] == '[' && what == isWhole && size == len(s)
}

// plan looks for details in a text, once.
func (d *Redaction) plan(text string, isJSON bool) []marked {
	key := planned{text, isJSON}
	if plan, ok := d.plans[key]; ok {
		return plan
	}
	var plan []marked
	parts(text, isJSON, func(p part) {
		if found := d.look(p); len(found) > 0 {
			plan = append(plan, marked{p, found})
		}
	})
	d.plans[key] = plan
	return plan
}

func (d *Redaction) look(p part) []Found {
	found := d.rules.Find(p.before, p.value)
	if p.form == numeric && len(found) > 0 {
		// A number is replaced as a whole or it would be none any more.
		found = []Found{{End: len(p.value), Kind: found[0].Kind}}
	}
	if strings.IndexByte(p.value, '[') < 0 {
		return found
	}
	n := len(found)
	eachPlaceholder(p.value, func(kind string, start, end int) {
		if d.rules.kinds[kind] || d.byName[p.value[start:end]] != "" {
			found = append(found, Found{Start: start, End: end, Kind: kindLiteral})
		}
	})
	if len(found) == n {
		return found
	}
	return disjoint(found)
}

// learn gives every detail of a text its placeholder.
func (d *Redaction) learn(text string, isJSON bool) {
	for _, m := range d.plan(text, isJSON) {
		for _, f := range m.found {
			d.assign(f.Kind, m.value[f.Start:f.End])
		}
	}
}

// render writes a text with placeholders for its details and notes which.
func (d *Redaction) render(text string, isJSON bool, sent *Sent) string {
	key := planned{text, isJSON}
	done, ok := d.written[key]
	if !ok || done.entries != len(d.entries) {
		done = d.write(text, d.withKnown(text, isJSON, d.plan(text, isJSON)))
		done.entries = len(d.entries)
		d.written[key] = done
	}
	for _, name := range done.names {
		sent.values[name] = d.byName[name]
	}
	return done.text
}

func (d *Redaction) write(text string, plan []marked) (done rendered) {
	if len(plan) == 0 {
		done.text = text
		return done
	}
	var out strings.Builder
	at := 0
	for _, m := range plan {
		out.WriteString(text[at:m.start])
		var value strings.Builder
		from := 0
		for _, f := range m.found {
			value.WriteString(m.value[from:f.Start])
			name := d.assign(f.Kind, m.value[f.Start:f.End])
			done.names = append(done.names, name)
			value.WriteString(name)
			from = f.End
		}
		value.WriteString(m.value[from:])
		m.form.write(&out, value.String())
		at = m.end
	}
	out.WriteString(text[at:])
	done.text = out.String()
	return done
}

// withKnown adds the places of values that the thread knows.
func (d *Redaction) withKnown(text string, isJSON bool, plan []marked) []marked {
	if len(d.entries) == 0 {
		return plan
	}
	var out []marked
	parts(text, isJSON, func(p part) {
		var found []Found
		if len(plan) > 0 && plan[0].start == p.start {
			found, plan = append(found, plan[0].found...), plan[1:]
		}
		if n := len(found); p.form != numeric {
			if found = d.known.find(p.value, found); len(found) > n {
				found = disjoint(found)
			}
		} else if n == 0 && d.known.has(p.value) {
			found = []Found{{End: len(p.value), Kind: kindKnown}}
		}
		if len(found) > 0 {
			out = append(out, marked{p, found})
		}
	})
	return out
}

// Text gives a plain text as a provider would see it.
func (d *Redaction) Text(text string) string {
	d.learn(text, false)
	return d.render(text, false, &Sent{values: map[string]string{}})
}

// PreviewRedaction gives a text as it would be sent in a new thread, and what was found
// in it by kind.
func PreviewRedaction(rules *Redactor, text string) (string, []agent.RedactionCount) {
	d := NewRedaction(rules, nil)
	shown := d.Text(text)
	var counts []agent.RedactionCount
	for _, name := range d.written[planned{text: text}].names {
		kind, _, _ := readPlaceholder(name)
		if !rules.keeps(kind) || d.byName[name] == name {
			continue // it only looked like a placeholder
		}
		i := slices.IndexFunc(counts, func(c agent.RedactionCount) bool { return c.Kind == strings.ToLower(kind) })
		if i < 0 {
			i, counts = len(counts), append(counts, agent.RedactionCount{Kind: strings.ToLower(kind)})
		}
		counts[i].Count++
	}
	slices.SortFunc(counts, func(a, b agent.RedactionCount) int { return strings.Compare(a.Kind, b.Kind) })
	return shown, counts
}
