package capability

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
)

// MaxName bounds the length of a capability's name, in bytes.
const MaxName = 128

// maxWire is the longest tool name that every provider takes.
const maxWire = 64

var validName = regexp.MustCompile(`^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$`)

// ValidName reports whether name is dot-namespaced lower case, such as
// "slide.edit" or "deck.og_image", and at most MaxName bytes long.
func ValidName(name string) bool { return len(name) <= MaxName && validName.MatchString(name) }

// WireName maps the name of a capability to a tool name that providers take:
// "slide.edit" becomes "slide_edit" and "deck.og_image" becomes "deck_og__image".
//
// It is injective over valid names. A dot is always followed by a letter, so in
// the mapped name a run of 2k underscores stands for k of them, and a run of
// 2k+1 for k of them and a dot. A name whose mapping is over 64 bytes ends in a
// hash after a hyphen, which no other mapped name contains.
func WireName(name string) string {
	wire := strings.ReplaceAll(name, "_", "__")
	wire = strings.ReplaceAll(wire, ".", "_")
	if len(wire) <= maxWire {
		return wire
	}
	sum := sha256.Sum256([]byte(name))
	tail := "-" + hex.EncodeToString(sum[:12])
	return wire[:maxWire-len(tail)] + tail
}
