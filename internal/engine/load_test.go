package engine

import (
	"errors"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

func TestNewTurnsAreShedBeforeAdmittedOnesSuffer(t *testing.T) {
	e := &Engine{load: newLoad(1), Config: Config{Limits: Limits{Turns: 100}}}
	for _, c := range []struct {
		crowded, behind bool
		running         int
		shed            bool
	}{
		{false, false, 99, false}, {false, false, 100, true}, {false, false, 101, true},
		{true, false, lightLoad - 1, false}, {true, false, lightLoad, true},
		{false, true, lightLoad - 1, false}, {false, true, lightLoad, true},
		{false, false, lightLoad, false},
	} {
		e.load.crowded.Store(c.crowded)
		e.load.behind.Store(c.behind)
		err := e.shed(c.running)
		if (err != nil) != c.shed {
			t.Errorf("%+v: %v", c, err)
		}
		var ours *agent.Error
		if c.shed && (!errors.As(err, &ours) || ours.Code != agent.CodeOverloaded || ours.RetryAfter == 0) {
			t.Errorf("%+v: shed with %v", c, err)
		}
	}
}

func TestACrowdIsWhereMoreThanOneBatchInTwentyIsLate(t *testing.T) {
	for name, c := range map[string]struct {
		onTime, atCalm, overCalm, atLate, overLate int
		before, crowded                            bool
	}{
		"one in twenty is late":                {onTime: 95, overLate: 5},
		"more than one in twenty is late":      {onTime: 94, overLate: 6, crowded: true},
		"many are as late as may be":           {onTime: 50, atLate: 50},
		"a crowd with one in twenty so":        {onTime: 95, overCalm: 5, before: true},
		"a crowd with more so":                 {onTime: 94, overCalm: 6, before: true, crowded: true},
		"a crowd with all just calm":           {atCalm: 100, before: true},
		"too few to judge, before calm":        {overLate: fewWords - 1},
		"just enough to judge":                 {overLate: fewWords, crowded: true},
		"too few to judge, before crowded":     {onTime: fewWords - 1, before: true, crowded: true},
		"just enough to judge a crowd by":      {onTime: fewWords, before: true},
		"nothing was told, and it was a crowd": {before: true, crowded: true},
	} {
		t.Run(name, func(t *testing.T) {
			var p pace
			for late, n := range map[time.Duration]int{
				0: c.onTime, calmWords: c.atCalm, calmWords + 1: c.overCalm, lateWords: c.atLate, lateWords + 1: c.overLate,
			} {
				for range n {
					p.went(late)
				}
			}
			if got := p.look(c.before); got != c.crowded {
				t.Errorf("crowded: %v", got)
			}
		})
	}
}

func TestABurstIsNoticedAtOnceAndForgottenAfterASecondOfCalm(t *testing.T) {
	const burst = 3
	var p pace
	crowded := false
	for i := 1; i <= burst+calmLooks+1; i++ {
		for range 100 {
			p.went(0)
		}
		for range map[bool]int{true: 300}[i == burst] {
			p.went(time.Second)
		}
		want := i >= burst && i < burst+calmLooks
		if crowded = p.look(crowded); crowded != want {
			t.Errorf("look %d: crowded: %v", i, crowded)
		}
	}
	if notice, calm := lateLooks*paceEvery, calmLooks*paceEvery; notice != 200*time.Millisecond || calm != time.Second {
		t.Errorf("looks back over %v and %v", notice, calm)
	}
}

func TestWhatWasLateLongerAgoThanAFifthOfASecondMakesNoCrowd(t *testing.T) {
	var p pace
	for range 1000 {
		p.went(time.Second)
	}
	for range lateLooks {
		p.look(false)
	}
	for range 100 {
		p.went(0)
	}
	if p.look(false) {
		t.Error("a crowd by what is long over")
	}
}
