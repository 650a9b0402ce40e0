// Package crowd lets many people work at once against the real binary while it is
// killed every few seconds: each sends a message, reads its stream over every cut,
// answers its preview, and says the next. In the end every message that was accepted
// is one turn, which has ended or waits for its user within 5 s of the last restart.
//
//	make crowd                          40 people for 60 s
//	make crowd USERS=200 FOR=600    what make soak runs
//	make overload                       twice what a core can serve; 5,000 idle streams
//
// Twice the capacity: what is admitted keeps its pace and is whole, the rest is told to
// come later, and is taken then. Idle streams cost little and hold nobody up.
package crowd
