package fake

import (
	"crypto/sha256"
	"sync"
	"time"
)

// lookback is how many blocks before a breakpoint a provider looks for a cached
// prefix, the breakpoint's own block included.
const lookback = 20

// unit is one block of a prompt, as the cache hashes it.
type unit struct {
	bytes []byte
	mark  bool // a breakpoint stands after it
	ttl   time.Duration
}

// promptCache remembers the prefixes that each key has sent, as providers do.
type promptCache struct {
	min int64
	now func() time.Time

	mu      sync.Mutex
	entries map[[32]byte]cached
}

type cached struct {
	until time.Time
	ttl   time.Duration
}

func newPromptCache(minTokens int, now func() time.Time) *promptCache {
	return &promptCache{min: int64(minTokens), now: now, entries: map[[32]byte]cached{}}
}

// reset forgets every prefix.
func (c *promptCache) reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.entries)
}

// prefix is the prompt up to and including one unit.
type prefix struct {
	hash   [32]byte
	tokens int64
}

func prefixes(key, model string, units []unit) []prefix {
	out := make([]prefix, len(units))
	at := prefix{hash: sha256.Sum256([]byte(key + "\x00" + model))}
	for i, u := range units {
		sum := sha256.Sum256(u.bytes)
		at.hash = sha256.Sum256(append(at.hash[:], sum[:]...))
		at.tokens += tokens(len(u.bytes))
		out[i] = at
	}
	return out
}

// count looks the prompt up, stores its marked prefixes and says what was read,
// written and neither.
func (c *promptCache) count(key string, q *question) counted {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := prefixes(key, q.req.Model, q.units)
	if len(at) == 0 {
		return counted{}
	}
	read := c.find(at, q.units)
	var stored, stored1h int64
	for i, u := range q.units {
		if !u.mark || at[i].tokens < c.min {
			continue
		}
		c.entries[at[i].hash] = cached{until: c.now().Add(u.ttl), ttl: u.ttl}
		stored = at[i].tokens
		if u.ttl >= time.Hour {
			stored1h = at[i].tokens
		}
	}
	total := at[len(at)-1].tokens
	out := counted{Read: read, Fresh: total - read}
	if stored > read {
		out.Written = stored - read
		out.Written1h = max(0, stored1h-read)
		out.Fresh = total - stored
	}
	return out
}

// find gives the tokens of the longest cached prefix that a mark leads to, and
// lets it live on.
func (c *promptCache) find(at []prefix, units []unit) int64 {
	for i := len(units) - 1; i >= 0; i-- {
		if !units[i].mark {
			continue
		}
		for j := i; j >= 0 && j > i-lookback; j-- {
			e, ok := c.entries[at[j].hash]
			if ok && c.now().Before(e.until) {
				e.until = c.now().Add(e.ttl)
				c.entries[at[j].hash] = e
				return at[j].tokens
			}
		}
	}
	return 0
}
