package capability

import (
	"fmt"
	"slices"

	agent "github.com/lossless-group/in-app-agent"
)

// The budgets of what a capability declares.
const (
	MaxSchemaBytes      = 16 << 10
	MaxSchemaDepth      = 24 // JSON objects and arrays inside one another: some ten levels of members
	MaxDescriptionBytes = 4 << 10
)

// Severity says whether a finding stops the start-up.
type Severity string

// The severities of findings.
const (
	SeverityError   Severity = "error"
	SeverityWarning Severity = "warning"
)

// Finding is something that Lint has to say about a capability; Capability is ""
// where it is about the registry as a whole.
type Finding struct {
	Capability string
	Severity   Severity
	Message    string
}

// String gives the finding as one line for a log.
func (f Finding) String() string {
	return fmt.Sprintf("%s: %s: %s", f.Severity, f.Capability, f.Message)
}

// Lint checks what capabilities declare, sorted by name. An error means that a
// provider would refuse the tool or that no call could pass, and stops the
// start-up; a warning names a risk.
func (r *Registry) Lint() []Finding {
	r.mu.RLock()
	defer r.mu.RUnlock()
	var found []Finding
	if n := len(r.sorted); n > agent.MaxCapabilities {
		found = append(found, Finding{"", SeverityError, fmt.Sprintf("there are %d capabilities, and %d is the limit", n, agent.MaxCapabilities)})
	}
	for _, e := range r.sorted {
		found = append(found, e.lint()...)
	}
	return found
}

func (e *entry) lint() (found []Finding) {
	add := func(s Severity, format string, args ...any) {
		found = append(found, Finding{e.Name, s, fmt.Sprintf(format, args...)})
	}
	switch n := len(e.Description); {
	case n == 0:
		add(SeverityError, "the description is missing; the model cannot know when to call it")
	case n > MaxDescriptionBytes:
		add(SeverityError, "the description has %d bytes, and %d is the limit", n, MaxDescriptionBytes)
	}
	if e.Title == "" {
		add(SeverityWarning, "the title is missing; people see the name instead")
	}
	if !slices.Contains([]agent.Kind{agent.KindRead, agent.KindPreview, agent.KindMutate}, e.Kind) {
		add(SeverityError, "the kind %q is none of read, preview and mutate", e.Kind)
	}
	if !e.RequiredTier.Valid() {
		add(SeverityError, "the tier %q is none of viewer, user and admin; nobody could call it", e.RequiredTier)
	}
	if e.Kind == agent.KindMutate && !e.KeyHonoured && !e.Commits && e.Verify == nil {
		add(SeverityWarning, "it changes something, but neither commits with the ledger, nor honours the call's key, nor has Verify: a crash can leave its outcome unknown")
	}
	e.lintSchema(add)
	return found
}

func (e *entry) lintSchema(add func(Severity, string, ...any)) {
	if n := len(e.Input); n > MaxSchemaBytes {
		add(SeverityError, "the schema has %d bytes, and %d is the limit", n, MaxSchemaBytes)
	}
	doc, err := parse(e.Input)
	if err == nil {
		s := &survey{keywords: map[string]bool{}}
		s.schema(doc, 1)
		root, _ := doc.(map[string]any)
		if root["type"] != "object" {
			add(SeverityError, "the schema's root must have type object")
		}
		for _, keyword := range []string{"oneOf", "anyOf", "allOf", "not", "enum", "$ref"} {
			if _, has := root[keyword]; has {
				add(SeverityError, "the schema has %s at its root, which providers refuse", keyword)
			}
		}
		if s.depth > MaxSchemaDepth {
			add(SeverityError, "the schema is nested %d deep, and %d is the limit", s.depth, MaxSchemaDepth)
		}
		slices.Sort(s.remote)
		for _, ref := range s.remote {
			add(SeverityError, "the schema refers to %s; it may refer to itself only", clip(ref, 200))
		}
		if notes := s.notes(); notes != "" {
			add(SeverityWarning, "strict tool modes of providers do not take %s; our own validation holds nevertheless", notes)
		}
	}
	if e.schemaErr != nil {
		add(SeverityError, "the schema does not compile: %s", clip(e.schemaErr.Error(), 400))
	}
}
