package capability

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// infer gives the JSON Schema of a struct type, the same bytes each time.
func infer[In any](name string) json.RawMessage {
	typ := reflect.TypeFor[In]()
	if typ.Kind() != reflect.Struct {
		panic(fmt.Sprintf("capability: the arguments of %s must be a struct, not %s", name, typ))
	}
	schema, err := jsonschema.ForType(typ, nil)
	if err != nil {
		panic(fmt.Sprintf("capability: no schema describes the arguments of %s: %v", name, err))
	}
	plain(schema)
	raw, err := json.Marshal(schema)
	if err != nil {
		panic(fmt.Sprintf("capability: the schema of %s cannot be written: %v", name, err))
	}
	return raw
}

// plain takes the null off slices and maps, which Go's nil suggests and no model
// needs: a member that may be left out says so by omitempty. A pointer keeps it.
func plain(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if len(s.Types) == 2 {
		rest := slices.DeleteFunc(slices.Clone(s.Types), func(t string) bool { return t == "null" })
		if len(rest) == 1 && (rest[0] == "array" || rest[0] == "object" && s.Properties == nil) {
			s.Type, s.Types = rest[0], nil
		}
	}
	for _, p := range s.Properties {
		plain(p)
	}
	plain(s.Items)
	plain(s.AdditionalProperties)
}

// pointerOf turns the dotted path of a decoding error into a JSON pointer.
func pointerOf(path string) string { return strings.ReplaceAll(path, ".", "/") }
