package sqlite

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	agent "github.com/lossless-group/in-app-agent"
)

// eventRow is an event as it is stored: it stands for from..seq.
type eventRow struct {
	from, seq agent.Seq
	run, at   int64
	kind      agent.EventKind
	cuts      *string // JSON array: byte lengths of the single deltas of a joined text
	data      *string
}

// delta is the shape that text and reasoning share.
type delta struct {
	Block int    `json:"block"`
	Text  string `json:"text"`
}

// pack turns events into rows: deltas of one block that follow each other become
// one row with the joined text, so that an answer of 2,000 words is not 2,000 rows.
func pack(events []agent.Event) ([]eventRow, error) {
	var rows []eventRow
	for i := 0; i < len(events); {
		n, joined, cuts := joinDeltas(events[i:])
		if n < 2 {
			rows = append(rows, singleRow(events[i]))
			i++
			continue
		}
		r, err := joinedRow(events[i:i+n], joined, cuts)
		if err != nil {
			return nil, err
		}
		rows = append(rows, r)
		i += n
	}
	return rows, nil
}

func singleRow(e agent.Event) eventRow {
	r := eventRow{from: e.Seq, seq: e.Seq, at: e.At, kind: e.Kind}
	if e.From != 0 {
		r.from = e.From
	}
	if e.Data != nil {
		s := string(e.Data)
		r.data = &s
	}
	return r
}

func joinedRow(events []agent.Event, d delta, cuts []int) (eventRow, error) {
	first, last := events[0], events[len(events)-1]
	data, err := encode(d)
	if err != nil {
		return eventRow{}, err
	}
	lengths, err := encode(cuts)
	return eventRow{from: first.Seq, seq: last.Seq, at: last.At, kind: first.Kind, cuts: &lengths, data: &data}, err
}

// joinDeltas joins the leading events that are deltas of one kind and block.
func joinDeltas(events []agent.Event) (n int, joined delta, cuts []int) {
	var text strings.Builder
	for _, e := range events {
		d, ok := asDelta(e)
		if !ok || (n > 0 && (e.Kind != events[0].Kind || d.Block != joined.Block)) {
			break
		}
		joined.Block = d.Block
		text.WriteString(d.Text)
		cuts = append(cuts, len(d.Text))
		n++
	}
	joined.Text = text.String()
	return n, joined, cuts
}

// asDelta reads a delta that joining would lose nothing of.
func asDelta(e agent.Event) (d delta, ok bool) {
	if (e.Kind != agent.EventTextDelta && e.Kind != agent.EventReasoningDelta) || e.From != 0 {
		return d, false
	}
	if d, ok = plainDelta(e.Data); ok {
		return d, true
	}
	dec := json.NewDecoder(bytes.NewReader(e.Data))
	dec.DisallowUnknownFields()
	return d, dec.Decode(&d) == nil && !dec.More()
}

// plainDelta reads the form that nearly every delta has, without escapes, in a
// tenth of the time: this runs for each chunk of each turn.
func plainDelta(data []byte) (d delta, ok bool) {
	number, text, found := bytes.Cut(data, []byte(`,"text":"`))
	number, isDelta := bytes.CutPrefix(number, []byte(`{"block":`))
	text, closed := bytes.CutSuffix(text, []byte(`"}`))
	if !found || !isDelta || !closed || len(number) == 0 || len(number) > 6 || (number[0] == '0' && len(number) > 1) {
		return d, false
	}
	for _, c := range number {
		if c < '0' || c > '9' {
			return d, false
		}
		d.Block = d.Block*10 + int(c-'0')
	}
	for _, c := range text {
		if c < ' ' || c == '"' || c == '\\' {
			return d, false
		}
	}
	d.Text = string(text)
	return d, utf8.Valid(text)
}

// event gives the row as an event that begins after the given seq, cut between two
// deltas where it must be.
func (r eventRow) event(after agent.Seq) (e agent.Event, err error) {
	e = agent.Event{Seq: r.seq, Run: r.run, At: r.at, Kind: r.kind, Data: raw(r.data)}
	from := r.from
	if after >= from && r.cuts != nil {
		if e.Data, err = r.cut(int(after - from + 1)); err != nil {
			return e, err
		}
		from = after + 1
	}
	if from < e.Seq {
		e.From = from
	}
	return e, nil
}

// cut gives the data without its first n deltas.
func (r eventRow) cut(n int) (json.RawMessage, error) {
	cuts, err := decode[[]int](*r.cuts)
	if err != nil {
		return nil, err
	}
	d, err := decode[delta](value(r.data))
	if err != nil {
		return nil, err
	}
	seen := 0
	for _, length := range cuts[:min(n, len(cuts))] {
		seen += length
	}
	if n >= len(cuts) || seen < 0 || seen > len(d.Text) {
		return nil, fmt.Errorf("event %d..%d cannot be cut after %d of %d deltas", r.from, r.seq, n, len(cuts))
	}
	d.Text = d.Text[seen:]
	data, err := encode(d)
	return json.RawMessage(data), err
}
