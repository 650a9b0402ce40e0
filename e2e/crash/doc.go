// Package crash kills the real binary at every step of a turn and compares what is
// left with what must be: a seeded plan of turns on a made deck, a client that sends
// again what was not answered, readers that reconnect throughout, a person who edits
// the deck's files beside, and a model of it all that says how transcript, ledger and
// git repository look in the end.
//
// The binary is built with the tag failpoint, so that a life can end at a named step;
// other lives are ended at a random moment. Everything but timing comes from the seed:
//
//	make crash SEEDS=200          200 seeds, one line of summary
//	make crash SEED=1234          that one again
//	make crash-plants             every planted fault must be caught
package crash
