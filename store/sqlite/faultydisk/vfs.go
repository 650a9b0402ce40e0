package faultydisk

import (
	"path/filepath"
	"sync"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// disks are those in use: by folder, by open file, and what the files of the system do.
var disks = struct {
	sync.Mutex
	once    sync.Once
	folders map[string]*Disk
	files   map[uintptr]*Disk
	systems map[uintptr]sqlite3.Tsqlite3_io_methods // by the copy that stands before them
	copies  map[uintptr]uintptr
	open    uintptr
}{folders: map[string]*Disk{}, files: map[uintptr]*Disk{}, systems: map[uintptr]sqlite3.Tsqlite3_io_methods{}, copies: map[uintptr]uintptr{}}

// standBefore replaces how SQLite's own file system opens a file. It is done once and
// never undone: files that no disk watches go on as before.
func standBefore() {
	tls := libc.NewTLS()
	vfs := (*sqlite3.Tsqlite3_vfs)(at(sqlite3.Xsqlite3_vfs_find(tls, 0)))
	disks.open, vfs.FxOpen = vfs.FxOpen, address(openFile)
}

func openFile(tls *libc.TLS, vfs, name, file uintptr, flags int32, out uintptr) int32 {
	open := function[func(*libc.TLS, uintptr, uintptr, uintptr, int32, uintptr) int32](disks.open)
	rc := open(tls, vfs, name, file, flags, out)
	methods := (*uintptr)(at(file))
	if rc != sqlite3.SQLITE_OK || name == 0 || *methods == 0 {
		return rc
	}
	disks.Lock()
	defer disks.Unlock()
	d := disks.folders[filepath.Dir(libc.GoString(name))]
	if d == nil {
		return rc
	}
	disks.files[file] = d
	system := *methods
	if disks.copies[system] == 0 {
		page := libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(sqlite3.Tsqlite3_io_methods{})))
		before := (*sqlite3.Tsqlite3_io_methods)(at(page))
		*before = *(*sqlite3.Tsqlite3_io_methods)(at(system))
		disks.systems[page], disks.copies[system] = *before, page
		before.FxClose, before.FxWrite, before.FxSync = address(closeFile), address(writeFile), address(syncFile)
	}
	*methods = disks.copies[system]
	return rc
}

// of gives the disk of a file and what the system does with it.
func of(file uintptr) (*Disk, sqlite3.Tsqlite3_io_methods) {
	disks.Lock()
	defer disks.Unlock()
	return disks.files[file], disks.systems[*(*uintptr)(at(file))]
}

func closeFile(tls *libc.TLS, file uintptr) int32 {
	_, system := of(file)
	disks.Lock()
	delete(disks.files, file)
	disks.Unlock()
	return function[func(*libc.TLS, uintptr) int32](system.FxClose)(tls, file)
}

func writeFile(tls *libc.TLS, file, data uintptr, n int32, offset int64) int32 {
	d, system := of(file)
	write := function[func(*libc.TLS, uintptr, uintptr, int32, int64) int32](system.FxWrite)
	code := d.next(onWrite)
	if code != 0 && d.Fault.torn {
		_ = write(tls, file, data, n/2, offset)
	}
	if code != 0 {
		return code
	}
	return write(tls, file, data, n, offset)
}

func syncFile(tls *libc.TLS, file uintptr, flags int32) int32 {
	d, system := of(file)
	if code := d.next(onSync); code != 0 {
		return code
	}
	return function[func(*libc.TLS, uintptr, int32) int32](system.FxSync)(tls, file, flags)
}

func at(p uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&p)) }

// address gives a top-level function as SQLite, translated to Go, holds it.
func address(f any) uintptr { return (*[2]uintptr)(unsafe.Pointer(&f))[1] }

// function is the other way round.
func function[F any](p uintptr) F { return *(*F)(unsafe.Pointer(&struct{ p uintptr }{p})) }
