package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"strings"
)

const (
	clientPrefix  = "client__"
	maxTenantSlug = 32
)

var (
	tenantSlug = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)
	scopeWord  = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,63}$`)
)

// Check refuses names that no adapter may use: those that are no plain words, and a
// client's tenant with a bad slug. An empty database is the adapter's own. Errors:
// invalid_input. Callers: the corpus adapters, before anything else.
func (s Scope) Check() error {
	slug, client := strings.CutPrefix(s.Tenant, clientPrefix)
	good := scopeWord.MatchString(s.Tenant)
	if client {
		good = len(slug) <= maxTenantSlug && tenantSlug.MatchString(slug)
	}
	switch {
	case !good:
		return Errorf(CodeInvalidInput, "That is no name of a tenant.")
	case !scopeWord.MatchString(s.Collection), s.Database != "" && !scopeWord.MatchString(s.Database):
		return Errorf(CodeInvalidInput, "That is no name of a collection.")
	}
	return nil
}

// Hash gives the sha256, in hex, of the text and of all that is told about it but
// the collection and the score.
func (p Passage) Hash() string {
	h := sha256.New()
	// An array of strings always encodes, and no two passages to the same bytes.
	_ = json.NewEncoder(h).Encode(append([]string{p.Text, p.Title, p.SourcePath, p.SourceRepo, p.Date}, p.Tags...))
	return hex.EncodeToString(h.Sum(nil))
}

// The limits of one Put.
const (
	MaxSectionBytes = 64 << 10 // of text
	MaxSections     = 10_000
)

// CheckSections refuses a document over the limits of Put. Errors: too_large. Callers:
// the corpus adapters.
func CheckSections(sections []Section) error {
	if len(sections) > MaxSections {
		return Errorf(CodeTooLarge, "A document may have %d sections at most.", MaxSections)
	}
	for _, s := range sections {
		if len(s.Text) > MaxSectionBytes {
			return Errorf(CodeTooLarge, "A section may have %d bytes at most.", MaxSectionBytes)
		}
	}
	return nil
}
