package crash

import "regexp"

// planted is a fault that is built into the binary for this harness to find, and what
// it must be found by.
type planted struct {
	name  string
	shows *regexp.Regexp // a line of what a seed that caught it says
}

// plants are all of them; the comment says what is wrong with the binary.
var plants = []planted{
	// An accept is taken without its claim, which is written with the outcome.
	{"claim_after_apply", regexp.MustCompile(`wait for nobody|previewed again`)},
	// A reader is told a preview or an end before the transaction that writes it.
	{"told_before_written", regexp.MustCompile(`no such preview|not stored|told and taken back`)},
	// A merge moves the branch and the slide, whatever stands there now.
	{"no_compare_and_set", regexp.MustCompile(`editor's is lost|applied over an edit`)},
	// What was applied before a crash is not looked for, and applied once more.
	{"applied_again", regexp.MustCompile(`the merges: .* is there 2 times`)},
	// Nobody takes up what a dead process left.
	{"left_running", regexp.MustCompile(`have neither ended nor wait for their user`)},
	// Whoever takes up a turn goes on under the number of the run that died.
	{"no_fencing", regexp.MustCompile(`stored is .* the reader has|the deltas are|a reader has`)},
	// An accept is taken without a look at what the preview was made from.
	{"receipt_unchecked", regexp.MustCompile(`a slide that moved was answered`)},
	// A rule covers whatever is asked for next, not what was derived from the preview.
	{"scope_from_client", regexp.MustCompile(`a turn with an open preview is completed`)},
	// An undo writes the old text over whatever came since.
	{"undo_overwrites", regexp.MustCompile(`an undo ended as .* had moved: true`)},
	// A message that is sent again is another message.
	{"resend_anew", regexp.MustCompile(`became (the turn of|another turn)|is there \d times`)},
	// The model is asked once more after its answer was committed.
	{"asked_twice", regexp.MustCompile(`was asked for again|model calls, at most`)},
}
