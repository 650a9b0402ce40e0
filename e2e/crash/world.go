package crash

import (
	"maps"
	"regexp"
	"slices"
	"sync"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/e2e/harness"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

// world is the model: what must stand in transcript, ledger and git repository in the
// end. The acts write it as they go, from what the user was told.
type world struct {
	mu      sync.Mutex
	files   map[string]string // of the working branch, by path
	merges  map[string]bool   // ledger keys of what was applied
	undos   map[string]bool   // ledger keys of what was taken back
	ledger  map[string]bool   // every ledger key, all of them settled
	turns   map[agent.TurnID]*expected
	heads   map[agent.ThreadID]agent.TurnID
	rules   map[string]int // uses of what was remembered
	commits []string       // of the editor
	exports []string       // names of files
	asked   map[string]int // model calls that a step of a message, or a wish, may take
}

// expected is what a turn must have become.
type expected struct {
	thread  agent.ThreadID
	parent  agent.TurnID // "" for the first of its path
	message string       // id; "" for a turn by hand
	words   string
	states  []agent.TurnState
	reader  *reader
}

func newWorld(d harness.Deck) *world {
	w := &world{files: map[string]string{}, merges: map[string]bool{}, undos: map[string]bool{}, ledger: map[string]bool{},
		turns: map[agent.TurnID]*expected{}, heads: map[agent.ThreadID]agent.TurnID{}, asked: map[string]int{}, rules: map[string]int{}}
	for _, s := range d.Slides {
		w.files[s.Path] = s.Source
	}
	return w
}

// turn notes a turn and how it may end. Its parent is as it was asked for: "" is the
// newest turn of its thread.
func (w *world) turn(id agent.TurnID, e expected) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch e.parent {
	case "":
		e.parent = w.heads[e.thread]
	case agent.RootTurn:
		e.parent = ""
	}
	w.turns[id], w.heads[e.thread] = &e, id
}

// path gives the turns that lead to one, the first one first, and it.
func (w *world) path(id agent.TurnID) (path []agent.TurnID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for id != "" && w.turns[id] != nil {
		path = append(path, id)
		id = w.turns[id].parent
	}
	slices.Reverse(path)
	return path
}

// said gives the messages on the path to the turn of one.
func (w *world) said(words string) (path []string) {
	for id, e := range w.turns {
		if e.words != words {
			continue
		}
		for _, on := range w.path(id) {
			if said := w.turns[on].words; said != "" {
				path = append(path, said)
			}
		}
	}
	return path
}

// applied notes a change that was accepted and told as applied.
func (w *world) applied(turn agent.TurnID, call agent.CallID, path, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	key := agent.LedgerKey(turn, call, agent.PhaseApply)
	w.merges[key], w.ledger[key] = true, true
	w.files[path] = text
}

// ruled notes a remembered permission, or so many more uses of it.
func (w *world) ruled(id string, uses int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rules[id] += uses
}

// settled notes a row of the ledger that changed nothing in the deck.
func (w *world) settled(turn agent.TurnID, call agent.CallID, phase agent.Phase) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ledger[agent.LedgerKey(turn, call, phase)] = true
}

// undone notes a change that was told as taken back.
func (w *world) undone(turn agent.TurnID, call agent.CallID, path, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	key := agent.LedgerKey(turn, call, agent.PhaseUndo)
	w.undos[key], w.ledger[key] = true, true
	w.files[path] = text
}

// edited notes a commit of the editor's.
func (w *world) edited(commit, path, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.commits = append(w.commits, commit)
	w.files[path] = text
}

// exported notes a file that a call without a preview made.
func (w *world) exported(turn agent.TurnID, call agent.CallID, name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ledger[agent.LedgerKey(turn, call, agent.PhaseHandler)] = true
	w.exports = append(w.exports, name)
}

// may allows model calls for a message or a wish.
func (w *world) may(words string, calls int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked[words] += calls
}

// mayAgain allows every message and wish of an act a model call more for each life
// that the act took.
func (w *world) mayAgain(rounds []scripted.Round, lives int) {
	seen := map[string]bool{}
	for _, r := range rounds {
		if r.When == nil {
			continue
		}
		if words := spoken.FindString(r.When.LastUser); words != "" && !seen[words] {
			seen[words] = true
			w.may(words, lives)
		}
	}
}

// spoken finds the words of a message or a wish.
var spoken = regexp.MustCompile(`(say|wish)-[0-9a-f]+[a-z]-[0-9]+`)

func (w *world) file(path string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.files[path]
}

func sortedKeys(m map[string]bool) []string { return slices.Sorted(maps.Keys(m)) }
