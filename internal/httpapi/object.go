package httpapi

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

// object is one JSON object of a request while it is read, member by member. The
// first fault stays and every later read gives nothing; names are matched exactly,
// case included.
type object struct {
	at      string // JSON pointer to the object, "" for the body
	members map[string]json.RawMessage
	read    []string
	err     *error // shared by all objects of a body
}

func newObject(raw json.RawMessage, at string, fault *error) *object {
	o := &object{at: at, err: fault}
	if *fault != nil {
		return o
	}
	if err := json.Unmarshal(raw, &o.members); err != nil || o.members == nil {
		o.wrong("", "an object")
	}
	return o
}

// pointer gives the JSON pointer of a member.
func (o *object) pointer(name string) string {
	return o.at + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

// wrong notes that a member has another type than it must have.
func (o *object) wrong(name, want string) {
	if *o.err != nil {
		return
	}
	at, what := o.at, "The body"
	if name != "" {
		at = o.pointer(name)
	}
	if at != "" {
		what = "The member " + at
	}
	*o.err = &agent.Error{Code: agent.CodeInvalidRequest, Pointer: at, Message: what + " must be " + want + "."}
}

// invalid notes that a member has the right type and a value that cannot be taken.
func (o *object) invalid(name, message string) {
	if *o.err == nil {
		*o.err = &agent.Error{Code: agent.CodeInvalidInput, Pointer: o.pointer(name), Message: message}
	}
}

// raw gives a member as it came; a null counts as not there.
func (o *object) raw(name string) (json.RawMessage, bool) {
	o.read = append(o.read, name)
	raw, ok := o.members[name]
	if !ok || *o.err != nil || string(raw) == "null" {
		return nil, false
	}
	return raw, true
}

// str gives a string member, "" where it is not there.
func (o *object) str(name string) string {
	s, _ := o.optional(name)
	return s
}

// optional gives a string member and whether it is there.
func (o *object) optional(name string) (string, bool) {
	raw, ok := o.raw(name)
	if !ok {
		return "", false
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		o.wrong(name, "a string")
		return "", false
	}
	return s, true
}

// required gives a string member that must be there and not be empty.
func (o *object) required(name string) string {
	s := o.str(name)
	if s == "" {
		o.invalid(name, "The member "+o.pointer(name)+" is needed.")
	}
	return s
}

// boolean gives a boolean member, nil where it is not there.
func (o *object) boolean(name string) *bool {
	raw, ok := o.raw(name)
	if !ok {
		return nil
	}
	var b bool
	if json.Unmarshal(raw, &b) != nil {
		o.wrong(name, "true or false")
		return nil
	}
	return &b
}

// list gives the elements of an array member, nil where it is not there.
func (o *object) list(name string) []json.RawMessage {
	raw, ok := o.raw(name)
	if !ok {
		return nil
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		o.wrong(name, "an array")
		return nil
	}
	return list
}

// strings gives an array of strings, nil where it is not there.
func (o *object) strings(name string) []string {
	list := o.list(name)
	if list == nil {
		return nil
	}
	out := make([]string, len(list))
	for i, raw := range list {
		if string(raw) == "null" || json.Unmarshal(raw, &out[i]) != nil {
			o.wrong(name, "an array of strings")
			return nil
		}
	}
	return out
}

// objects gives an array of objects.
func (o *object) objects(name string) []*object {
	list := o.list(name)
	out := make([]*object, len(list))
	for i, raw := range list {
		out[i] = newObject(raw, o.pointer(name)+"/"+strconv.Itoa(i), o.err)
	}
	return out
}

// closed refuses members that nobody read.
func (o *object) closed() {
	for name := range o.members {
		if !slices.Contains(o.read, name) && *o.err == nil {
			at := o.at
			if plainName.MatchString(name) {
				at = o.pointer(name)
			}
			*o.err = &agent.Error{Code: agent.CodeInvalidRequest, Pointer: at,
				Message: "The member " + quote(name) + " is not known here."}
		}
	}
}
