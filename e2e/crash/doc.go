// Package crash kills the real binary at every step of a turn and compares what is
// left with what must be: a seeded plan of turns on a made deck, a client that sends
// again what was not answered, readers that reconnect throughout, a person who edits
// the deck's files beside, and a model of it all that says how transcript, ledger and
// git repository look in the end.
//
// The binary is built with the tag failpoint, so that a life can end at a named step;
// other lives are ended at a random moment. Everything but timing comes from the seed:
//
//	make crash SEEDS=200          200 seeds, new ones in each run
//	make crash SEED=1234          that one again
//	make crash-plants             every planted fault must be caught within 50 seeds
//	make soak                     1,000 seeds, and docs/evidence/crash.md
//
// What must hold, whatever died: each message that was accepted is there once; each
// turn ends once; what was told is stored, and told in order without gap; each change
// that was accepted is made once, and no other is; nobody else's commit is lost; the
// provider is not asked again for what was answered; every turn has ended or waits for
// its user 5 s after a restart; no key stands in a file, a log or an answer.
package crash
