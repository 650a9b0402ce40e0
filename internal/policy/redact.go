package policy

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

// RedactionRules is the version of the rules by which details are found. It goes up
// with every change of what is found; a test pins what this version finds.
const RedactionRules = 1

// Redactor is one org's rules, ready to use. It is pure: the same text gives the same
// findings, whatever came before. It is safe for concurrent use.
type Redactor struct {
	email, phone, card, iban, national, secret bool

	patterns []pattern
	kinds    map[string]bool // the names that placeholders may carry, in capitals
}

// pattern is an org's own.
type pattern struct {
	kind string // in capitals
	re   *regexp.Regexp
}

// The kinds as placeholders carry them. Of kindLiteral are those that stand for a text
// which only looks like a placeholder.
const (
	kindEmail    = "EMAIL"
	kindPhone    = "PHONE"
	kindCard     = "CARD"
	kindIBAN     = "IBAN"
	kindNational = "NATIONAL_ID"
	kindSecret   = "SECRET"
	kindLiteral  = "LITERAL"
)

var builtinKinds = []string{kindEmail, kindPhone, kindCard, kindIBAN, kindNational, kindSecret, kindLiteral}

// Bounds of an org's own patterns beside those of package agent. maxProgram bounds the
// states that matching one takes, so that no pattern makes a turn slow.
const (
	maxKindName = 24
	maxProgram  = 256
)

var kindName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// CompileRedaction makes the rules of a policy. Errors: invalid_input with a pointer to
// the member at fault, which is how a policy is checked when it is set.
func CompileRedaction(p agent.RedactionPolicy) (*Redactor, error) {
	r := &Redactor{kinds: map[string]bool{}}
	for _, k := range builtinKinds {
		r.kinds[k] = true
	}
	for i, k := range p.Kinds {
		on := map[agent.RedactionKind]*bool{
			agent.RedactEmail: &r.email, agent.RedactPhone: &r.phone, agent.RedactCard: &r.card,
			agent.RedactIBAN: &r.iban, agent.RedactNationalID: &r.national, agent.RedactSecret: &r.secret,
		}[k]
		if on == nil {
			return nil, badRule(fmt.Sprintf("/kinds/%d", i), "There is no such kind of detail.")
		}
		*on = true
	}
	if len(p.Patterns) > agent.MaxRedactionPatterns {
		return nil, badRule("/patterns", fmt.Sprintf("There are more than %d patterns.", agent.MaxRedactionPatterns))
	}
	for i, c := range p.Patterns {
		if err := r.add(c); err != nil {
			err.Pointer = fmt.Sprintf("/patterns/%d%s", i, err.Pointer)
			return nil, err
		}
	}
	return r, nil
}

func (r *Redactor) add(c agent.RedactionPattern) *agent.Error {
	kind := strings.ToUpper(c.Name)
	switch {
	case len(c.Name) > maxKindName || !kindName.MatchString(c.Name):
		return badRule("/name", "A pattern's name has lower-case letters, digits and underscores, at most 24 of them.")
	case r.kinds[kind]:
		return badRule("/name", "This name is taken.")
	case len(c.Pattern) > agent.MaxRedactionPatternBytes:
		return badRule("/pattern", fmt.Sprintf("The pattern is longer than %d bytes.", agent.MaxRedactionPatternBytes))
	}
	re, err := regexp.Compile(c.Pattern)
	if err != nil {
		return badRule("/pattern", "The pattern is no regular expression of the RE2 syntax.")
	}
	if re.MatchString("") {
		return badRule("/pattern", "The pattern matches where there is nothing.")
	}
	if parsed, err := syntax.Parse(c.Pattern, syntax.Perl); err != nil || states(parsed) > maxProgram {
		return badRule("/pattern", "The pattern is too large: it repeats too much.")
	}
	r.kinds[kind] = true
	r.patterns = append(r.patterns, pattern{kind: kind, re: re})
	return nil
}

// states is how many instructions matching takes.
func states(re *syntax.Regexp) int {
	prog, err := syntax.Compile(re.Simplify())
	if err != nil {
		return maxProgram + 1
	}
	return len(prog.Inst)
}

func badRule(pointer, message string) *agent.Error {
	return &agent.Error{Code: agent.CodeInvalidInput, Pointer: pointer, Message: message}
}

// Empty reports whether the rules keep nothing back.
func (r *Redactor) Empty() bool {
	return !(r.email || r.phone || r.card || r.iban || r.national || r.secret) && len(r.patterns) == 0
}

// keeps reports whether details of a kind are kept back.
func (r *Redactor) keeps(kind string) bool {
	switch kind {
	case kindEmail:
		return r.email
	case kindPhone:
		return r.phone
	case kindCard:
		return r.card
	case kindIBAN:
		return r.iban
	case kindNational:
		return r.national
	case kindSecret:
		return r.secret
	}
	return slices.ContainsFunc(r.patterns, func(p pattern) bool { return p.kind == kind })
}

// sortFound orders findings by place; of two that begin together the longer comes first.
func sortFound(list []Found) {
	slices.SortStableFunc(list, func(a, b Found) int {
		if a.Start != b.Start {
			return a.Start - b.Start
		}
		return b.End - a.End
	})
}
