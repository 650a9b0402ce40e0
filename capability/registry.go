package capability

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	agent "github.com/lossless-group/in-app-agent"
)

// Registry holds the capabilities of one server, in stable order. It is made
// with NewRegistry.
type Registry struct {
	mu     sync.RWMutex
	byName map[string]*entry
	byWire map[string]*entry
	sorted []*entry // by name
}

// entry is a capability with what is worked out once: its wire name and its
// compiled schema, or why that does not compile.
type entry struct {
	agent.Capability
	wire      string
	schema    *checker
	schemaErr error
}

// NewRegistry makes an empty registry.
func NewRegistry() *Registry {
	return &Registry{byName: map[string]*entry{}, byWire: map[string]*entry{}}
}

// Add registers capabilities. A mistake that no caller could recover from
// panics with a sentence, at start-up and not in a turn: a bad or duplicate
// name, a collision of wire names, a missing handler, a confirming capability
// without Apply or Resources. What Lint finds does not panic.
func (r *Registry) Add(caps ...agent.Capability) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range caps {
		if problem := r.refuse(c); problem != "" {
			panic("capability: " + problem)
		}
		e := &entry{Capability: c, wire: WireName(c.Name)}
		e.schema, e.schemaErr = compile(c.Input)
		r.byName[c.Name] = e
		r.byWire[e.wire] = e
		at, _ := slices.BinarySearchFunc(r.sorted, e, byEntryName)
		r.sorted = slices.Insert(r.sorted, at, e)
	}
}

func byEntryName(a, b *entry) int { return cmp.Compare(a.Name, b.Name) }

func (r *Registry) refuse(c agent.Capability) string {
	if !ValidName(c.Name) {
		return fmt.Sprintf("the name %q is not like entity.verb (lower case, digits and underscores, joined by dots)", c.Name)
	}
	if r.byName[c.Name] != nil {
		return fmt.Sprintf("%s is registered twice", c.Name)
	}
	if other := r.byWire[WireName(c.Name)]; other != nil {
		return fmt.Sprintf("%s and %s have the same wire name %s", c.Name, other.Name, other.wire)
	}
	switch {
	case c.Handler == nil:
		return c.Name + " has no Handler"
	case c.RequiresConfirmation && c.Apply == nil:
		return c.Name + " requires confirmation but has no Apply that an accept could run"
	case c.RequiresConfirmation && c.Resources == nil:
		return c.Name + " requires confirmation but has no Resources that would tell a stale preview"
	}
	return ""
}

// Get finds a capability by its exact name.
func (r *Registry) Get(name string) (agent.Capability, bool) {
	e := r.find(name)
	if e == nil {
		return agent.Capability{}, false
	}
	return e.Capability, true
}

// ByWire finds a capability by the exact tool name that a provider was given.
func (r *Registry) ByWire(wire string) (agent.Capability, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	e := r.byWire[wire]
	if e == nil {
		return agent.Capability{}, false
	}
	return e.Capability, true
}

// All gives every capability, sorted by name.
func (r *Registry) All() []agent.Capability {
	r.mu.RLock()
	defer r.mu.RUnlock()
	all := make([]agent.Capability, len(r.sorted))
	for i, e := range r.sorted {
		all[i] = e.Capability
	}
	return all
}

func (r *Registry) find(name string) *entry {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.byName[name]
}
