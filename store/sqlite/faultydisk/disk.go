// Package faultydisk stands between SQLite and the files of a folder and lets their Nth
// write or sync fail, as a disk does. For tests only.
package faultydisk

import (
	"sync"

	sqlite3 "modernc.org/sqlite/lib"
)

type operation int

const (
	onWrite operation = iota
	onSync
)

// Fault is a way in which a disk refuses.
type Fault struct {
	Name string
	op   operation
	code int32
	torn bool // half of the write is written
}

// Faults are all ways.
var Faults = []Fault{
	{Name: "a write finds no space", op: onWrite, code: sqlite3.SQLITE_FULL},
	{Name: "a write fails", op: onWrite, code: sqlite3.SQLITE_IOERR_WRITE},
	{Name: "a write is torn", op: onWrite, code: sqlite3.SQLITE_IOERR_WRITE, torn: true},
	{Name: "a sync fails", op: onSync, code: sqlite3.SQLITE_IOERR_FSYNC},
}

// Disk fails in one way. At is which operation fails first, counted from Begin, 0 for
// none; Width is how many in a row.
type Disk struct {
	Fault     Fault
	At, Width int

	mu sync.Mutex
	on bool
	n  int
}

// Watch puts the disk before the files of a folder that SQLite opens from now on, until
// the function that it gives is called.
func (d *Disk) Watch(dir string) (end func()) {
	disks.once.Do(standBefore)
	disks.Lock()
	defer disks.Unlock()
	disks.folders[dir] = d
	return func() {
		disks.Lock()
		defer disks.Unlock()
		delete(disks.folders, dir)
	}
}

// Begin counts from here.
func (d *Disk) Begin() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.n, d.on = 0, true
}

// Heal ends the faults.
func (d *Disk) Heal() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.on = false
}

// Count gives how many operations of the fault's kind there were between Begin and Heal.
func (d *Disk) Count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.n
}

// Failed tells whether it came to the operation that fails.
func (d *Disk) Failed() bool { return d.At > 0 && d.Count() >= d.At }

// next counts an operation and gives the code with which it fails, or 0.
func (d *Disk) next(op operation) int32 {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.on || op != d.Fault.op {
		return 0
	}
	d.n++
	if d.At == 0 || d.n < d.At || d.n >= d.At+d.Width {
		return 0
	}
	return d.Fault.code
}
