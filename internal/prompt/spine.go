package prompt

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"strings"
)

//go:embed system.md
var spine string

// SpineVersion is raised by hand with every change of system.md; a test holds it
// to the pinned hash.
const SpineVersion = 1

// SpineHash is the sha256 of system.md as built in. The desktop bundle refuses a
// spine whose hash differs.
func SpineHash() string {
	sum := sha256.Sum256([]byte(spine))
	return hex.EncodeToString(sum[:])
}

// Spine gives the static spine for an app; the name is fixed at start-up.
func Spine(app string) string { return strings.ReplaceAll(spine, "{app_name}", app) }
