// Package capability is the registry: the only side-effect surface of an agent.
// It declares capabilities from typed Go functions, checks what they declare,
// maps their names to the wire, and dispatches a model's call through the gates.
//
// Everything is added before the first turn starts; afterwards a Registry is
// safe for concurrent use.
package capability
