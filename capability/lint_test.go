package capability_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/capability"
)

func TestLintFindsNothingInACleanRegistry(t *testing.T) {
	d := &slideDeck{}
	if found := registry(simple("a.b"), d.edit()).Lint(); len(found) != 0 {
		t.Fatalf("found %v", found)
	}
}

func TestLint(t *testing.T) {
	schema := func(s string) func(*agent.Capability) {
		return func(c *agent.Capability) { c.Input = json.RawMessage(s) }
	}
	padded := func(n int) string {
		s := `{"type":"object","description":""}`
		return s[:len(s)-2] + strings.Repeat("x", n-len(s)) + `"}`
	}
	nested := func(n int) string { // n levels of objects, the root among them
		return strings.Repeat(`{"type":"object","additionalProperties":`, n-1) + `{"type":"object"}` + strings.Repeat("}", n-1)
	}
	for name, tt := range map[string]struct {
		change   func(*agent.Capability)
		severity capability.Severity
		says     string // "" means no finding
	}{
		"no description":             {func(c *agent.Capability) { c.Description = "" }, "error", "description is missing"},
		"a description at the limit": {func(c *agent.Capability) { c.Description = strings.Repeat("x", capability.MaxDescriptionBytes) }, "", ""},
		"a description over it":      {func(c *agent.Capability) { c.Description = strings.Repeat("x", capability.MaxDescriptionBytes+1) }, "error", "description has 4097 bytes"},
		"no title":                   {func(c *agent.Capability) { c.Title = "" }, "warning", "title is missing"},
		"an unknown kind":            {func(c *agent.Capability) { c.Kind = "write" }, "error", `kind "write"`},
		"an unknown tier":            {func(c *agent.Capability) { c.RequiredTier = "root" }, "error", `tier "root"`},
		"a change without a net":     {func(c *agent.Capability) { c.Kind = agent.KindMutate }, "warning", "outcome unknown"},
		"a change with a key":        {func(c *agent.Capability) { c.Kind, c.KeyHonoured = agent.KindMutate, true }, "", ""},
		"a change that commits":      {func(c *agent.Capability) { c.Kind, c.Commits = agent.KindMutate, true }, "", ""},
		"no schema":                  {schema(``), "error", "no schema"},
		"a schema that is no JSON":   {schema(`{"type":`), "error", "not strict JSON"},
		"a schema that is wrong":     {schema(`{"type":"object","properties":{"a":{"type":"text"}}}`), "error", "does not compile"},
		"a bad pattern":              {schema(`{"type":"object","properties":{"a":{"pattern":"(?<=x)"}}}`), "error", "does not compile"},
		"no type at the root":        {schema(`{}`), "error", "root must have type object"},
		"an array at the root":       {schema(`{"type":"array"}`), "error", "root must have type object"},
		"alternatives at the root":   {schema(`{"type":"object","anyOf":[{"type":"object"}]}`), "error", "has anyOf at its root"},
		"a choice at the root":       {schema(`{"type":"object","oneOf":[{"type":"object"}]}`), "error", "has oneOf at its root"},
		"a sum at the root":          {schema(`{"type":"object","allOf":[{"type":"object"}]}`), "error", "has allOf at its root"},
		"alternatives further in":    {schema(`{"type":"object","properties":{"a":{"anyOf":[{"type":"string"}]}}}`), "", ""},
		"a property named oneOf":     {schema(`{"type":"object","properties":{"oneOf":{"type":"string"}}}`), "", ""},
		"data that looks like it":    {schema(`{"type":"object","default":{"$ref":"http://x/y","oneOf":1}}`), "", ""},
		"a reference to itself":      {schema(`{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"type":"string"}}}`), "", ""},
		"a reference to a file":      {schema(`{"type":"object","properties":{"a":{"$ref":"file:///etc/passwd"}}}`), "error", "refers to file:///etc/passwd"},
		"a reference to the web":     {schema(`{"type":"object","items":[{"$ref":"http://169.254.169.254/x"}]}`), "error", "refers to http://169.254.169.254/x"},
		"a size at the limit":        {schema(padded(capability.MaxSchemaBytes)), "", ""},
		"a size over it":             {schema(padded(capability.MaxSchemaBytes + 1)), "error", "schema has 16385 bytes"},
		"a depth at the limit":       {schema(nested(capability.MaxSchemaDepth)), "", ""},
		"a depth over it":            {schema(nested(capability.MaxSchemaDepth + 1)), "error", "nested 25 deep"},
		"what strict modes refuse":   {schema(`{"type":"object","properties":{"a":{"not":{"type":"string"},"uniqueItems":true}}}`), "warning", "do not take not, uniqueItems"},
	} {
		t.Run(name, func(t *testing.T) {
			found := registry(with(simple("a.b"), tt.change)).Lint()
			if tt.says == "" {
				if len(found) != 0 {
					t.Fatalf("found %v", found)
				}
				return
			}
			for _, f := range found {
				if f.Capability == "a.b" && f.Severity == tt.severity && strings.Contains(f.String(), tt.says) {
					return
				}
			}
			t.Fatalf("found %v, want %s: %s", found, tt.severity, tt.says)
		})
	}
}

func TestTooManyCapabilitiesAreAnError(t *testing.T) {
	reg := capability.NewRegistry()
	for i := range agent.MaxCapabilities {
		reg.Add(simple(fmt.Sprintf("a.b%d", i)))
	}
	if found := reg.Lint(); len(found) != 0 {
		t.Fatalf("at the limit: %v", found)
	}
	reg.Add(simple("a.c"))
	if found := reg.Lint(); len(found) != 1 || found[0].Severity != capability.SeverityError {
		t.Fatalf("over the limit: %v", found)
	}
}

func TestACapabilityWhoseSchemaIsBrokenRunsNothing(t *testing.T) {
	reg := registry(with(simple("a.b"), func(c *agent.Capability) { c.Input = json.RawMessage(`{"$ref":"file:///etc/passwd"}`) }))
	refusedWith(t, reg.Dispatch(t.Context(), envOf("a.b"), callOf("a.b", `{}`)), agent.CodeToolError)
}
