package crash

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lossless-group/in-app-agent/e2e/harness"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

// report is what one seed did.
type report struct {
	seed           uint64
	faults         []string // nil for none
	kills          map[string]int
	turns, effects int
	resent         int64
	ready, settled time.Duration
}

// scene is everything of one seed.
type scene struct {
	t        *trial
	seed     uint64
	rng      *rand.Rand
	server   *harness.Server
	provider *harness.Provider
	key      string
	life     *life
	world    *world
	repo     harness.Repo
	main     *actor
	beside   *actor
}

// runSeed plays one seed, with a fault planted where plant is not "".
func runSeed(tb testing.TB, programs harness.Programs, seed uint64, plant string) (rep report) {
	rep.seed = seed
	rep.faults = runTrial(tb, func(t *trial) {
		s := raise(t, programs, seed, plant)
		s.play()
		s.judge()
		rep.kills, rep.resent = s.life.kills, s.main.resent.Load()
		rep.ready, rep.settled = s.life.worst.ready, s.life.worst.settled
		rep.turns, rep.effects = len(s.world.turns), len(s.world.merges)+len(s.world.undos)+len(s.world.exports)
	})
	return rep
}

// raise makes deck, provider, server and user, with the first doom armed.
func raise(t *trial, programs harness.Programs, seed uint64, plant string) *scene {
	rng := rand.New(rand.NewPCG(seed, 0xc4a5))
	deck := harness.MakeDeck(t, rng)
	ends := dooms(rng, seed)
	provider := harness.StartProvider(t, programs)
	provider.Play(scripted.Round{Text: scripted.Text{"OK."}})
	var env []string
	if plant != "" {
		env = append(env, "IN_APP_AGENT_PLANT="+plant)
	}
	server := harness.Start(t, harness.Options{Programs: programs, Provider: provider, Deck: deck.Folder,
		Data: filepath.Join(t.TempDir(), "data"), Env: env})
	user := server.SignIn("lin")
	s := &scene{t: t, seed: seed, rng: rng, server: server, provider: provider, world: newWorld(deck), repo: server.Repo("")}
	s.key = makeKey(rng)
	user.StoreKey("anthropic", s.key)
	provider.Reset()
	fuses := rand.New(rand.NewPCG(seed, 0xf05e))
	s.life = &life{t: t, server: server, dooms: ends, changed: make(chan struct{}), kills: map[string]int{}, reads: true, writes: true, idle: true,
		done: make(chan struct{}), fuse: func(doom) time.Duration { return time.Duration(fuses.IntN(400)) * time.Millisecond }}
	go s.life.keep()
	c := client{t: t, life: s.life, user: user, resent: &atomic.Int64{}}
	half := len(deck.Slides) / 2
	for i, a := range []**actor{&s.main, &s.beside} {
		*a = &actor{client: c, name: fmt.Sprintf("%x%c", seed, 'a'+i), rng: rand.New(rand.NewPCG(seed, uint64(i))), world: s.world,
			editor: editor{t: t, repo: s.repo, busy: patience}, slides: [][]harness.Slide{deck.Slides[half:], deck.Slides[:half]}[i]}
	}
	return s
}

// makeKey makes a provider's key that nobody has: the canary.
func makeKey(rng *rand.Rand) string {
	const letters = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
	var b strings.Builder
	for range 48 {
		b.WriteByte(letters[rng.IntN(len(letters))])
	}
	return "sk-ant-api03-" + b.String()
}

// maxActs bounds the acts of a seed: a doom whose point is not reached by its act is
// brought about between acts.
const maxActs = 20

// play plays acts until every doom has come, and two more in a life that nothing ends.
func (s *scene) play() {
	s.life.end(0) // from the unarmed first life into the first armed one
	for n := 0; ; n++ {
		d, gen := s.life.doom()
		if d.point == "" {
			break
		}
		if n == maxActs {
			s.t.Fatalf("after %d acts the doom %s is still to come", n, d.point)
		}
		s.both(s.main.named(harness.Pick(s.rng, d.acts)), s.besides())
		s.life.linger(gen)
		if now := s.life.generation(); now == gen {
			s.life.end(gen)
		}
	}
	s.both(s.main.named("accept"), s.beside.named("text"))
	s.life.stop()
}

// besides gives an act for the other actor, or none.
func (s *scene) besides() *act {
	if s.rng.IntN(3) > 0 {
		return nil
	}
	return s.beside.named(harness.Pick(s.rng, []string{"text", "reads", "accept", "discard", "export", "tree", "stale", "remember"}))
}

// both plays one act, or two at once.
func (s *scene) both(acts ...*act) {
	acts = slices.DeleteFunc(acts, func(a *act) bool { return a == nil })
	var rounds []scripted.Round
	for _, a := range acts {
		rounds = append(rounds, a.rounds...)
	}
	s.provider.Play(append(rounds, scripted.Round{Text: scripted.Text{"OK."}})...)
	s.life.begin()
	var all sync.WaitGroup
	for _, a := range acts {
		all.Go(a.play)
	}
	all.Wait()
	if s.t.Failed() {
		var names []string
		for _, a := range acts {
			names = append(names, a.name)
		}
		s.t.Fatalf("in the acts %v", names)
	}
}

// named gives an act by its name.
func (a *actor) named(name string) *act {
	made := map[string]func() act{
		"text": a.text, "long": a.long, "reads": a.readsMany, "export": a.export, "resend": a.resend, "stop-text": a.stopText, "fault": a.fault,
		"accept": a.accepts, "discard": a.discards, "edit": a.edits, "set": a.set, "stale": a.stale, "moved": a.moved,
		"undo": func() act { return a.undo(false) }, "undo-late": func() act { return a.undo(true) },
		"stop": a.stopParked, "typing": a.typing, "tree": a.tree, "remember": a.remembers,
	}[name]
	if made == nil {
		a.t.Fatalf("there is no act %q", name)
	}
	one := made()
	one.name = name
	play := one.play
	one.play = func() {
		from := a.life.generation()
		play()
		a.world.mayAgain(one.rounds, a.life.generation()-from)
	}
	return &one
}
