package capability

import (
	"encoding/json"
	"slices"
	"strconv"
)

// plan is the part of a schema that most capabilities use, in a form that is
// checked without allocating. It only ever says yes: what it does not say yes
// to, be it wrong or just unusual, the full validator decides and puts in words.
type plan struct {
	types                      []string // nil allows all
	members                    map[string]*plan
	required                   []string
	closed                     bool // no other members
	items                      *plan
	enum                       []string // nil allows all; strings only
	least, most                *int64   // of a number
	minLength, maxLength       *int64   // of a string, in characters
	minItems, maxItems         *int64
	minProperties, maxProperty *int64
}

// annotations do not bear on validity.
var annotations = []string{"title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment", "format"}

// planOf gives the plan of a schema, or nil when it uses anything else.
func planOf(v any) *plan {
	if v == true {
		return &plan{}
	}
	schema, ok := v.(map[string]any)
	if !ok {
		return nil
	}
	p := &plan{}
	for keyword, value := range schema {
		if !p.take(keyword, value) && !slices.Contains(annotations, keyword) {
			return nil
		}
	}
	return p
}

// take reads one keyword and reports whether it understood it.
func (p *plan) take(keyword string, value any) (ok bool) {
	switch keyword {
	case "type":
		if one, is := value.(string); is {
			p.types = []string{one}
			return true
		}
		p.types, ok = stringsOf(value)
	case "properties":
		return p.takeMembers(value)
	case "required":
		p.required, ok = stringsOf(value)
	case "additionalProperties":
		p.closed = value == false
		return value == false || value == true
	case "items":
		p.items = planOf(value)
		return p.items != nil
	case "enum":
		p.enum, ok = stringsOf(value)
	default:
		if bound := p.bound(keyword); bound != nil {
			*bound, ok = wholeNumber(value)
		}
	}
	return ok
}

func (p *plan) takeMembers(value any) bool {
	schemas, ok := value.(map[string]any)
	if !ok {
		return false
	}
	p.members = make(map[string]*plan, len(schemas))
	for name, schema := range schemas {
		member := planOf(schema)
		if member == nil {
			return false
		}
		p.members[name] = member
	}
	return true
}

func (p *plan) bound(keyword string) **int64 {
	switch keyword {
	case "minimum":
		return &p.least
	case "maximum":
		return &p.most
	case "minLength":
		return &p.minLength
	case "maxLength":
		return &p.maxLength
	case "minItems":
		return &p.minItems
	case "maxItems":
		return &p.maxItems
	case "minProperties":
		return &p.minProperties
	case "maxProperties":
		return &p.maxProperty
	}
	return nil
}

func stringsOf(v any) ([]string, bool) {
	arr, ok := v.([]any)
	if !ok {
		return nil, false
	}
	out := make([]string, len(arr))
	for i, item := range arr {
		if out[i], ok = item.(string); !ok {
			return nil, false
		}
	}
	return out, true
}

func wholeNumber(v any) (*int64, bool) {
	num, ok := v.(json.Number)
	if !ok {
		return nil, false
	}
	n, err := strconv.ParseInt(string(num), 10, 64)
	return &n, err == nil
}
