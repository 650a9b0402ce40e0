package httpapi

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

func TestStrictJSONTakesWhatIsFine(t *testing.T) {
	for _, body := range []string{
		`{}`, `[]`, `null`, `0`, `-0.5e+10`, `"x"`, ` { "a" : [ 1 , true , false , null , "\u00e9\n\"\\\/\b\f\r\t" ] } `,
		`{"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}]}`, `"\ud83d\ude00"`, `"😀"`, `{"":1}`,
		strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth),
	} {
		if err := strict([]byte(body)); err != nil {
			t.Errorf("%s: %v", body, err)
		}
	}
}

func TestStrictJSONRefusesWhatOthersRepair(t *testing.T) {
	cases := map[string]string{
		`{"a":1,"a":2}`:                        "twice",
		`{"a":1,"\u0061":2}`:                   "twice",
		`{"x":{"a":1,"b":2,"a":3}}`:            "twice",
		"\xef\xbb\xbf{}":                       "byte order mark",
		`"\ud83d"`:                             "surrogate",
		`"\ude00\ud83d"`:                       "surrogate",
		`"\ud83dx"`:                            "surrogate",
		`"\ud83d\u0041"`:                       "surrogate",
		`{"\udc00":1}`:                         "surrogate",
		"\"\xff\"":                             "UTF-8",
		"\"a\\n\xc0\xaf\"":                     "UTF-8",
		"{\"\xed\xa0\x80\":1}":                 "UTF-8",
		`"\u0000"`:                             "NUL",
		"\"\x00\"":                             "not JSON",
		"\"\n\"":                               "not JSON",
		`{} {}`:                                "after its end",
		`{}x`:                                  "after its end",
		``:                                     "cut off",
		`{`:                                    "cut off",
		`{"a"`:                                 "cut off",
		`{"a":`:                                "cut off",
		`{"a":1`:                               "cut off",
		`"abc`:                                 "cut off",
		`"\`:                                   "cut off",
		`"\u12`:                                "cut off",
		`{"a":1,}`:                             "not JSON",
		`[1,]`:                                 "not JSON",
		`[1 2]`:                                "not JSON",
		`{a:1}`:                                "not JSON",
		`{'a':1}`:                              "not JSON",
		`{"a" 1}`:                              "not JSON",
		`01`:                                   "after its end",
		`+1`:                                   "not JSON",
		`.5`:                                   "not JSON",
		`1.`:                                   "cut off",
		`1e`:                                   "cut off",
		`-`:                                    "cut off",
		`NaN`:                                  "not JSON",
		`Infinity`:                             "not JSON",
		`tru`:                                  "not JSON",
		`nul`:                                  "not JSON",
		`"\x41"`:                               "not JSON",
		`"\u00g0"`:                             "not JSON",
		`{}//`:                                 "after its end",
		strings.Repeat("[", maxDepth+1) + "1":  "deeper",
		strings.Repeat(`{"a":`, 100_000) + "1": "deeper",
		strings.Repeat(`[`, 1<<20):             "deeper",
		`{"` + strings.Repeat("k", 99) + `":1,"` + strings.Repeat("k", 99) + `":2}`: "odd name",
	}
	for body, want := range cases {
		err := strict([]byte(body))
		if err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 200 {
			t.Errorf("%.60q: %v, want %q", body, err, want)
		}
	}
}

func TestANameThatCannotBeAMembersIsNotRepeated(t *testing.T) {
	for name, shown := range map[string]bool{
		"parentTurnId": true, "_": true, strings.Repeat("x", 32): true, strings.Repeat("x", 33): false, "": false, "1st": false, "a b": false,
		"sk-ant-api03-0123456789": false, "gsk_" + strings.Repeat("0", 52): false, "é": false, "a\"b": false,
	} {
		var fault error
		raw, err := json.Marshal(map[string]int{name: 1})
		if err != nil {
			t.Fatal(err)
		}
		newObject(raw, "", &fault).closed()
		twice := strict([]byte(`{` + string(raw[1:len(raw)-1]) + `,` + string(raw[1:])))
		if twice == nil || agent.ErrorCode(fault) != agent.CodeInvalidRequest {
			t.Fatalf("%q: %v, %v", name, fault, twice)
		}
		var e *agent.Error
		if len(name) > 1 && (strings.Contains(fault.Error(), name) != shown || strings.Contains(twice.Error(), name) != shown) {
			t.Errorf("%q: %v, %v", name, fault, twice)
		}
		if errors.As(fault, &e) && (e.Pointer == "/"+name) != shown {
			t.Errorf("%q: the pointer is %q", name, e.Pointer)
		}
	}
}

// FuzzStrictIsStricterThanTheStandardLibrary holds two readers against each other:
// what we take, everybody takes, and what the library wrote, we take.
func FuzzStrictIsStricterThanTheStandardLibrary(f *testing.F) {
	for _, s := range []string{`{"a":[1,2,{"b":null}]}`, `"\ud83d\ude00"`, `-1.5e-7`, `{"a":1,"a":2}`, "\"\xff\"", `[[[[`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if strict(body) != nil {
			return
		}
		var v any
		if err := json.Unmarshal(body, &v); err != nil && !strings.Contains(err.Error(), "cannot unmarshal number") {
			t.Fatalf("%q was taken and is not JSON: %v", body, err)
		} else if err != nil {
			return // a number that no float holds is still JSON
		}
		again, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if err := strict(again); err != nil {
			t.Fatalf("%q was written by the library and refused: %v", again, err)
		}
	})
}

func TestARepeatedMemberIsPointedAt(t *testing.T) {
	for body, want := range map[string]string{
		`{"title":"a","title":"b"}`:                       "/title",
		`{"a":{"b":[0,{"c":1,"c":2}]}}`:                   "/a/b/1/c",
		`{"a":1,"b":{"c":{},"d":1,"c":{}}}`:               "/b/c",
		`{"sk-ant-secret":{"a":1,"a":2}}`:                 "",
		`{"a":{"sk-ant-secret":1,"sk-ant-secret":2}}`:     "/a",
		`{"a":[{"sk-ant-secret":{"b":[{"c":1,"c":2}]}}]}`: "/a/0",
	} {
		d := newDesk(t)
		p := problem(t, d.do(request("PATCH", "/threads/th1", body)))
		if p.Status != 400 || p.Pointer != want || strings.Contains(p.Message+p.Pointer, "secret") {
			t.Errorf("%s: %+v", body, p)
		}
	}
}
