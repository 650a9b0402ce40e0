package look_test

import (
	"strings"
	"testing"

	"github.com/lossless-group/in-app-agent/examples/dididecks/look"
)

func TestAStyleAlwaysLooksTheSameAndOthersLookDifferent(t *testing.T) {
	seen := map[string]string{}
	for _, style := range []string{"chroma", "minimal", "brutalist", "editorial", "dark", "light", "retro", "swiss", "casual", "zanzibar", "honey", "granite", "north wind"} {
		l := look.Of(style)
		if l != look.Of(strings.ToUpper(style)) || l != look.Of(" "+style+" ") {
			t.Errorf("%s looks different the second time", style)
		}
		key := l.Paper + l.Ink + l.Accent
		if other := seen[key]; other != "" {
			t.Errorf("%s looks like %s", style, other)
		}
		seen[key] = style
	}
	if look.Of("neon") != look.Of("chroma") || look.Of("a bold, chroma look").Name != "swiss" {
		t.Error("a word that means a known look is not taken for it")
	}
}

func TestEveryLookIsComplete(t *testing.T) {
	for _, style := range []string{"", "chroma", "minimal", "x", "日本", strings.Repeat("word ", 100)} {
		l := look.Of(style)
		for _, v := range []string{l.Paper, l.Ink, l.Muted, l.Accent, l.Second, l.Panel, l.Display, l.Text, l.Radius} {
			if v == "" || strings.ContainsAny(v, "<>{};") {
				t.Errorf("%.20q has the value %q", style, v)
			}
		}
		if l.Weight < 100 {
			t.Errorf("%.20q has no weight", style)
		}
	}
}
