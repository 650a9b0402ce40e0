package crash

import "regexp"

// planted is a fault that is built into the binary for this harness to find, and what
// it must be found by.
type planted struct {
	name  string
	shows *regexp.Regexp // a line of what a seed that caught it says
}

// plants are all of them.
var plants = []planted{
	{"claim_after_apply", regexp.MustCompile(`.`)},
	{"told_before_written", regexp.MustCompile(`.`)},
	{"no_compare_and_set", regexp.MustCompile(`.`)},
	{"no_fencing", regexp.MustCompile(`.`)},
	{"receipt_unchecked", regexp.MustCompile(`.`)},
	{"undo_overwrites", regexp.MustCompile(`.`)},
	{"resend_anew", regexp.MustCompile(`.`)},
	{"asked_twice", regexp.MustCompile(`.`)},
}
