package policy

import (
	"encoding/json"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"pgregory.net/rapid"
)

func cutter(t interface{ Fatal(...any) }, kinds ...agent.RedactionKind) *Redaction {
	rules, err := CompileRedaction(agent.RedactionPolicy{Kinds: kinds})
	if err != nil {
		t.Fatal(err)
	}
	return NewRedaction(rules, nil)
}

func TestACutIsMadeBesideADetail(t *testing.T) {
	const mail = "ada.lovelace@example.com"
	quote := func(s string) string {
		text, err := json.Marshal(map[string]string{"text": s})
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for name, c := range map[string]struct {
		text   string
		isJSON bool
		detail string // as it stands in the text
	}{
		"plain":                     {"write to " + mail + " today", false, mail},
		"JSON":                      {quote("write to " + mail + " today"), true, mail},
		"after escapes":             {quote("a\n\"b\"\tc é 𝄞 \u2028 " + mail + " x"), true, mail},
		"after escaped characters":  {`{"text":"\u00e9\ud834\udd1e\ud834 ` + mail + ` x"}`, true, mail},
		"after a byte that is none": {"{\"text\":\"\xff\\n " + mail + " x\"}", true, mail},
		"a card with spaces":        {quote("card 4111 1111 1111 1111 end"), true, "4111 1111 1111 1111"},
		"a number":                  {`{"card":4111111111111111}`, true, "4111111111111111"},
		"a secret by its name":      {`{"password":"correct-horse-battery-9"}`, true, "correct-horse-battery-9"},
	} {
		t.Run(name, func(t *testing.T) {
			d := cutter(t, agent.RedactEmail, agent.RedactCard, agent.RedactSecret)
			start := strings.Index(c.text, c.detail)
			end := start + len(c.detail)
			for at := range len(c.text) + 1 {
				from, to := d.Whole(c.text, c.isJSON, at)
				wantFrom, wantTo := at, at
				if at > start && at < end {
					wantFrom, wantTo = start, end
				}
				if from != wantFrom || to != wantTo {
					t.Fatalf("a cut at %d of %q is made at %d and %d, want %d and %d", at, c.text, from, to, wantFrom, wantTo)
				}
			}
		})
	}
}

func TestAPlaceInAValueIsFoundInItsJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.String().Draw(t, "value")
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		content := string(text[1 : len(text)-1])
		for at := range value {
			before, err := json.Marshal(value[:at])
			if err != nil {
				t.Fatal(err)
			}
			if got := rawAt(content, at); got != len(before)-2 {
				t.Fatalf("byte %d of %q is at %d of %s, want %d", at, value, got, content, len(before)-2)
			}
		}
	})
}
