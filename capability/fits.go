package capability

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// fits says yes to what surely validates.
func (p *plan) fits(v any) bool {
	if p == nil {
		return false
	}
	switch v := v.(type) {
	case map[string]any:
		return p.allows("object") && p.enum == nil && within(int64(len(v)), p.minProperties, p.maxProperty) && p.fitsMembers(v)
	case []any:
		return p.allows("array") && p.enum == nil && within(int64(len(v)), p.minItems, p.maxItems) && p.fitsItems(v)
	case string:
		return p.allows("string") && (p.enum == nil || slices.Contains(p.enum, v)) && p.fitsLength(v)
	case json.Number:
		return p.enum == nil && p.fitsNumber(string(v))
	case bool:
		return p.allows("boolean") && p.enum == nil
	}
	return v == nil && p.allows("null") && p.enum == nil
}

func (p *plan) allows(typ string) bool { return p.types == nil || slices.Contains(p.types, typ) }

func within(n int64, least, most *int64) bool {
	return (least == nil || n >= *least) && (most == nil || n <= *most)
}

func (p *plan) fitsMembers(obj map[string]any) bool {
	for _, name := range p.required {
		if _, has := obj[name]; !has {
			return false
		}
	}
	for name, value := range obj {
		member := p.members[name]
		if member == nil && p.closed || member != nil && !member.fits(value) {
			return false
		}
	}
	return true
}

func (p *plan) fitsItems(arr []any) bool {
	for _, item := range arr {
		if p.items != nil && !p.items.fits(item) {
			return false
		}
	}
	return true
}

func (p *plan) fitsLength(s string) bool {
	return p.minLength == nil && p.maxLength == nil || within(int64(utf8.RuneCountInString(s)), p.minLength, p.maxLength)
}

// fitsNumber leaves what is no plain integer to the full validator where more
// than the type is asked.
func (p *plan) fitsNumber(s string) bool {
	whole := !strings.ContainsAny(s, ".e")
	if !p.allows("number") && !(whole && p.allows("integer")) {
		return false
	}
	if p.least == nil && p.most == nil {
		return true
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return err == nil && within(n, p.least, p.most)
}
