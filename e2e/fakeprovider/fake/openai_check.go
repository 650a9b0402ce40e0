package fake

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// openaiTool is a function as a schema check sees it; Chat nests it, Responses
// does not.
type openaiTool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      *bool           `json:"strict"`
	Function    *openaiTool     `json:"function"`
}

// checkTool refuses a function that OpenAI refuses; where is its place, such as
// tools[0].function.
func checkTool(where string, t openaiTool) *apiError {
	if e := checkFunctionName(where+".name", t.Name); e != nil {
		return e
	}
	if len(t.Parameters) == 0 {
		return nil
	}
	var schema map[string]json.RawMessage
	if json.Unmarshal(t.Parameters, &schema) != nil {
		return invalidParam(where+".parameters", "invalid_type", "Invalid type for '%s.parameters': expected an object.", where)
	}
	if string(schema["type"]) != `"object"` {
		return badSchema(where, t.Name, "schema must be a JSON Schema of 'type: \"object\"', got 'type: "+string(schema["type"])+"'.")
	}
	for _, word := range []string{"oneOf", "anyOf", "allOf", "enum", "not"} {
		if _, ok := schema[word]; ok {
			return badSchema(where, t.Name, "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.")
		}
	}
	if t.Strict != nil && *t.Strict {
		return checkStrict(where, t.Name, "()", t.Parameters)
	}
	return nil
}

func badSchema(where, name, why string) *apiError {
	return invalidParam(where+".parameters", "invalid_function_parameters", "Invalid schema for function '%s': %s", name, why)
}

func checkFunctionName(param, name string) *apiError {
	switch {
	case name == "":
		return invalidParam(param, "missing_required_parameter", "Missing required parameter: '%s'.", param)
	case utf8.RuneCountInString(name) > 64:
		return invalidParam(param, "string_above_max_length", "Invalid '%s': string too long. Expected a string with maximum length 64, but got a string with length %d instead.", param, utf8.RuneCountInString(name))
	case !callName.MatchString(name):
		return invalidParam(param, "invalid_value", "Invalid '%s': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.", param)
	}
	return nil
}

// checkStrict holds every object of a strict schema to the subset: no further
// properties, and each property required.
func checkStrict(where, name, context string, raw json.RawMessage) *apiError {
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
		Additional json.RawMessage            `json:"additionalProperties"`
		Items      json.RawMessage            `json:"items"`
	}
	if json.Unmarshal(raw, &s) != nil {
		return nil
	}
	if s.Properties != nil && string(s.Additional) != "false" {
		return badSchema(where, name, "In context="+context+", 'additionalProperties' is required to be supplied and to be false.")
	}
	for _, p := range sortedKeys(s.Properties) {
		if !slices.Contains(s.Required, p) {
			return badSchema(where, name, "In context="+context+", 'required' is required to be supplied and to be an array including every key in properties. Missing '"+p+"'.")
		}
		if e := checkStrict(where, name, "('properties', '"+p+"')", s.Properties[p]); e != nil {
			return e
		}
	}
	if len(s.Items) > 0 {
		return checkStrict(where, name, context+"('items')", s.Items)
	}
	return nil
}

// checkMembers refuses a member that the API does not know.
func checkMembers(body []byte, known []string) *apiError {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(body, &members); err != nil {
		return invalid("We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)")
	}
	for _, name := range sortedKeys(members) {
		if !slices.Contains(known, name) {
			return invalidParam(name, "unknown_parameter", "Unknown parameter: '%s'.", name)
		}
	}
	return nil
}

// checkModel refuses a missing and an unknown model.
func (s *Server) checkModel(model string) *apiError {
	if model == "" {
		return invalid("you must provide a model parameter")
	}
	if len(s.opts.Models) > 0 && !slices.Contains(s.opts.Models, model) {
		e := chatWire{}.fromStatus(404)
		e.Message = "The model `" + model + "` does not exist or you do not have access to it."
		return e
	}
	return nil
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// partText reads content that is a string or a list of parts with a text each,
// and says whether it is either.
func partText(raw json.RawMessage) (texts []string, ok bool) {
	var text string
	if json.Unmarshal(raw, &text) == nil && string(raw) != "null" {
		return []string{text}, true
	}
	var parts []struct {
		Text    string `json:"text"`
		Refusal string `json:"refusal"`
	}
	if json.Unmarshal(raw, &parts) != nil || parts == nil {
		return nil, false
	}
	for _, p := range parts {
		texts = append(texts, p.Text+p.Refusal)
	}
	return texts, true
}

// unansweredCalls lists ids that have no answer, in the order of asking.
func unansweredCalls(asked []string, given map[string]bool) string {
	var missing []string
	for _, id := range asked {
		if !given[id] {
			missing = append(missing, id)
		}
	}
	return strings.Join(missing, ", ")
}
