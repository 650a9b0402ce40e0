package account

import (
	"context"
	"unicode/utf8"

	agent "github.com/lossless-group/in-app-agent"
)

// maxNote is the longest note of a feedback, in bytes.
const maxNote = 4 << 10

// GiveFeedback stores a thumb and a note on a turn of the caller.
func (a *Account) GiveFeedback(ctx context.Context, n agent.FeedbackNote) error {
	switch {
	case n.Thumb != agent.ThumbUp && n.Thumb != agent.ThumbDown && n.Thumb != "":
		return invalid("/thumb", "The thumb is up, down, or empty to take it back.")
	case len(n.Note) > maxNote:
		return invalid("/note", "A note can have at most 4 KiB.")
	case !utf8.ValidString(n.Note):
		return invalid("/note", "A note is text.")
	}
	return a.Feedback.PutFeedback(ctx, n, a.now())
}
