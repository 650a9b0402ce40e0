// Package prompt puts a model request together: the slabs, most stable first,
// then the conversation. The physical order is tools, spine, reminders, because
// Anthropic hashes tools before system text; a cache breakpoint stands after each
// of the three and one more rolls along at the end of the history.
//
// A conversation that grows past what its model can read is made to fit (Fit): older
// turns become a digest, once a threshold. Each request is hashed by segment (Trace),
// so that the cache doctor (Diagnose, Report) can say later what changed.
//
// Everything here is pure and byte-stable: no clock, no map order, no id of a
// turn in any slab. What changes from turn to turn (the date, attached nouns) is
// kept with its turn, so that the history repeats itself byte for byte.
package prompt
