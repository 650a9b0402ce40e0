//go:build !selfhosted

package builtin

import (
	"strings"
	"testing"
	"unicode/utf8"

	agent "github.com/lossless-group/in-app-agent"
)

func TestWhatIsRecordedOfAQueryHasNoPersonalDetail(t *testing.T) {
	for query, want := range map[string]string{
		"ferry routes in 2024":                 "ferry routes in 2024",
		"12345 passengers":                     "12345 passengers",
		"123456 passengers":                    "[redacted] passengers",
		"call 0660/123 45 67 now":              "call [redacted] now",
		"call +43 (660) 123-4567":              "call [redacted]",
		"write jo.doe+x@ferry.example.":        "write [redacted]",
		"card 4111 1111 1111 1111":             "card [redacted]",
		"AT61 1904 3002 3457 3201":             "[redacted]",
		"key sk-ant-api03-abcdef0123456789":    "key [redacted]",
		"token 0123456789abcdef0123456789abcd": "token [redacted]",
	} {
		if got := masked(query); got != want {
			t.Errorf("%q is recorded as %q", query, got)
		}
	}
}

func TestOneClientReadsNoNameOfAnother(t *testing.T) {
	own := agent.Client{Slug: "acme", Name: "Acme"}
	others := []agent.Client{{Slug: "fer", Name: "Fer"}, {Slug: "ferry-co", Name: "Ferry (Co)"}, {Slug: "a.b", Name: "acme"}, {}}
	for query, want := range map[string]string{
		"ferry-co and FERRY (CO) and acme": "[redacted] and [redacted] and acme",
		"a.b axb":                          "[redacted] axb",
		"nothing":                          "nothing",
	} {
		if got := withoutClients(query, own, others); got != want {
			t.Errorf("%q is read as %q", query, got)
		}
	}
}

// FuzzMasked checks that no e-mail address is left and that text stays text.
func FuzzMasked(f *testing.F) {
	for _, s := range []string{"a@b.c", "+43 660 1234567", "é@é", "@@@", "1@2@3"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := clipped(masked(s))
		if utf8.ValidString(s) && !utf8.ValidString(got) {
			t.Errorf("%q became %q", s, got)
		}
		if len(got) > maxRecordedQuery+len("…") {
			t.Errorf("%d bytes are recorded", len(got))
		}
		if strings.Contains(s, "jo@ferry.example") && strings.Contains(got, "jo@ferry.example") {
			t.Errorf("%q is left", got)
		}
	})
}
