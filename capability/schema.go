package capability

import (
	"errors"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// checker is a compiled schema. It is immutable and safe for concurrent use.
type checker struct {
	plan   *plan // nil when the schema uses more than a plan holds
	schema *jsonschema.Schema
}

// sealed is a loader that opens nothing: a reference outside its own schema does
// not resolve, whatever its scheme.
type sealed struct{}

func (sealed) Load(url string) (any, error) {
	return nil, fmt.Errorf("a schema may refer to itself only, not to %s", url)
}

const schemaURL = "capability:///input.json"

// compile reads and compiles a schema of arguments, by draft 2020-12 unless it
// names another.
func compile(raw []byte) (*checker, error) {
	if len(raw) == 0 {
		return nil, errors.New("there is no schema of the arguments")
	}
	doc, err := parse(raw)
	if err != nil {
		return nil, fmt.Errorf("the schema is not strict JSON: %w", err)
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(sealed{})
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource(schemaURL, doc); err != nil {
		return nil, err
	}
	schema, err := c.Compile(schemaURL)
	if err != nil {
		return nil, err
	}
	return &checker{plan: planOf(doc), schema: schema}, nil
}

// check validates a parsed value and gives every violation.
func (c *checker) check(v any) []violation {
	if c.plan.fits(v) {
		return nil
	}
	err := c.schema.Validate(v)
	if err == nil {
		return nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return []violation{{what: "the arguments do not fit the schema"}}
	}
	return violations(invalid)
}
