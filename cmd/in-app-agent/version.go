package main

import (
	"fmt"
	"runtime/debug"
)

type versionCmd struct{}

// Run prints module version, commit and Go version.
func (versionCmd) Run(e *env) error {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		fmt.Fprintln(e.stdout, "in-app-agent (no build information)")
		return nil
	}
	commit := "unknown commit"
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			commit = s.Value[:12]
		}
	}
	fmt.Fprintf(e.stdout, "in-app-agent %s (%s, %s)\n", info.Main.Version, commit, info.GoVersion)
	return nil
}
