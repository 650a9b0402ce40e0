package crash

import (
	"regexp"
	"sync"
	"time"

	"github.com/lossless-group/in-app-agent/e2e/harness"
)

// Bounds of a restart: until it listens, and from then until every turn has ended or
// waits for its user. Until it listens the figure is 2 s on an idle machine; a busy
// one is given more, and the summary tells the longest.
const (
	readyWithin   = 10 * time.Second
	settledWithin = 5 * time.Second
	patience      = 20 * time.Second
)

// life keeps the server alive: whenever it ends, it is started again, armed with the
// next doom. Clients wait for it here.
type life struct {
	t      *trial
	server *harness.Server
	dooms  []doom
	fuse   func(d doom) time.Duration // of a random end, after an act began

	mu      sync.Mutex
	gen     int  // counts lives
	reads   bool // the server listens
	writes  bool // and every turn has settled
	stopped bool
	changed chan struct{} // closed at the next change of the above
	now     doom
	idle    bool               // the end that comes is ours, between acts
	onDeath func(point string) // once, while it is dead
	kills   map[string]int     // by point
	worst   struct{ ready, settled time.Duration }
	done    chan struct{}
}

func (l *life) set(change func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change()
	close(l.changed)
	l.changed = make(chan struct{})
}

// wait blocks until ok holds; it is asked with mu held. It gives the life's number.
func (l *life) wait(what string, ok func() bool) int {
	late := time.NewTimer(patience)
	defer late.Stop()
	for {
		l.mu.Lock()
		good, gen, changed := ok(), l.gen, l.changed
		l.mu.Unlock()
		if good {
			return gen
		}
		select {
		case <-changed:
		case <-l.t.ctx.Done():
			l.t.Fatalf("the trial is over while a client waits: %s", what)
		case <-late.C:
			l.t.Fatalf("after %s it still is not so that %s", patience, what)
		}
	}
}

// reader and writer give the number of a life that can be read from or written to.
func (l *life) reader() int { return l.wait("the server listens", func() bool { return l.reads }) }
func (l *life) writer() int { return l.wait("the turns have settled", func() bool { return l.writes }) }

// died waits for the end of a life whose connection broke. A server that lives on
// has broken it without reason.
func (l *life) died(gen int, err error) {
	l.wait("the server died, whose connection broke: "+err.Error(), func() bool { return l.gen != gen || !l.reads })
}

// generation gives the number of the life now.
func (l *life) generation() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.gen
}

// doom gives how this life ends, and whether it does.
func (l *life) doom() (d doom, gen int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now, l.gen
}

// begin lights the fuse of a life that ends at random.
func (l *life) begin() {
	l.mu.Lock()
	d, gen := l.now, l.gen
	l.mu.Unlock()
	if d.point != random {
		return
	}
	time.AfterFunc(l.fuse(d), func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.gen == gen && l.reads && !l.stopped {
			l.server.Strike()
		}
	})
}

// lastBreath is how long after an act its life may still end at its point: an end that
// comes when everything was told is seen by nobody but the process.
const lastBreath = 60 * time.Millisecond

// linger waits for the end of a life that an act may have brought about last of all.
func (l *life) linger(gen int) {
	late := time.NewTimer(lastBreath)
	defer late.Stop()
	for {
		l.mu.Lock()
		over, changed := l.gen != gen || !l.reads, l.changed
		l.mu.Unlock()
		if over {
			return
		}
		select {
		case <-changed:
		case <-late.C:
			return
		case <-l.t.ctx.Done():
			return
		}
	}
}

// end ends a life whose act did not reach its point.
func (l *life) end(gen int) {
	l.mu.Lock()
	if l.gen == gen && l.reads {
		l.idle = true
		l.server.Strike()
	}
	l.mu.Unlock()
	l.wait("the next life begins", func() bool { return l.gen > gen && l.writes })
}

// stop lets the server end by itself.
func (l *life) stop() {
	l.set(func() { l.stopped, l.reads, l.writes = true, false, false })
	if code := l.server.Stop(); code != 0 {
		l.t.Errorf("asked to end, the server exits with %d", code)
	}
	<-l.done
}

// keep is the goroutine that restarts; it ends with stop or the trial.
func (l *life) keep() {
	defer close(l.done)
	for {
		select {
		case <-l.server.Ended():
		case <-l.t.ctx.Done():
			return
		}
		if l.isStopped() {
			return
		}
		l.bury()
		if !l.rise() {
			return
		}
	}
}

func (l *life) isStopped() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stopped
}

var lastWords = regexp.MustCompile(`(?m)^failpoint (\S+)$`)

// bury notes how a life ended and does what was planned for while it is dead.
func (l *life) bury() {
	said := lastWords.FindAllStringSubmatch(l.server.Log(), -1)
	var hook func(string)
	var point string
	l.set(func() {
		switch struck := len(said) - l.struck(); {
		case struck > 0:
			point = said[len(said)-1][1]
		case l.idle:
			point = idle
		case l.now.point == random:
			point = random
		default:
			point = "nothing"
		}
		l.kills[point]++
		l.idle, l.reads, l.writes = false, false, false
		hook, l.onDeath = l.onDeath, nil
	})
	if point == "nothing" {
		l.t.Fatalf("the server ended by itself; it was to end at %s", l.now.point)
	}
	if hook != nil {
		hook(point)
	}
}

// struck counts the lives that ended at a named point; mu is held.
func (l *life) struck() (n int) {
	for name, count := range l.kills {
		if name != random && name != idle && name != "nothing" {
			n += count
		}
	}
	return n
}

// deaths counts the lives that were ended with an act under way.
func (l *life) deaths() (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for point, count := range l.kills {
		if point != idle {
			n += count
		}
	}
	return n
}

// rise starts the next life and looks that every turn settles.
func (l *life) rise() bool {
	for {
		var next doom
		l.set(func() {
			if len(l.dooms) > 0 {
				next, l.dooms = l.dooms[0], l.dooms[1:]
			}
			l.now = next
			l.gen++
		})
		begun := time.Now()
		if !l.server.Again(next.env()...) {
			l.bury() // it died while it took up what was left
			continue
		}
		ready := time.Since(begun)
		if ready > readyWithin {
			l.t.Errorf("a restart took %s to listen", ready)
		}
		l.set(func() {
			l.reads = true
			l.worst.ready = max(l.worst.ready, ready)
		})
		return l.settle()
	}
}

// A turn that no run sees to must be parked before a preview that can be answered.
const (
	selectRunning  = `SELECT id, message_id FROM turns WHERE state = 'running'`
	selectStranded = `SELECT id, message_id FROM turns WHERE state = 'awaiting_confirmation'
		AND NOT EXISTS (SELECT 1 FROM receipts WHERE turn_id = turns.id AND state = 'open')`
)

// settle waits until no turn runs. A life that ends meanwhile is none of its business.
func (l *life) settle() bool {
	begun := time.Now()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		running := harness.Rows(l.t, l.server, selectRunning)
		took := time.Since(begun)
		select {
		case <-l.server.Ended():
			return true // again: keep sees to it
		case <-l.t.ctx.Done():
			return false
		case <-tick.C:
		}
		switch {
		case len(running) == 0:
			if stranded := harness.Rows(l.t, l.server, selectStranded); len(stranded) > 0 {
				l.t.Fatalf("the turns %v wait for nobody: none of their previews is open", stranded)
			}
			l.set(func() {
				l.writes = true
				l.worst.settled = max(l.worst.settled, took)
			})
			return true
		case took > settledWithin:
			l.t.Fatalf("%s after it listens the turns %v have neither ended nor wait for their user", took, running)
		}
	}
}
