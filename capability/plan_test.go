package capability

import "testing"

// TestThePlanSaysYesOnlyWhereTheValidatorDoes crosses schemas with values: a yes
// that the full validator does not give would let a wrong call through.
func TestThePlanSaysYesOnlyWhereTheValidatorDoes(t *testing.T) {
	said := 0
	for _, schema := range planSchemas {
		c, err := compile([]byte(schema))
		if err != nil {
			t.Fatalf("%s: %v", schema, err)
		}
		for _, value := range planValues {
			v, err := parse([]byte(value))
			if err != nil {
				t.Fatalf("%s: %v", value, err)
			}
			if c.plan.fits(v) {
				said++
				if err := c.schema.Validate(v); err != nil {
					t.Errorf("the plan of %s takes %s, but: %v", schema, value, err)
				}
			}
		}
	}
	if said < 100 {
		t.Fatalf("the plan said yes only %d times; it is no use", said)
	}
}

var planSchemas = []string{
	`true`, `false`, `{}`, `{"type":"object"}`, `{"type":["string","null"]}`, `{"type":"integer"}`, `{"type":"number"}`,
	`{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"string"}},"required":["a"],"additionalProperties":false}`,
	`{"properties":{"a":false}}`, `{"required":["a","b"]}`, `{"additionalProperties":{"type":"string"}}`, `{"additionalProperties":false}`,
	`{"type":"array","items":{"type":"integer"},"minItems":1,"maxItems":2}`, `{"items":false}`, `{"items":true}`,
	`{"enum":["x","y"]}`, `{"enum":["x",1]}`, `{"type":"string","enum":["x"]}`,
	`{"minimum":0,"maximum":10}`, `{"minimum":0.5}`, `{"exclusiveMinimum":1}`, `{"multipleOf":2}`, `{"minLength":1,"maxLength":2}`,
	`{"minProperties":1,"maxProperties":1}`, `{"type":"string","format":"date-time"}`, `{"const":"x"}`, `{"not":{"type":"string"}}`,
	`{"anyOf":[{"type":"string"},{"type":"integer"}]}`, `{"$ref":"#/$defs/x","$defs":{"x":{"type":"string"}}}`,
	`{"type":"array","prefixItems":[{"type":"string"}],"items":{"type":"integer"}}`, `{"uniqueItems":true}`, `{"pattern":"^x"}`,
	`{"patternProperties":{"^a":{"type":"string"}}}`, `{"propertyNames":{"maxLength":1}}`, `{"dependentRequired":{"a":["b"]}}`,
	`{"title":"t","description":"d","default":1,"deprecated":true,"type":"boolean"}`, `{"minimum":-9223372036854775808}`,
	`{"$schema":"http://json-schema.org/draft-07/schema#","type":"string"}`, `{"type":"null"}`, `{"minItems":2}`, `{"minLength":2}`,
}

var planValues = []string{
	`null`, `true`, `false`, `0`, `1`, `2`, `10`, `11`, `-1`, `1.5`, `0.5`, `1e30`, `1.0`, `9223372036854775807`, `9223372036854775808`,
	`-9223372036854775809`, `""`, `"x"`, `"y"`, `"xx"`, `"xyz"`, `"é"`, `"éé"`, `"😀"`, `"2026-01-01T00:00:00Z"`, `[]`, `[1]`, `["x"]`, `[1,1]`, `[1,2,3]`, `["x",1]`,
	`[null]`, `{}`, `{"a":1}`, `{"a":"x"}`, `{"b":"x"}`, `{"a":1,"b":"x"}`, `{"a":1,"b":2}`, `{"a":1,"c":1}`, `{"A":1}`, `{"aa":"x"}`, `{"a":null}`, `{"a":{"a":1}}`,
}

func FuzzThePlanAgreesWithTheValidator(f *testing.F) {
	for i, schema := range planSchemas {
		f.Add([]byte(schema), []byte(planValues[i%len(planValues)]))
	}
	f.Fuzz(func(t *testing.T, schema, value []byte) {
		if len(schema) > 2000 || len(value) > 2000 {
			return
		}
		c, err := compile(schema)
		if err != nil || c.plan == nil {
			return
		}
		v, err := parse(value)
		if err != nil || !c.plan.fits(v) {
			return
		}
		if err := c.schema.Validate(v); err != nil {
			t.Fatalf("the plan of %s takes %s, but: %v", schema, value, err)
		}
	})
}
