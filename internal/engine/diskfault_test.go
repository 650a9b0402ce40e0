package engine_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/lossless-group/in-app-agent/store/sqlite/faultydisk"
)

// TestADiskThatFailsAtAnyWriteOrSyncLosesAndDoublesNothing plays the story with the
// Nth write or sync of its database files failing: for every N once, for every third N five
// in a row.
func TestADiskThatFailsAtAnyWriteOrSyncLosesAndDoublesNothing(t *testing.T) {
	step := 1
	if quick() {
		step = 97
	}
	for i, kind := range faultydisk.Faults {
		plain := &faultydisk.Disk{Fault: kind}
		playStory(t, story{disk: plain, exact: true})
		total := plain.Count()
		var trials, hit, told atomic.Int32
		t.Run(kind.Name, func(t *testing.T) {
			for _, width := range []int{1, 5} {
				for at := 1 + i%step; at <= total; at += step * (1 + width/2) {
					t.Run(fmt.Sprintf("%d at %d", width, at), func(t *testing.T) {
						t.Parallel()
						d := &faultydisk.Disk{Fault: kind, At: at, Width: width}
						trials.Add(1)
						if playStory(t, story{disk: d}) {
							told.Add(1)
						}
						if d.Failed() {
							hit.Add(1)
						}
					})
				}
			}
		})
		t.Logf("%s: %d operations, %d trials, %d hit, %d stories told to the end", kind.Name, total, trials.Load(), hit.Load(), told.Load())
		if total < 5 || hit.Load()*10 < trials.Load()*9 || told.Load()*10 < trials.Load()*9 {
			t.Error("too few trials show something")
		}
	}
}

// sound checks the database file itself.
func (w *world) sound() {
	w.t.Helper()
	db := w.database()
	defer db.Close()
	var found string
	must(w.t, db.QueryRow(`PRAGMA integrity_check`).Scan(&found))
	if found != "ok" {
		w.t.Errorf("the database file: %s", found)
	}
}
