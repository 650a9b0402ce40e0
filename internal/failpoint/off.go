//go:build !failpoint

package failpoint

// Hit does nothing in a usual build.
func Hit(string) {}

// Soon does nothing in a usual build.
func Soon(string) {}

// Planted never holds in a usual build.
func Planted(string) bool { return false }
