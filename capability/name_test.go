package capability_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/lossless-group/in-app-agent/capability"
)

func TestValidName(t *testing.T) {
	for name, want := range map[string]bool{
		"slide.edit": true, "deck.og_image": true, "a.b.c": true, "a1.b2": true, "a_.b": true,
		"slide": false, "": false, ".edit": false, "slide.": false, "slide..edit": false, "Slide.edit": false,
		"slide.1": false, "_slide.edit": false, "slide._edit": false, "slide-x.edit": false, "slide.edit ": false,
		"slide.edit\n": false, "slіde.edit": false /* Cyrillic і */, "slide．edit": false /* full-width dot */, "slide.*": false,
		"a." + strings.Repeat("b", capability.MaxName-3): true,
		"a." + strings.Repeat("b", capability.MaxName-2): true,
		"a." + strings.Repeat("b", capability.MaxName-1): false,
	} {
		if got := capability.ValidName(name); got != want {
			t.Errorf("ValidName(%q) is %v", name, got)
		}
	}
}

func TestWireName(t *testing.T) {
	for name, want := range map[string]string{
		"slide.edit": "slide_edit", "deck.og_image": "deck_og__image", "a.b.c": "a_b_c", "a_.b": "a___b",
		"a." + strings.Repeat("b", 62): "a_" + strings.Repeat("b", 62),
	} {
		if got := capability.WireName(name); got != want {
			t.Errorf("WireName(%q) is %q, want %q", name, got, want)
		}
	}
	if a, b := capability.WireName("a.b_c"), capability.WireName("a_b.c"); a == b {
		t.Errorf("a.b_c and a_b.c are both %q", a)
	}
	long := "a." + strings.Repeat("b", 63)
	if a, b := capability.WireName(long), capability.WireName(long+"b"); a == b || len(a) != 64 || len(b) != 64 {
		t.Errorf("long names map to %q and %q", a, b)
	}
}

var onTheWire = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

func FuzzWireNamesAreInjective(f *testing.F) {
	f.Add("a.b_c", "a_b.c")
	f.Add("a_.b", "a._b")
	f.Add("a__.b", "a_.b")
	f.Add("a.b", "a.b")
	f.Add("a."+strings.Repeat("_", 60), "a."+strings.Repeat("_", 61))
	f.Fuzz(func(t *testing.T, a, b string) {
		if !capability.ValidName(a) || !capability.ValidName(b) {
			return
		}
		wa, wb := capability.WireName(a), capability.WireName(b)
		if !onTheWire.MatchString(wa) {
			t.Fatalf("%q is no wire name", wa)
		}
		if (wa == wb) != (a == b) {
			t.Fatalf("%q and %q map to %q and %q", a, b, wa, wb)
		}
	})
}

func TestWireNamesOfAllShortNamesDiffer(t *testing.T) {
	seen := map[string]string{}
	var walk func(prefix string)
	walk = func(prefix string) {
		if capability.ValidName(prefix) {
			wire := capability.WireName(prefix)
			if other, taken := seen[wire]; taken {
				t.Fatalf("%q and %q are both %q", prefix, other, wire)
			}
			seen[wire] = prefix
		}
		if len(prefix) < 9 {
			for _, c := range "a._" {
				walk(prefix + string(c))
			}
		}
	}
	walk("a")
	if len(seen) < 500 {
		t.Fatalf("only %d names were tried", len(seen))
	}
}
