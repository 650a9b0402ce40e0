//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package sqlite

import (
	"errors"
	"os"
	"strconv"
	"syscall"
)

// tryLock uses flock and not fcntl: the latter would be lost as soon as any other
// descriptor of the same file were closed in this process.
func tryLock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errLocked
	}
	return err
}

// notePID writes who holds the lock, for the sentence that the next one reads. It
// is no part of the lock, so a failure does not matter.
func notePID(f *os.File) {
	if f.Truncate(0) == nil {
		_, _ = f.WriteAt([]byte(strconv.Itoa(os.Getpid())), 0)
	}
}
