package capability_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/capability"
)

// simple makes a capability that answers "done".
func simple(name string) agent.Capability {
	return capability.Func(capability.Spec{Name: name, Title: name, Description: "Does " + name + ".", Kind: agent.KindRead, Tier: agent.TierUser},
		func(context.Context, *agent.Call, struct{}) (string, error) { return "done", nil })
}

func with(c agent.Capability, change func(*agent.Capability)) agent.Capability {
	change(&c)
	return c
}

func registry(caps ...agent.Capability) *capability.Registry {
	reg := capability.NewRegistry()
	reg.Add(caps...)
	return reg
}

func TestAddPanicsWithASentence(t *testing.T) {
	confirming := func(c *agent.Capability) {
		c.RequiresConfirmation = true
		c.Apply = func(context.Context, *agent.Call, agent.Receipt) (agent.Result, error) {
			return agent.Result{OK: true}, nil
		}
		c.Resources = func(context.Context, *agent.Call) ([]agent.Resource, error) { return nil, nil }
	}
	for name, tt := range map[string]struct {
		caps []agent.Capability
		says string
	}{
		"a bad name":                   {[]agent.Capability{simple("Slide.edit")}, `the name "Slide.edit" is not like entity.verb`},
		"a duplicate name":             {[]agent.Capability{simple("a.b"), simple("a.b")}, "a.b is registered twice"},
		"no handler":                   {[]agent.Capability{with(simple("a.b"), func(c *agent.Capability) { c.Handler = nil })}, "a.b has no Handler"},
		"confirming without apply":     {[]agent.Capability{with(simple("a.b"), func(c *agent.Capability) { confirming(c); c.Apply = nil })}, "no Apply"},
		"confirming without resources": {[]agent.Capability{with(simple("a.b"), func(c *agent.Capability) { confirming(c); c.Resources = nil })}, "no Resources"},
		"a typed one without function": {[]agent.Capability{capability.Func[struct{}, string](capability.Spec{Name: "a.b"}, nil)}, "a.b has no Handler"},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if said := fmt.Sprint(recover()); !strings.Contains(said, tt.says) {
					t.Fatalf("said %q, want %q", said, tt.says)
				}
			}()
			registry(tt.caps...)
		})
	}
	registry(with(simple("a.b"), confirming)) // a complete one is taken
}

func TestGetAndByWireTakeExactNamesOnly(t *testing.T) {
	reg := registry(simple("slide.read"))
	if c, ok := reg.Get("slide.read"); !ok || c.Name != "slide.read" {
		t.Fatal("slide.read was not found")
	}
	if c, ok := reg.ByWire("slide_read"); !ok || c.Name != "slide.read" {
		t.Fatal("slide_read was not found")
	}
	for _, name := range []string{"", "slide.readx", "slide.rea", "Slide.read", "slide.read ", "slide_read", "slide．read", "ѕlide.read", "slide.read\x00"} {
		if _, ok := reg.Get(name); ok {
			t.Errorf("%q was found", name)
		}
	}
	for _, wire := range []string{"", "slide.read", "slide_readx", "slide__read", "SLIDE_READ", "slide_read\n", "slide＿read"} {
		if _, ok := reg.ByWire(wire); ok {
			t.Errorf("wire name %q was found", wire)
		}
	}
}

func TestMatch(t *testing.T) {
	reg := registry(simple("slide.read"), simple("slide.edit"), simple("slidex.read"), simple("deck.export"), simple("deck.og_image"),
		with(simple("corpus.search"), func(c *agent.Capability) { c.Shared = true }))
	const shared = "corpus.search"
	for _, tt := range []struct {
		globs     []string
		names     string
		unmatched string
	}{
		{nil, "corpus.search deck.export deck.og_image slide.edit slide.read slidex.read", ""},
		{[]string{}, shared, ""},
		{[]string{"slide.*"}, shared + " slide.edit slide.read", ""},
		{[]string{"slide.*", "deck.*", "corpus.search"}, shared + " deck.export deck.og_image slide.edit slide.read", ""},
		{[]string{"*"}, "corpus.search deck.export deck.og_image slide.edit slide.read slidex.read", ""},
		{[]string{"*.read"}, shared + " slide.read slidex.read", ""},
		{[]string{"slide*.r*d"}, shared + " slide.read slidex.read", ""},
		{[]string{"slide.read", "slide.read"}, shared + " slide.read", ""},
		{[]string{"slide.readx", "memo.*", "memo.*"}, shared, "memo.* slide.readx"},
		{[]string{"slide"}, shared, "slide"},
		{[]string{"Slide.*", "slide.[er]*", "slide.?ead", "slidе.*", "", " slide.*", "slide.*\n"}, shared, "  slide.* Slide.* slide.*\n slide.?ead slide.[er]* slidе.*"},
		{[]string{"a*" + strings.Repeat("*a", 200)}, shared, "a*" + strings.Repeat("*a", 200)},
	} {
		names, unmatched := reg.Match(tt.globs)
		if got := strings.Join(names, " "); got != tt.names {
			t.Errorf("Match(%q) gives %q, want %q", tt.globs, got, tt.names)
		}
		if !slices.IsSorted(unmatched) {
			t.Errorf("Match(%q) leaves %q, unsorted", tt.globs, unmatched)
		}
		if got := strings.Join(unmatched, " "); got != tt.unmatched {
			t.Errorf("Match(%q) leaves %q, want %q", tt.globs, got, tt.unmatched)
		}
	}
}

func FuzzGlobsAgreeWithARegexp(f *testing.F) {
	names := []string{"slide.read", "slide.edit", "slidex.read", "a.b", "aa.ba_b", "deck.og_image"}
	var caps []agent.Capability
	for _, name := range names {
		caps = append(caps, simple(name))
	}
	reg := registry(caps...)
	for _, seed := range []string{"slide.*", "*", "**", "*.read", "a*b", "*a*b*", "slide.readx", "", "[a-z]*", "a.b"} {
		f.Add(seed)
	}
	plain := regexp.MustCompile(`^[a-z0-9_.*]{1,128}$`)
	f.Fuzz(func(t *testing.T, glob string) {
		got, unmatched := reg.Match([]string{glob})
		var want []string
		if plain.MatchString(glob) && !strings.HasSuffix(glob, "\n") {
			re := regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(glob), `\*`, ".*") + "$")
			for _, name := range names {
				if re.MatchString(name) {
					want = append(want, name)
				}
			}
		}
		slices.Sort(want)
		if !slices.Equal(got, want) || (len(unmatched) == 1) != (len(want) == 0) {
			t.Fatalf("%q gives %q and %q, want %q", glob, got, unmatched, want)
		}
	})
}

func TestToolsAreByteStable(t *testing.T) {
	one := registry(simple("b.b"), simple("a.a_b"), simple("c.c"))
	two := registry(simple("c.c"), simple("a.a_b"), simple("b.b"))
	names := []string{"c.c", "a.a_b", "b.b", "a.a_b", "no.such"}
	first, err := json.Marshal(one.Tools(names))
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(names)
	second, err := json.Marshal(two.Tools(names))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first, second) {
		t.Fatalf("%s\n%s", first, second)
	}
	tools := one.Tools(names)
	if len(tools) != 3 || tools[0].Name != "a_a__b" || tools[0].Description != "Does a.a_b." || !json.Valid(tools[0].Schema) {
		t.Fatalf("got %+v", tools)
	}
}

func TestAllIsSortedByName(t *testing.T) {
	var names []string
	for _, c := range registry(simple("b.b"), simple("a.b"), simple("a.a")).All() {
		names = append(names, c.Name)
	}
	if got := strings.Join(names, " "); got != "a.a a.b b.b" {
		t.Fatal(got)
	}
}
