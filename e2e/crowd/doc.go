// Package crowd lets many people work at once against the real binary while it is
// killed every few seconds: each sends a message, reads its stream over every cut,
// answers its preview, and says the next. In the end every message that was accepted
// is one turn, which has ended or waits for its user within 5 s of the last restart.
//
//	make crowd                          40 people for 60 s
//	make crowd USERS=200 FOR=600    what make soak runs
package crowd
