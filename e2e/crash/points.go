package crash

import (
	"math/rand/v2"
	"strconv"
)

// point is a step at which a life ends, and what must be done so that it is reached.
type point struct {
	name string
	most int      // the life ends at one of its first so many hits
	acts []string // acts that reach it
	// first ends the life before at another point, where this one is reached only
	// while the next life takes up what was left.
	first string
}

// random is the end of a life at any moment of an act, idle one between acts.
const (
	random = "random"
	idle   = "idle"
)

// points are all of them; the comment gives the step of the fault matrix.
var points = []point{
	{name: "message.received", most: 1, acts: []string{"text", "typing", "tree"}},                // S0
	{name: "message.written", most: 1, acts: []string{"tree", "resend", "typing"}},               // S1
	{name: "key.opened", most: 2, acts: []string{"reads", "accept"}},                             // S2
	{name: "request.sent", most: 2, acts: []string{"text", "reads", "accept", "fault"}},          // S3
	{name: "answer.opened", most: 3, acts: []string{"text", "accept", "edit"}},                   // S4
	{name: "text.told", most: 25, acts: []string{"text", "text", "fault"}},                       // S5
	{name: "text.written", most: 1, acts: []string{"long"}},                                      // S5
	{name: "call.begun", most: 1, acts: []string{"reads", "accept", "set"}},                      // S6
	{name: "answer.whole", most: 2, acts: []string{"reads", "accept", "export"}},                 // S6
	{name: "milestone.due", most: 5, acts: []string{"reads", "accept", "set", "edit", "stale"}},  // before any milestone
	{name: "call.validated", most: 1, acts: []string{"reads", "set", "accept", "export"}},        // S7
	{name: "handler.running", most: 2, acts: []string{"reads", "accept", "set"}},                 // S8
	{name: "handler.done", most: 2, acts: []string{"accept", "set", "edit", "stale"}},            // S9
	{name: "effect.claimed", most: 1, acts: []string{"export"}},                                  // S8
	{name: "effect.done", most: 1, acts: []string{"export"}},                                     // S9
	{name: "result.written", most: 2, acts: []string{"reads", "export"}},                         // S10
	{name: "preview.written", most: 2, acts: []string{"set", "edit", "stale"}},                   // S11
	{name: "turn.parked", most: 1, acts: []string{"accept", "set", "typing", "stop"}},            // S12
	{name: "confirm.received", most: 1, acts: []string{"accept", "discard", "edit", "remember"}}, // S13
	{name: "confirm.taken", most: 1, acts: []string{"accept", "discard", "edit", "moved"}},       // S14
	{name: "apply.due", most: 1, acts: []string{"accept", "remember", "undo", "moved"}},          // S14
	{name: "apply.done", most: 1, acts: []string{"accept", "set", "undo", "remember"}},           // S15
	{name: "discard.done", most: 1, acts: []string{"discard", "typing", "stop"}},                 // S15
	{name: "stale.written", most: 1, acts: []string{"moved"}, first: "apply.due"},                // S15
	{name: "undo.received", most: 1, acts: []string{"undo", "undo-late"}},                        // S13
	{name: "undo.claimed", most: 1, acts: []string{"undo", "undo-late"}},                         // S14
	{name: "undo.done", most: 1, acts: []string{"undo", "undo-late"}},                            // S15
	{name: "stop.received", most: 1, acts: []string{"stop", "stop-text"}},                        // S13
	{name: "stop.written", most: 1, acts: []string{"stop-text"}},                                 // S14
	{name: "turn.adopted", most: 1, acts: []string{"text", "accept"}, first: "text.told"},        // while it takes up
	{name: "end.written", most: 1, acts: []string{"tree", "accept", "fault"}},                    // S16
	{name: "end.told", most: 1, acts: []string{"text", "discard"}},                               // S17
}

// anyAct are all acts, for lives that end at random.
var anyAct = []string{"text", "long", "reads", "accept", "discard", "edit", "set", "stale", "moved", "undo", "undo-late", "stop", "stop-text", "resend", "typing", "export", "fault", "tree", "remember"}

// doom is how one life ends.
type doom struct {
	point string // random for any moment
	nth   int
	acts  []string
}

// env arms a life.
func (d doom) env() []string {
	if d.point == "" || d.point == random {
		return nil
	}
	return []string{"IN_APP_AGENT_FAILPOINT=" + d.point + ":" + strconv.Itoa(d.nth)}
}

// dooms gives the ends of a seed's lives. Seeds that follow each other take all points
// in turn, so that few seeds reach every one.
func dooms(rng *rand.Rand, seed uint64) (list []doom) {
	for i := range uint64(3) {
		p := points[(seed*3+i)%uint64(len(points))]
		if p.first != "" {
			list = append(list, doom{p.first, 1, p.acts})
		}
		list = append(list, doom{p.name, 1 + rng.IntN(p.most), p.acts})
	}
	at := rng.IntN(len(list) + 1)
	if at > 0 && at < len(list) && list[at-1].point != list[at].point && pointNamed(list[at].point).first == list[at-1].point {
		at = len(list) // nothing comes between a point and the one that it needs
	}
	end := doom{point: random, nth: 1, acts: anyAct}
	return append(list[:at:at], append([]doom{end}, list[at:]...)...)
}

func pointNamed(name string) point {
	for _, p := range points {
		if p.name == name {
			return p
		}
	}
	return point{}
}
