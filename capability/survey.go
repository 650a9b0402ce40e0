package capability

import (
	"maps"
	"slices"
	"strings"
)

// survey is what a walk over a schema finds.
type survey struct {
	depth    int
	remote   []string
	keywords map[string]bool
}

// loose are the keywords outside the subset that strict tool modes share.
var loose = []string{
	"oneOf", "allOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas", "patternProperties",
	"propertyNames", "minProperties", "maxProperties", "unevaluatedProperties", "unevaluatedItems", "contains",
	"minContains", "maxContains", "uniqueItems", "prefixItems", "$dynamicRef",
}

// schema walks one schema at a depth of nested JSON, or the schemas of an array;
// anything else ends the walk.
func (s *survey) schema(v any, depth int) {
	obj, ok := v.(map[string]any)
	if arr, isList := v.([]any); isList {
		for _, one := range arr {
			s.schema(one, depth+1)
		}
	}
	if !ok {
		return
	}
	s.depth = max(s.depth, depth)
	for name, inner := range obj {
		if slices.Contains(loose, name) {
			s.keywords[name] = true
		}
		if ref, ok := inner.(string); ok && (name == "$ref" || name == "$dynamicRef") && !strings.HasPrefix(ref, "#") {
			s.remote = append(s.remote, ref)
		}
		switch name {
		case "enum", "const", "default", "examples": // data, not schemas
		case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
			if named, ok := inner.(map[string]any); ok {
				for _, one := range named {
					s.schema(one, depth+2)
				}
			}
		default:
			s.schema(inner, depth+1)
		}
	}
}

// notes gives the keywords that strict tool modes do not take, in order.
func (s *survey) notes() string {
	return strings.Join(slices.Sorted(maps.Keys(s.keywords)), ", ")
}
