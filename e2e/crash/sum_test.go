package crash

import (
	"strings"
	"testing"
	"time"
)

func TestASumTellsEveryFigureOfItsSeeds(t *testing.T) {
	var s sum
	s.add(report{kills: map[string]int{random: 1, idle: 2, "text.told": 3}, turns: 4, effects: 2, resent: 1, ready: time.Second, settled: time.Millisecond})
	s.add(report{faults: []string{"lost"}, kills: map[string]int{"text.told": 1}, turns: 1, ready: time.Millisecond, settled: 2 * time.Second})
	if want := "1 failed, 5 kills, 5 turns, 2 effects, 1 requests sent again, up in 1000 ms, settled in 2000 ms"; s.String() != want {
		t.Errorf("it says %q, want %q", s, want)
	}
	if line := s.byPoint(); !strings.Contains(line, "text.told 4,") || !strings.Contains(line, "idle 2,") || !strings.Contains(line, "undo.done 0,") {
		t.Errorf("kills: %s", line)
	}
	if missed := s.missed(); len(missed) != len(points)-1 {
		t.Errorf("of %d points it missed %v", len(points), missed)
	}
	page := s.page("abc", 1)
	for _, row := range []string{"| `text.told` | 4 |", "| `undo.done` | 0 |", "seeds 1..2", "commit abc", "broken: **1**"} {
		if !strings.Contains(page, row) {
			t.Errorf("the report lacks %q:\n%s", row, page)
		}
	}
}

func TestNothingIsMissedWhereEveryPointWasReached(t *testing.T) {
	s := sum{kills: map[string]int{}}
	for _, p := range points {
		s.kills[p.name] = 1
	}
	if missed := s.missed(); missed != nil {
		t.Errorf("it missed %v", missed)
	}
}
