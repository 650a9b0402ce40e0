package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

func everything(tb testing.TB, patterns ...agent.RedactionPattern) *Redactor {
	tb.Helper()
	return compiled(tb, agent.RedactionPolicy{Kinds: agent.RedactionKinds, Patterns: patterns})
}

func compiled(tb testing.TB, p agent.RedactionPolicy) *Redactor {
	tb.Helper()
	r, err := CompileRedaction(p)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// found writes findings as KIND=text.
func found(r *Redactor, text string) (list []string) {
	for _, f := range r.Find("", text) {
		list = append(list, f.Kind+"="+text[f.Start:f.End])
	}
	return list
}

// details are texts with what is found in them; they are pinned by the rules' version.
var details = [][]string{
	{"write to ann.smith+x@mail.example.co.uk.", "EMAIL=ann.smith+x@mail.example.co.uk"},
	{"<josé@correo.es>,o'neil@x.ie;'quoted@x.de'", "EMAIL=josé@correo.es", "EMAIL=o'neil@x.ie", "EMAIL=quoted@x.de"},
	{"пишите на мария@почта.рф сегодня", "EMAIL=мария@почта.рф"},
	{"メールはtaro@example.jpです", "EMAIL=taro@example.jp"},
	{"用户@例子.公司", "EMAIL=用户@例子.公司"},
	{"이메일은test@example.kr입니다", "EMAIL=test@example.kr"},
	{"@home user@localhost a@b 12@3.4 x@-.de"},
	{"call +49 151 23456789 or +1 (555) 010-1234 or 0044 20 7946 0958", "PHONE=+49 151 23456789", "PHONE=+1 (555) 010-1234", "PHONE=0044 20 7946 0958"},
	{"(030) 1234567, 0151/23456789, 06 12 34 56 78, 555-010-1234", "PHONE=(030) 1234567", "PHONE=0151/23456789", "PHONE=06 12 34 56 78", "PHONE=555-010-1234"},
	{"電話は03-1234-5678です。携帯090-1234-5678", "PHONE=03-1234-5678", "PHONE=090-1234-5678"},
	{"Móvil: 612 345 678", "PHONE=612 345 678"},
	{"отправьте 8 (912) 345-67-89 сейчас", "PHONE=8 (912) 345-67-89"},
	{"هاتف ٠١٠٠١٢٣٤٥٦٧", "PHONE=٠١٠٠١٢٣٤٥٦٧"},
	{"मोबाइल ९८७६५ ४३२१०", "PHONE=९८७६५ ४३२१०"},
	{"on 2026-12-01 at 09:30, on 01.12.2026 10:30, version 1.22.333, 612 345 678 people, 1.234.567,00"},
	{"4111 1111 1111 1111, 5500-0000-0000-0004 and 378282246310005", "CARD=4111 1111 1111 1111", "CARD=5500-0000-0000-0004", "CARD=378282246310005"},
	{"4111 1111 1111 1112 and x4111111111111111 and 1764547200000"},
	{"４１１１１１１１１１１１１１１１", "CARD=４１１１１１１１１１１１１１１１"},
	{"DE89 3704 0044 0532 0130 00 and gb82west12345698765432.", "IBAN=DE89 3704 0044 0532 0130 00", "IBAN=gb82west12345698765432"},
	{"GB82 WEST 1234 5698 7654 33 and DE893704004405320130001"},
	{"SSN 123-45-6789, not 000-12-3456", "NATIONAL_ID=123-45-6789"},
	{"BSN 111222333 but not 111222333000", "NATIONAL_ID=111222333"},
	{"PESEL 44051401359", "NATIONAL_ID=44051401359"},
	{"Steuer-ID 86 095 742 719", "NATIONAL_ID=86 095 742 719"},
	{"CPF 529.982.247-25", "NATIONAL_ID=529.982.247-25"},
	{"NN 93.05.18-223.61", "NATIONAL_ID=93.05.18-223.61"},
	{"TC 10000000146", "NATIONAL_ID=10000000146"},
	{"Aadhaar 2345 6789 0124", "NATIONAL_ID=2345 6789 0124"},
	{"マイナンバー123456789018", "NATIONAL_ID=123456789018"},
	{"AHV 756.9217.0769.85", "NATIONAL_ID=756.9217.0769.85"},
	{"RRN 850101-1234567", "NATIONAL_ID=850101-1234567"},
	{"NIR 2 55 08 14 168 025 38", "NATIONAL_ID=2 55 08 14 168 025 38"},
	{"身份证11010519491231002X。", "NATIONAL_ID=11010519491231002X"},
	{"DNI 12345678Z, NIE X1234567L, NINO AB 12 34 56 C", "NATIONAL_ID=12345678Z", "NATIONAL_ID=X1234567L", "NATIONAL_ID=AB 12 34 56 C"},
	{"codice RSSMRA85T10A562S", "NATIONAL_ID=RSSMRA85T10A562S"},
	{"personnummer 811218-9876 und 19811218-9876", "NATIONAL_ID=811218-9876", "NATIONAL_ID=19811218-9876"},
	{"NIF 123456789, SIN 046 454 286", "NATIONAL_ID=123456789", "NATIONAL_ID=046 454 286"},
	{"12345678A X1234567A AB 12 34 56 E RSSMRA85T10A562T 44051401358 999999999999"},
	{"key sk-ant-api03-abcDEF123456ghiJKL789012.", "SECRET=sk-ant-api03-abcDEF123456ghiJKL789012"},
	{"AKIAIOSFODNN7EXAMPLE ghp_16C7e42F292c6912E7710c838347Ae178B4a", "SECRET=AKIAIOSFODNN7EXAMPLE", "SECRET=ghp_16C7e42F292c6912E7710c838347Ae178B4a"},
	{"postgres://bob:hunter2pass@db.example.com/x", "SECRET=hunter2pass"},
	{"Authorization: Bearer abcdef0123456789abcdef", "SECRET=abcdef0123456789abcdef"},
	{"DB_PASSWORD=correct-horse-1 and \"clientSecret\": \"s3cr3t!value\"", "SECRET=correct-horse-1", "SECRET=s3cr3t!value"},
	{"password: changing, secret: ${VAULT}, token sk-short, the password is important"},
	{"-----BEGIN RSA PRIVATE KEY-----\nMIIE1234567890abcdef\n-----END RSA PRIVATE KEY-----\nend", "SECRET=-----BEGIN RSA PRIVATE KEY-----\nMIIE1234567890abcdef\n-----END RSA PRIVATE KEY-----"},
	{"-----BEGIN PUBLIC KEY-----\nMIIE1234567890abcdef\n-----END PUBLIC KEY-----"},
	{"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P", "SECRET=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P"},
}

func TestDetailsAreFoundWhereTheyStandAndNothingElseIs(t *testing.T) {
	r := everything(t)
	for _, d := range details {
		if got := found(r, d[0]); strings.Join(got, "|") != strings.Join(d[1:], "|") {
			t.Errorf("%q:\n got %q\nwant %q", d[0], got, d[1:])
		}
	}
}

// pinnedRules is what RedactionRules 1 finds. A change of what is found raises the
// version and this hash together.
const pinnedRules = "e565c13c5f22f38ef30a33fcbfaf3f050276b41a6898cbaa7edcf0c8b138f2bf"

func TestWhatTheRulesFindIsPinnedToTheirVersion(t *testing.T) {
	r := everything(t)
	sum := sha256.New()
	for _, d := range details {
		fmt.Fprintln(sum, found(r, d[0]))
	}
	for _, tok := range tokens {
		fmt.Fprintln(sum, tok)
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != pinnedRules || RedactionRules != 1 {
		t.Fatalf("the rules find something else: raise RedactionRules and pin %s", got)
	}
}

func TestEachKindIsFoundOnlyWhereItIsKept(t *testing.T) {
	text := "a@b.example +49 151 23456789 4111111111111111 DE89370400440532013000 44051401359 sk-ant-api03-abcDEF123456ghiJKL789012"
	for i, kind := range agent.RedactionKinds {
		list := found(compiled(t, agent.RedactionPolicy{Kinds: []agent.RedactionKind{kind}}), text)
		if len(list) != 1 || !strings.HasPrefix(list[0], strings.ToUpper(string(kind))+"=") {
			t.Errorf("%d %s alone finds %q", i, kind, list)
		}
	}
	if r := compiled(t, agent.RedactionPolicy{}); !r.Empty() || len(found(r, text)) != 0 {
		t.Error("rules without kinds find something")
	}
}

func TestOnesOwnPatternsAreCheckedWhenTheyAreSet(t *testing.T) {
	many := make([]agent.RedactionPattern, agent.MaxRedactionPatterns+1)
	for i := range many {
		many[i] = agent.RedactionPattern{Name: fmt.Sprintf("p%d", i), Pattern: "x"}
	}
	one := func(name, re string) agent.RedactionPolicy {
		return agent.RedactionPolicy{Patterns: []agent.RedactionPattern{{Name: name, Pattern: re}}}
	}
	for what, c := range map[string]struct {
		p  agent.RedactionPolicy
		at string
	}{
		"a kind that there is not":   {agent.RedactionPolicy{Kinds: []agent.RedactionKind{"email", "shoe_size"}}, "/kinds/1"},
		"one pattern too many":       {agent.RedactionPolicy{Patterns: many}, "/patterns"},
		"as many as there may be":    {agent.RedactionPolicy{Patterns: many[1:]}, ""},
		"no name":                    {one("", "x"), "/patterns/0/name"},
		"a name in capitals":         {one("Code", "x"), "/patterns/0/name"},
		"the longest name":           {one(strings.Repeat("a", 24), "x"), ""},
		"a longer one":               {one(strings.Repeat("a", 25), "x"), "/patterns/0/name"},
		"the name of a kind":         {one("email", "x"), "/patterns/0/name"},
		"a name twice":               {agent.RedactionPolicy{Patterns: []agent.RedactionPattern{{Name: "a", Pattern: "x"}, {Name: "a", Pattern: "y"}}}, "/patterns/1/name"},
		"no expression":              {one("a", "("), "/patterns/0/pattern"},
		"a look behind":              {one("a", "(?<=x)y"), "/patterns/0/pattern"},
		"a match of nothing":         {one("a", "x*"), "/patterns/0/pattern"},
		"the longest expression":     {one("a", "["+strings.Repeat("x", agent.MaxRedactionPatternBytes-2)+"]"), ""},
		"one of too many bytes":      {one("a", strings.Repeat("x", agent.MaxRedactionPatternBytes+1)), "/patterns/0/pattern"},
		"a repetition of many steps": {one("a", "(a[bc]d){200}"), "/patterns/0/pattern"},
	} {
		_, err := CompileRedaction(c.p)
		var e *agent.Error
		if errors.As(err, &e) != (c.at != "") || e != nil && (e.Code != agent.CodeInvalidInput || e.Pointer != c.at) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestOnesOwnPatternsAreFoundUnderTheirName(t *testing.T) {
	r := compiled(t, agent.RedactionPolicy{Patterns: []agent.RedactionPattern{{Name: "project_code", Pattern: `\bPRJ-\d{4}\b`}}})
	d := NewRedaction(r, nil)
	if got := d.Text("PRJ-1234 after PRJ-9999 and PRJ-1234, not PRJ-12345"); got != "[PROJECT_CODE_1] after [PROJECT_CODE_2] and [PROJECT_CODE_1], not PRJ-12345" {
		t.Error(got)
	}
}

func FuzzFind(f *testing.F) {
	for _, d := range details {
		f.Add(d[0])
	}
	f.Add("A٠١٠ R۸ x４१") // digits of other scripts right after a letter once went nowhere
	r := everything(f, agent.RedactionPattern{Name: "own", Pattern: `own-[0-9]+`})
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for _, found := range r.Find("", text) {
			if found.Start < end || found.End <= found.Start || found.End > len(text) || !r.kinds[found.Kind] {
				t.Fatalf("%q: %+v after %d", text, found, end)
			}
			end = found.End
		}
	})
}

func BenchmarkFind(b *testing.B) {
	r := everything(b)
	prose := strings.Repeat("The quarter went well: revenue rose by 12% to 3.4 million, says the report of 2026-04-01 (see page 12). ", 200)[:16<<10]
	rows := strings.Repeat(`{"id":120934,"name":"Kestrel Oakline","city":"Bremen","total":1203.55,"tags":["north","early"]},`, 200)[:16<<10]
	for name, text := range map[string]string{"prose": prose, "rows": rows, "hostile": strings.Repeat("pwd:sk-", 1200) + strings.Repeat("eyJa1B-", 1200) + strings.Repeat("1-@2.", 500), "details": strings.Repeat(details[0][0]+details[7][0]+details[15][0], 200)[:16<<10]} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for range b.N {
				r.Find("", text)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(text))*1024, "ns/KiB")
		})
	}
}
