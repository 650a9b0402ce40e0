package crash

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"
)

// sum adds up what seeds did.
type sum struct {
	seeds, failed, turns, effects int
	resent                        int64
	kills                         map[string]int
	ready, settled                time.Duration
}

func (s *sum) add(r report) {
	s.seeds++
	if r.faults != nil {
		s.failed++
	}
	s.turns, s.effects, s.resent = s.turns+r.turns, s.effects+r.effects, s.resent+r.resent
	s.ready, s.settled = max(s.ready, r.ready), max(s.settled, r.settled)
	if s.kills == nil {
		s.kills = map[string]int{}
	}
	for point, n := range r.kills {
		s.kills[point] += n
	}
}

// deaths counts the kills while an act was under way.
func (s sum) deaths() (n int) {
	for point, kills := range s.kills {
		if point != idle {
			n += kills
		}
	}
	return n
}

func (s sum) String() string {
	return fmt.Sprintf("%d failed, %d kills, %d turns, %d effects, %d requests sent again, up in %d ms, settled in %d ms",
		s.failed, s.deaths(), s.turns, s.effects, s.resent, s.ready.Milliseconds(), s.settled.Milliseconds())
}

// byPoint tells the kills at each point.
func (s sum) byPoint() string {
	var list []string
	for _, n := range everyEnd() {
		list = append(list, fmt.Sprintf("%s %d", n, s.kills[n]))
	}
	return strings.Join(list, ", ")
}

// missed gives the points at which no life ended.
func (s sum) missed() (names []string) {
	for _, p := range points {
		if s.kills[p.name] == 0 {
			names = append(names, p.name)
		}
	}
	return names
}

// everyEnd gives the names of all ends of lives, sorted.
func everyEnd() []string {
	names := []string{random, idle}
	for _, p := range points {
		names = append(names, p.name)
	}
	slices.Sort(names)
	return names
}

// page is the report of a run that began with a seed, for the documentation.
func (s sum) page(commit string, base uint64) string {
	var b strings.Builder
	b.WriteString("# Crash harness: figures of the last long run\n\n")
	fmt.Fprintf(&b, "Written by `make soak` at commit %s, seeds %d..%d, on %s/%s with %d cores. What is\nplayed and judged stands in `e2e/crash/doc.go`.\n\n",
		commit, base, base+uint64(s.seeds)-1, runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	for _, line := range []struct {
		what string
		n    any
	}{
		{"seeds", s.seeds},
		{"seeds that found something lost, doubled, stuck or an invariant broken", s.failed},
		{"kills in the middle of turns", s.deaths()},
		{"turns", s.turns},
		{"effects (changes applied, taken back, files exported), each exactly once", s.effects},
		{"requests that a client sent again", s.resent},
		{"longest restart until it listens, ms", s.ready.Milliseconds()},
		{"longest from there until every turn had ended or waited for its user, ms", s.settled.Milliseconds()},
	} {
		fmt.Fprintf(&b, "- %s: **%v**\n", line.what, line.n)
	}
	b.WriteString("\n| a life ended at | times |\n| --- | ---: |\n")
	for _, n := range everyEnd() {
		fmt.Fprintf(&b, "| `%s` | %d |\n", n, s.kills[n])
	}
	b.WriteString("\n`random` is any moment of an act, `idle` one between two acts.\n")
	return b.String()
}
