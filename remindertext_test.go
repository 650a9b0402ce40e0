package agent_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	agent "github.com/lossless-group/in-app-agent"
)

func TestAReminderFileIsKeptAsPlainLines(t *testing.T) {
	for in, want := range map[string]string{
		"": "", " \n\t\n": "", "a": "a\n", "a\n\n\n": "a\n", "a\r\nb\rc": "a\nb\nc\n", "\uFEFFa": "a\n", "\n a": "\n a\n",
		"مرحبا \u200f!": "مرحبا \u200f!\n", "👩\u200d💻": "👩\u200d💻\n", "tab\there": "tab\there\n",
	} {
		if got, err := agent.CheckReminder(in); err != nil || got != want {
			t.Errorf("%q gives %q, %v", in, got, err)
		}
	}
	for name, bad := range map[string]string{
		"no UTF-8": "a\xff", "a null byte": "a\x00b", "a control character": "a\x1bb", "an override": "a\u202eb", "an isolate": "a\u2066b",
		"a tag": "a\U000E0041b", "a blank without width": "a\u200bb", "private use": "a\ue000b", "a mark inside": "a\uFEFFb",
	} {
		if _, err := agent.CheckReminder(bad); agent.ErrorCode(err) != agent.CodeInvalidInput {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAReminderFileIsOfSixteenKiBAtMost(t *testing.T) {
	fits := strings.Repeat("x", agent.MaxReminderBytes-1)
	for text, code := range map[string]agent.Code{
		fits: "", fits + "\n\n\n": "", fits + "x": agent.CodeTooLarge, strings.Repeat("x", 1<<20): agent.CodeTooLarge, strings.Repeat("\n", 1<<20): agent.CodeTooLarge,
	} {
		got, err := agent.CheckReminder(text)
		if code == "" && (err != nil || len(got) != agent.MaxReminderBytes) || code != "" && agent.ErrorCode(err) != code {
			t.Errorf("%d bytes: %d bytes, %v", len(text), len(got), err)
		}
	}
}

func TestALineIsOneLineOfTextThatIsSeen(t *testing.T) {
	for in, want := range map[string]string{"a": "a", " a\n\n b\tc ": "a b c", "é\u00a0x": "é x", strings.Repeat("x", 10): "xxxxxxxxxx"} {
		if got, err := agent.CheckLine("/text", in, 10); err != nil || got != want {
			t.Errorf("%q gives %q, %v", in, got, err)
		}
	}
	for _, bad := range []string{"", " \n", strings.Repeat("x", 11), strings.Repeat(" ", 41), "a\xff", "a\u202eb", "a\x00", "\U000E0041", "a\u200bb"} {
		_, err := agent.CheckLine("/text", bad, 10)
		var e *agent.Error
		if !errors.As(err, &e) || e.Code != agent.CodeInvalidInput || e.Pointer != "/text" {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestTheLimitsOfNotesAreChecked(t *testing.T) {
	if agent.DefaultNoteLimits.Check() != nil || agent.DefaultNoteLimits.Life().Hours() != 30*24 || agent.DefaultNoteLimits.Max != 200 {
		t.Errorf("%+v", agent.DefaultNoteLimits)
	}
	for _, bad := range []agent.NoteLimits{{Days: 0}, {Days: agent.MaxNoteDays + 1}, {Days: 1, Max: -1}, {Days: 1, Max: agent.MaxNotes + 1}} {
		if agent.ErrorCode(bad.Check()) != agent.CodeInvalidInput {
			t.Errorf("%+v was taken", bad)
		}
	}
}

func FuzzCheckReminder(f *testing.F) {
	f.Add("a\r\nb")
	f.Fuzz(func(t *testing.T, s string) {
		got, err := agent.CheckReminder(s)
		if err != nil {
			return
		}
		again, err := agent.CheckReminder(got)
		if err != nil || again != got || !utf8.ValidString(got) || strings.Contains(got, "\r") || (got != "" && !strings.HasSuffix(got, "\n")) {
			t.Fatalf("%q gives %q, then %q, %v", s, got, again, err)
		}
	})
}
