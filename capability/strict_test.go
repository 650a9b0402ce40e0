package capability

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
)

func TestParseRefusesWhatIsNotStrict(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for name, tt := range map[string]struct{ text, says string }{
		"cut in an object":            {`{"slide": 4`, "cut off"},
		"cut in a string":             {`{"slide": "fo`, "cut off inside a string"},
		"cut in an escape":            {`{"slide": "fo\`, "cut off inside a string"},
		"cut after a comma":           {`{"a":1,`, "member's name"},
		"cut in an array":             {`[1`, "cut off"},
		"only white space":            {` `, "cut off"},
		"two values":                  {`{} {}`, "more text after the end"},
		"text after the end":          {`{}x`, "more text after the end"},
		"a duplicate name":            {`{"a":1,"a":1}`, `member "a" stands twice`},
		"a duplicate by an escape":    {`{"a":1,"\u0061":1}`, `member "a" stands twice`},
		"a duplicate further in":      {`{"x":[{"b":1,"b":2}]}`, `member "b" stands twice`},
		"NaN":                         {`{"a":NaN}`, "not JSON"},
		"Infinity":                    {`{"a":-Infinity}`, "not a JSON number"},
		"a huge exponent":             {`{"a":1e999999999}`, "out of range"},
		"an exponent beyond int":      {`{"a":1e99999999999999999999999}`, "out of range"},
		"a tiny exponent":             {`{"a":1e-400}`, "out of range"},
		"more than a float64":         {`{"a":10e308}`, "out of range"},
		"a number of 101 bytes":       {`{"a":` + strings.Repeat("1", 101) + `}`, "longer than any"},
		"a leading zero":              {`{"a":01}`, "not a JSON number"},
		"a plus":                      {`{"a":+1}`, "not JSON"},
		"a hexadecimal number":        {`{"a":0x10}`, "a comma or"},
		"a bare dot":                  {`{"a":1.}`, "not a JSON number"},
		"two signs":                   {`{"a":1e+-1}`, "not a JSON number"},
		"one object too deep":         {strings.Repeat(`{"a":`, 65) + "1" + strings.Repeat("}", 65), "nested deeper than 64"},
		"one array too deep":          {deep(65), "nested deeper than 64"},
		"a hundred thousand deep":     {deep(100_000), "nested deeper than 64"},
		"a hundred thousand open":     {strings.Repeat(`{"a":`, 100_000), "nested deeper than 64"},
		"invalid UTF-8":               {"{\"a\":\"\xff\"}", "not valid UTF-8"},
		"a surrogate in UTF-8":        {"{\"a\":\"\xed\xa0\x80\"}", "not valid UTF-8"},
		"half a surrogate pair":       {`{"a":"\ud800"}`, "half a surrogate pair"},
		"the wrong half":              {`{"a":"\udc00\ud800"}`, "half a surrogate pair"},
		"a pair that is none":         {`{"a":"\ud800\u0041"}`, "half a surrogate pair"},
		"a bare control character":    {"{\"a\":\"\n\"}", "must be escaped"},
		"one after an escape":         {"{\"a\":\"\\t\n\"}", "must be escaped"},
		"an unknown escape":           {`{"a":"\x41"}`, "no such escape"},
		"three hexadecimal digits":    {`{"a":"\u004"}`, "four hexadecimal"},
		"a signed hexadecimal number": {`{"a":"\u+041"}`, "four hexadecimal"},
		"single quotes":               {`{'a':1}`, "member's name"},
		"a comment":                   {`{"a":1 /* x */}`, "a comma or"},
		"a trailing comma":            {`{"a":1,}`, "member's name"},
		"no colon":                    {`{"a" 1}`, "a colon"},
		"a no-break space":            {"\u00a0{}", "not JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			v, err := parse([]byte(tt.text))
			var syntax *syntaxError
			if !errors.As(err, &syntax) || !strings.Contains(err.Error(), tt.says) {
				t.Fatalf("got %v and %v, want %q", v, err, tt.says)
			}
		})
	}
}

func TestParseTakesWhatIsAtTheLimits(t *testing.T) {
	for name, text := range map[string]string{
		"64 arrays":          strings.Repeat("[", 64) + strings.Repeat("]", 64),
		"64 objects":         strings.Repeat(`{"a":`, 64) + "1" + strings.Repeat("}", 64),
		"100 digits":         strings.Repeat("1", 100),
		"the largest":        "1.7e308",
		"the smallest":       "1e-308",
		"1 MiB":              `"` + strings.Repeat("a", MaxInputBytes-2) + `"`,
		"a surrogate pair":   `"\ud83d\ude00"`,
		"an escaped NUL":     `"\u0000"`,
		"a name that is odd": `{"":1,"__proto__":2,"a.b":3}`,
	} {
		if _, err := parse([]byte(text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := parse([]byte(`"` + strings.Repeat("a", MaxInputBytes-1) + `"`)); err == nil {
		t.Error("one byte over 1 MiB was taken")
	}
}

func FuzzParseAgreesWithTheStandardLibrary(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"a":[1,2.50,-0,1e5,"x\n\u00e9\ud83d\ude00"],"b":{"c":null,"d":true}}`, `{"a":1,"a":2}`, `[1e999]`, "\"\xff\"",
		`"\ud800"`, `{"a":01}`, ` [ ] `, `1 2`, `"\/"`, `-`, `{"a":`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := parse(text)
		if err != nil {
			return // stricter on purpose; TestParseRefusesWhatIsNotStrict names the ways
		}
		dec := json.NewDecoder(bytes.NewReader(text))
		dec.UseNumber()
		var want any
		if err := dec.Decode(&want); err != nil {
			t.Fatalf("%q was taken, but: %v", text, err)
		}
		if !reflect.DeepEqual(respell(got), respell(want)) {
			t.Fatalf("%q reads as %v, want %v", text, got, want)
		}
	})
}

// respell gives numbers as float64, as their spelling differs on purpose.
func respell(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, inner := range v {
			out[name] = respell(inner)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, inner := range v {
			out[i] = respell(inner)
		}
		return out
	case json.Number:
		f, err := v.Float64()
		return [2]any{f + 0, err == nil}
	}
	return v
}
