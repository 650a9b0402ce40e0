package agent

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// CheckReminder gives the text of a reminder file as it is kept: lines end with a
// newline, the last one too, and nothing blank stands at the end. Errors: too_large,
// invalid_input (no text, or signs that nobody sees).
func CheckReminder(text string) (string, error) {
	if len(text) > 2*MaxReminderBytes { // before anything is made of it
		return "", tooLongReminder()
	}
	text = strings.TrimPrefix(text, "\uFEFF") // an editor's mark of UTF-8
	if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return unseen(r) && !strings.ContainsRune("\n\r\t", r) }) {
		return "", &Error{Code: CodeInvalidInput, Pointer: "/text", Message: "The text has characters that nobody can see.",
			Hint: "Remove control characters and marks that change the direction of text."}
	}
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	if text = strings.TrimRight(text, " \t\n"); text != "" {
		text += "\n"
	}
	if len(text) > MaxReminderBytes {
		return "", tooLongReminder()
	}
	return text, nil
}

func tooLongReminder() error {
	return &Error{Code: CodeTooLarge, Pointer: "/text", Message: "A reminder file holds at most 16 KiB: it is in every prompt.",
		Hint: "Remove what is struck or no longer true, or move details to a document of the corpus."}
}

// unseen reports what a person does not see in a text that they accept, or sees as
// another one, but a model reads.
func unseen(r rune) bool {
	switch {
	case unicode.Is(unicode.Cc, r), unicode.Is(unicode.Co, r): // control characters, private use
		return true
	case r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069: // they turn the direction
		return true
	case r >= 0xE0000 && r <= 0xE0FFF, r >= 0x2060 && r <= 0x2065, r == 0x200B, r == 0xFEFF: // tags, nothing at all
		return true
	}
	return false
}

// CheckLine gives words that a model wrote as one line of plain text, for a reminder or
// a note: blanks are one space. Errors: invalid_input (nothing, too long, signs that
// nobody sees), with the pointer.
func CheckLine(pointer, text string, maxBytes int) (string, error) {
	wrong := func(message string) error {
		return &Error{Code: CodeInvalidInput, Pointer: pointer, Message: message}
	}
	if len(text) > 4*maxBytes {
		return "", wrong("It is too long; say it in a sentence or two.")
	}
	line := strings.Join(strings.Fields(text), " ")
	switch {
	case !utf8.ValidString(line) || strings.ContainsFunc(line, unseen):
		return "", wrong("It has characters that nobody can see; use plain text.")
	case line == "":
		return "", wrong("It is empty; say it in a sentence.")
	case len(line) > maxBytes:
		return "", wrong("It is too long; say it in a sentence or two.")
	}
	return line, nil
}
