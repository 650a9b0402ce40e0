//go:build failpoint

package plant

import "os"

var name = os.Getenv("IN_APP_AGENT_PLANT")

// Planted reports whether the environment plants this fault.
func Planted(fault string) bool { return name != "" && name == fault }
