package httpapi

import (
	"context"
	"fmt"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

func (f *fakePorts) reminderOf(ctx context.Context, file agent.ReminderFile, what ...any) (agent.Reminder, error) {
	p, err := agent.PrincipalFrom(ctx)
	if err == nil {
		err = f.err
	}
	if err == nil && !file.Valid() {
		err = agent.NotFound("reminder file")
	}
	f.reminders = append(append(f.reminders, file), what...)
	return agent.Reminder{File: file, Version: 3, Text: "# Of " + p.OrgID + " <&>\n",
		ReminderOrigin: agent.ReminderOrigin{By: "alice", ByName: "Alice", Via: agent.ReminderByHand, At: 5}}, err
}

func (f *fakePorts) Reminder(ctx context.Context, file agent.ReminderFile, version int64) (agent.Reminder, error) {
	return f.reminderOf(ctx, file, version)
}

func (f *fakePorts) PutReminder(ctx context.Context, file agent.ReminderFile, e agent.ReminderEdit) (agent.Reminder, error) {
	f.edit = e
	return f.reminderOf(ctx, file)
}

func (f *fakePorts) ReminderHistory(ctx context.Context, file agent.ReminderFile, q agent.ReminderQuery) (agent.ReminderHistory, error) {
	from, to := "-", "-"
	if q.From != nil {
		from = fmt.Sprint(*q.From)
	}
	if q.To != nil {
		to = fmt.Sprint(*q.To)
	}
	_, err := f.reminderOf(ctx, file, q.Before, q.Limit, from, to)
	if q.From == nil {
		return agent.ReminderHistory{}, err
	}
	return agent.ReminderHistory{Items: []agent.ReminderVersion{{Version: 3, Bytes: 9, ReminderOrigin: agent.ReminderOrigin{Via: agent.ReminderSeeded, At: 5}}},
		Next: 3, Diff: &agent.ReminderDiff{From: 1, To: 3, Text: "-a\n+b\n"}}, err
}

func TestAReminderFileIsGivenAndStoredUnderItsVersion(t *testing.T) {
	d := newDesk(t)
	const file = `{"file":"gotchas","version":3,"text":"# Of acme \u003c\u0026\u003e\n","by":"alice","byName":"Alice","via":"hand","at":5}` + "\n"
	if rec := d.do(request("GET", "/reminders/gotchas?version=3", "")); rec.Code != 200 || rec.Body.String() != file && rec.Body.String() != strings.NewReplacer(`\u003c`, "<", `\u0026`, "&", `\u003e`, ">").Replace(file) {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
	if rec := d.do(request("PUT", "/reminders/our_decisions", `{"text":"# New\n","version":7}`)); rec.Code != 200 || d.ports.edit != (agent.ReminderEdit{Text: "# New\n", Version: 7}) {
		t.Errorf("%d %s, %+v", rec.Code, rec.Body, d.ports.edit)
	}
	if rec := d.do(request("PUT", "/reminders/our_decisions", `{"text":"","version":0}`)); rec.Code != 200 || d.ports.edit != (agent.ReminderEdit{}) {
		t.Errorf("an empty file: %d %s", rec.Code, rec.Body)
	}
	if got := fmt.Sprint(d.ports.reminders); got != "[gotchas 3 our_decisions our_decisions]" {
		t.Errorf("asked %s", got)
	}
	for body, pointer := range map[string]string{
		`{"text":"x"}`: "/version", `{"version":1}`: "/text", `{"text":null,"version":1}`: "/text", `{"text":"x","version":"1"}`: "/version", `{"text":"x","version":1.5}`: "/version",
		`{"text":"x","version":9007199254740993}`: "/version", `{"text":["x"],"version":1}`: "/text", `{"text":"x","version":1,"via":"seed"}`: "/via", `{"text":"x","version":1,"org":"evil"}`: "/org",
	} {
		d.ports.edit = agent.ReminderEdit{}
		if p := problem(t, d.do(request("PUT", "/reminders/gotchas", body))); p.Status/100 != 4 || p.Pointer != pointer || d.ports.edit.Text != "" {
			t.Errorf("%s: %+v", body, p)
		}
	}
}

func TestTheHistoryOfAReminderFileIsPagedAndCompared(t *testing.T) {
	d := newDesk(t)
	rec := d.do(request("GET", "/reminders/gotchas/history?before=9&limit=7&from=0&to=3", ""))
	const want = `{"items":[{"version":3,"bytes":9,"via":"seed","at":5}],"next":3,"diff":{"from":1,"to":3,"text":"-a\n+b\n"}}` + "\n"
	if rec.Code != 200 || rec.Body.String() != want || fmt.Sprint(d.ports.reminders) != "[gotchas 9 7 0 3]" {
		t.Errorf("%d %s, asked %v", rec.Code, rec.Body, d.ports.reminders)
	}
	if rec := d.do(request("GET", "/reminders/gotchas/history", "")); rec.Body.String() != `{"items":[]}`+"\n" {
		t.Errorf("%s", rec.Body)
	}
	for _, bad := range []string{"before=x", "limit=-1", "from=1e3", "to=-2"} {
		if p := problem(t, d.do(request("GET", "/reminders/gotchas/history?"+bad, ""))); p.Code != agent.CodeInvalidRequest || p.Pointer == "" {
			t.Errorf("%s: %+v", bad, p)
		}
	}
}

func TestAReminderFileThatIsNoneIsNotThere(t *testing.T) {
	for _, file := range []string{"secrets", "gotchas.md", "Gotchas", "..%2fgotchas", "%00", strings.Repeat("a", 101), "gotchas%2fhistory"} {
		for _, r := range []string{"GET", "PUT"} {
			body := ""
			if r == "PUT" {
				body = `{"text":"x","version":0}`
			}
			if p := problem(t, newDesk(t).do(request(r, "/reminders/"+file, body))); p.Status != 404 {
				t.Errorf("%s %s: %+v", r, file, p)
			}
		}
	}
}
