package capability_test

import (
	"bytes"
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"github.com/lossless-group/in-app-agent/capability"
)

func TestCanonical(t *testing.T) {
	for text, want := range map[string]string{
		"":                                 `{}`,
		` { } `:                            `{}`,
		`{"b":1,"a":2}`:                    `{"a":2,"b":1}`,
		`{"a":[{"d":1,"c":[ ]}]}`:          `{"a":[{"c":[],"d":1}]}`,
		`"\u0041\/\u00e9\u2028"`:           "\"A/é\u2028\"",
		`"\u0000\u001f\b\f\n\r\t\"\\"`:     `"\u0000\u001f\b\f\n\r\t\"\\"`,
		`"<&>"`:                            `"<&>"`,
		`[1,1.0,1e0,10e-1,0.1e1]`:          `[1,1,1,1,1]`,
		`[-0,0.0,0e5,-0.00]`:               `[0,0,0,0]`,
		`[1.50,15e-1]`:                     `[1.5,1.5]`,
		`[100,1e2,1E+2,0.001e5]`:           `[100,100,100,100]`,
		`[0.001,1e-3]`:                     `[0.001,0.001]`,
		`[9007199254740993]`:               `[9007199254740993]`,
		`[18446744073709551615]`:           `[18446744073709551615]`,
		`[0.1234567890123456789]`:          `[0.1234567890123456789]`,
		`[1e30,1000000000000000000000000]`: `[1e30,1e24]`,
		`[12345678901234567890123]`:        `[1.2345678901234567890123e22]`,
		`[1.5e-30]`:                        `[1.5e-30]`,
		`[true,false,null]`:                `[true,false,null]`,
	} {
		got, digest, err := capability.Canonical(json.RawMessage(text))
		if err != nil || string(got) != want || len(digest) != 64 {
			t.Errorf("Canonical(%q) is %s %q (%v), want %s", text, got, digest, err, want)
		}
	}
	if _, digest, _ := capability.Canonical(nil); digest != "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a" {
		t.Errorf("the digest of {} is %s, not its sha256", digest)
	}
	if _, _, err := capability.Canonical(json.RawMessage(`{"a":1,"a":1}`)); err == nil {
		t.Error("a duplicate name was taken")
	}
}

func FuzzCanonicalIsOneFormOfOneValue(f *testing.F) {
	for _, seed := range []string{`{"b":[1.0,2e3],"a":"\u00e9"}`, `[0.1e-5, 1e21, 123456789012345678901e3]`, `"\ud83d\ude00"`, `-0`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		first, digest, err := capability.Canonical(text)
		if err != nil {
			return
		}
		if !json.Valid(first) {
			t.Fatalf("%q gives %q, which is not JSON", text, first)
		}
		second, again, err := capability.Canonical(first)
		if err != nil || !bytes.Equal(first, second) || digest != again {
			t.Fatalf("%q gives %q, then %q (%v)", text, first, second, err)
		}
		var indented bytes.Buffer
		if json.Indent(&indented, first, " ", "\t") != nil {
			t.Fatal("cannot indent")
		}
		if spaced, other, err := capability.Canonical(indented.Bytes()); err == nil && (other != digest || !bytes.Equal(spaced, first)) {
			t.Fatalf("white space changed %q to %q", first, spaced)
		}
	})
}

func FuzzCanonicalNumbersKeepTheirExactValue(f *testing.F) {
	for _, seed := range []string{"1.0", "0.00012300", "12300e-7", "1e21", "1e22", "-99999999999999999999.5", "123456789012345678901234567890"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Trim(text, "+-.0123456789eE") != "" {
			return
		}
		got, _, err := capability.Canonical(json.RawMessage(text))
		if err != nil || text == "" {
			return
		}
		want, ok := new(big.Rat).SetString(text)
		have, ok2 := new(big.Rat).SetString(string(got))
		if !ok || !ok2 || want.Cmp(have) != 0 {
			t.Fatalf("%s became %s", text, got)
		}
	})
}
