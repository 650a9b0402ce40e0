package capability

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	agent "github.com/lossless-group/in-app-agent"
)

// maxViolations bounds how many are told to the model at once.
const maxViolations = 20

// violation is one place where arguments do not fit their schema, in words that
// a model can act on.
type violation struct {
	pointer string // JSON pointer, "" for the whole
	what    string
}

func (v violation) String() string {
	if v.pointer == "" {
		return v.what
	}
	return v.pointer + ": " + v.what
}

// violations gives the leaves of a validation error in the order of their
// pointers, so that the same mistake reads the same each time.
func violations(e *jsonschema.ValidationError) []violation {
	var found []violation
	var walk func(e *jsonschema.ValidationError)
	walk = func(e *jsonschema.ValidationError) {
		for _, cause := range e.Causes {
			walk(cause)
		}
		if len(e.Causes) == 0 {
			found = append(found, violation{pointer(e.InstanceLocation), words(e.ErrorKind)})
		}
	}
	walk(e)
	slices.SortFunc(found, func(a, b violation) int {
		return strings.Compare(a.pointer+"\x00"+a.what, b.pointer+"\x00"+b.what)
	})
	return slices.Compact(found)
}

var escapePointer = strings.NewReplacer("~", "~0", "/", "~1")

func pointer(location []string) string {
	var b strings.Builder
	for _, token := range location {
		b.WriteByte('/')
		b.WriteString(escapePointer.Replace(token))
	}
	return b.String()
}

// words says what is wrong without repeating the value that was sent.
func words(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Type:
		return fmt.Sprintf("must be %s, but is %s", strings.Join(k.Want, " or "), k.Got)
	case *kind.Required:
		return "the required " + members(k.Missing) + " missing"
	case *kind.DependentRequired:
		return fmt.Sprintf("with member %q, the required %s missing", clip(k.Prop, 80), members(k.Missing))
	case *kind.AdditionalProperties:
		return "the " + members(k.Properties) + " not known here"
	case *kind.FalseSchema:
		return "is not allowed here"
	case *kind.Enum:
		return "must be one of " + clip(listed(k.Want), 400)
	case *kind.Const:
		return "must be " + clip(listed([]any{k.Want}), 400)
	case *kind.Pattern:
		return "must match the pattern " + clip(k.Want, 200)
	case *kind.MinLength:
		return fmt.Sprintf("must have at least %d characters, but has %d", k.Want, k.Got)
	case *kind.MaxLength:
		return fmt.Sprintf("must have at most %d characters, but has %d", k.Want, k.Got)
	case *kind.Minimum:
		return "must be at least " + k.Want.RatString()
	case *kind.Maximum:
		return "must be at most " + k.Want.RatString()
	case *kind.ExclusiveMinimum:
		return "must be more than " + k.Want.RatString()
	case *kind.ExclusiveMaximum:
		return "must be less than " + k.Want.RatString()
	case *kind.MultipleOf:
		return "must be a multiple of " + k.Want.RatString()
	}
	return counts(k)
}

func counts(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.MinItems:
		return fmt.Sprintf("must have at least %d items, but has %d", k.Want, k.Got)
	case *kind.MaxItems:
		return fmt.Sprintf("must have at most %d items, but has %d", k.Want, k.Got)
	case *kind.UniqueItems:
		return fmt.Sprintf("items %d and %d are equal", k.Duplicates[0], k.Duplicates[1])
	case *kind.MinProperties:
		return fmt.Sprintf("must have at least %d members, but has %d", k.Want, k.Got)
	case *kind.MaxProperties:
		return fmt.Sprintf("must have at most %d members, but has %d", k.Want, k.Got)
	case *kind.OneOf:
		if len(k.Subschemas) > 1 {
			return "fits more than one of the alternatives"
		}
		return "fits none of the alternatives"
	case *kind.AnyOf:
		return "fits none of the alternatives"
	}
	if path := k.KeywordPath(); len(path) > 0 {
		return "does not fit the schema's " + path[0]
	}
	return "does not fit the schema"
}

func members(names []string) string {
	names = slices.Clone(names)
	slices.Sort(names)
	quoted := make([]string, 0, len(names))
	for _, name := range names {
		quoted = append(quoted, fmt.Sprintf("%q", clip(name, 80)))
	}
	if len(quoted) == 1 {
		return "member " + quoted[0] + " is"
	}
	return "members " + clip(strings.Join(quoted, ", "), 400) + " are"
}

func listed(values []any) string {
	var out []string
	for _, v := range values {
		raw, err := json.Marshal(v)
		if err != nil {
			continue
		}
		out = append(out, string(raw))
	}
	return strings.Join(out, ", ")
}

// misfit is the refusal that tells all violations.
func misfit(name string, found []violation) *agent.ResultError {
	told := found[:min(len(found), maxViolations)]
	lines := make([]string, 0, len(told)+1)
	for _, v := range told {
		lines = append(lines, "- "+v.String())
	}
	if more := len(found) - len(told); more > 0 {
		lines = append(lines, fmt.Sprintf("- and %d more", more))
	}
	e := refusal(agent.CodeInvalidInput, "The arguments of %s do not fit. Correct these:\n%s",
		name, strings.Join(lines, "\n"))
	e.Pointer = found[0].pointer
	return e
}
