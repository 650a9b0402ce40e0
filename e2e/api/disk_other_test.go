//go:build !linux

package api

import "testing"

// smallDisk skips: only on Linux is a disk mounted for a test.
func smallDisk(t *testing.T, _ int) string {
	t.Helper()
	t.Skip("a small disk is mounted on Linux only")
	return ""
}

func readOnly(*testing.T, string) {}
