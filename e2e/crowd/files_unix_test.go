//go:build unix

package crowd

import "syscall"

// openFiles is how many files a process may open; Go raises the limit to the hard one.
func openFiles() int {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return 0
	}
	return int(min(limit.Cur, 1<<30)) //nolint:gosec // bounded
}
