package brain

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// want is what the user is after.
type want string

const (
	wantVariant  want = "variant"
	wantEdit     want = "edit"
	wantRead     want = "read"
	wantExport   want = "export"
	wantImages   want = "images"
	wantCheck    want = "check"
	wantRemember want = "remember"
	wantFacts    want = "facts"
	wantSearch   want = "search"
	wantHelp     want = "help"
	wantThanks   want = "thanks"
	wantDecision want = "decision"
	wantUnknown  want = "unknown"
)

// intent is what was understood of the words.
type intent struct {
	want   want
	slides []string
	style  string
	text   string // the wish, the query, what to remember
	format string
	kit    string
	count  int
}

var numberWords = map[string]int{
	"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
	"eleven": 11, "twelve": 12, "a": 1, "an": 1,
}

const number = `(?:\d{1,4}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)`

var (
	slideRef   = regexp.MustCompile(`(?i)\bslides?\s*(?:no\.?|number|#)?\s*(` + number + `(?:\s*(?:,|and|&|\+|,\s*and|to|-|–|through)\s*(?:slide\s*)?` + number + `\b)*)`)
	numberItem = regexp.MustCompile(`(?i)(to|-|–|through)?\s*\b(` + number + `)\b`)
	styleRef   = regexp.MustCompile(`(?i)\b([\p{L}][\p{L}\d]*(?:[ -][\p{L}][\p{L}\d]*)?)[ -]styled?\b`)
	inStyle    = regexp.MustCompile(`(?i)\b(?:in|with|as)\s+(?:an?\s+|the\s+)?(?:more\s+)?([\p{L}][\p{L}\d-]*)\s+(?:style|look|aesthetic|version|variant)\b`)
	ofVariant  = regexp.MustCompile(`(?i)\b([\p{L}][\p{L}\d-]*)\s+(?:variants?|versions?|aesthetic|look)\b`)
	asStyle    = regexp.MustCompile(`(?i)\b(?:restyle|redesign)\b.*\b(?:as|in|to)\s+(?:an?\s+)?([\p{L}][\p{L}\d-]*)`)

	variantWords  = regexp.MustCompile(`(?i)\b(variants?|restyle|redesign|[\p{L}\d-]+[ -]styled?\b|aesthetic)\b`)
	editWords     = regexp.MustCompile(`(?i)\b(make|change|edit|rewrite|rephrase|reword|shorten|simplify|improve|update|fix|turn|translate|rename|adjust|tweak|remove|add|replace|set|move|tighten|polish)\b`)
	readWords     = regexp.MustCompile(`(?i)\b(show|read|open|display|view|see|look at|what(?:'s| is| does)|describe|summari[sz]e)\b`)
	exportWords   = regexp.MustCompile(`(?i)\b(export|download|save)\b`)
	imageWords    = regexp.MustCompile(`(?i)\b(og|open ?graph|share|social|sharing|preview)[ -]?(images?|pictures?|cards?)\b`)
	checkWords    = regexp.MustCompile(`(?i)(\bbuild\b.*\b(fail|failed|fails|failing|broke|broken|error|errors|wrong)|\b(fail|failed|failing|broken)\b.*\b(build|deck|deploy)|\bdiagnos|\bcheck (the|my|this) (deck|build|slides)|\bwhat(?:'s| is) wrong\b|\bbuild errors?\b)`)
	rememberWords = regexp.MustCompile(`(?is)\b(?:remember|note down|keep in mind|don't forget)\b(?:\s+that)?[:,]?\s*(.*)`)
	factsWords    = regexp.MustCompile(`(?i)(\bwhat do you know\b|\bwho are we\b|\babout (us|our company|this deck|the deck)\b|\bfacts\b)`)
	searchWords   = regexp.MustCompile(`(?is)(?:\bsearch\b(?:\s+(?:in|through))?(?:\s+(?:the|our))?(?:\s+(?:corpus|notes|changelog|knowledge base))?(?:\s+(?:for|about|on))?|\blook up\b|\bfind\b(?:\s+(?:notes|something|anything))?\s+(?:about|on)|\bwhat do (?:our|the) notes say (?:about|on))\s*(.*)`)
	helpWords     = regexp.MustCompile(`(?i)(^\s*(help|\?|/help|hi|hello|hey)\b|\bwhat can (you|i)\b|\bhow does this work\b|\bcapabilit)`)
	thanksWords   = regexp.MustCompile(`(?i)^\s*(thanks?|thank you|great|perfect|nice|cool|merci|danke)\b`)
	decisionWords = regexp.MustCompile(`(?i)^\s*(accept|discard|yes|no|ok|okay|apply|do it|go ahead|cancel)( it| that| please)?\s*[.!]?\s*$`)
	againWords    = regexp.MustCompile(`(?i)^\s*(again|try again|once more|another( one)?|same again|the same)\b`)
	kitWords      = regexp.MustCompile(`(?i)\b(?:with|in|using)\s+(?:the\s+)?([\p{L}\d][\p{L}\d -]*?)\s+(?:brand[ -]?)?kit\b`)
	countWords    = regexp.MustCompile(`(?i)\b(\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten)\b[^.]{0,20}?\b(?:og|open ?graph|share|social|sharing|preview)\b`)
	thisSlide     = regexp.MustCompile(`(?i)\b(this|that|the (current|attached|same)) slide\b|\b(it|this|that)\b`)
)

// understand reads the user's words. What only names a slide goes on with what
// they wanted before.
func (t talk) understand() intent {
	in := parse(t.words)
	if len(in.slides) == 0 && len(t.attached) > 0 && (in.want == wantVariant || in.want == wantEdit || in.want == wantRead || in.want == wantUnknown) {
		in.slides = t.attached
		if in.want == wantUnknown && editWords.MatchString(t.words) {
			in.want, in.text = wantEdit, t.words
		}
	}
	follows := in.want == wantUnknown && (len(in.slides) > 0 || againWords.MatchString(t.words))
	pronoun := (in.want == wantEdit || in.want == wantVariant) && len(in.slides) == 0 && thisSlide.MatchString(t.words)
	if !follows && !pronoun {
		return in
	}
	for _, words := range t.earlier {
		before := parse(words)
		if len(before.slides) == 0 && len(before.text) == 0 && before.want == wantUnknown {
			continue
		}
		if pronoun {
			if len(before.slides) > 0 {
				in.slides = before.slides
				return in
			}
			continue
		}
		if before.want == wantVariant || before.want == wantEdit || before.want == wantRead || before.want == wantImages || before.want == wantExport {
			if len(in.slides) > 0 {
				before.slides = in.slides
			}
			return before
		}
	}
	return in
}

// parse reads words on their own.
func parse(words string) intent {
	in := intent{want: wantUnknown, slides: slides(words), text: words}
	switch {
	case words == "":
		in.want = wantHelp
	case decisionWords.MatchString(words):
		in.want = wantDecision
	case rememberWords.MatchString(words):
		in.want, in.text = wantRemember, strings.TrimSpace(rememberWords.FindStringSubmatch(words)[1])
	case len(in.slides) == 0 && searchWords.MatchString(words):
		in.want, in.text = wantSearch, strings.Trim(searchWords.FindStringSubmatch(words)[1], " ?.!\"“”\n")
	case imageWords.MatchString(words):
		in.want, in.count, in.style = wantImages, count(words), style(words)
	case len(in.slides) == 0 && checkWords.MatchString(words):
		in.want = wantCheck
	case exportWords.MatchString(words):
		in.want, in.format, in.kit = wantExport, format(words), kit(words)
	case variantWords.MatchString(words) && style(words) != "":
		in.want, in.style = wantVariant, style(words)
	case factsWords.MatchString(words) && len(in.slides) == 0:
		in.want = wantFacts
	case editWords.MatchString(words) && (len(in.slides) > 0 || thisSlide.MatchString(words)):
		in.want = wantEdit
	case checkWords.MatchString(words):
		in.want = wantCheck
	case readWords.MatchString(words) && len(in.slides) > 0:
		in.want = wantRead
	case helpWords.MatchString(words):
		in.want = wantHelp
	case thanksWords.MatchString(words):
		in.want = wantThanks
	}
	return in
}

// slides gives the numbers of slides in the words, in order, as two digits.
func slides(words string) []string {
	var out []string
	for _, m := range slideRef.FindAllStringSubmatch(words, -1) {
		last := 0
		for _, item := range numberItem.FindAllStringSubmatch(m[1], -1) {
			n := value(item[2])
			if item[1] != "" && last > 0 && n > last && n-last <= 20 {
				for i := last + 1; i < n; i++ {
					out = append(out, pad(i))
				}
			}
			out = append(out, pad(n))
			last = n
		}
	}
	var unique []string
	for _, s := range out {
		if !slices.Contains(unique, s) {
			unique = append(unique, s)
		}
	}
	return unique[:min(len(unique), 12)]
}

func value(word string) int {
	if n, ok := numberWords[strings.ToLower(word)]; ok {
		return n
	}
	n, _ := strconv.Atoi(word)
	return n
}

func pad(n int) string {
	if n < 10 {
		return "0" + strconv.Itoa(n)
	}
	return strconv.Itoa(n)
}

var noStyle = []string{
	"a", "an", "the", "another", "different", "new", "some", "any", "this", "that", "other", "one", "two", "three", "me", "more",
	"my", "our", "its", "of", "in", "with", "next", "second", "make", "give", "show", "house", "aesthetic", "visual",
}

// style gives the word that names a look, "" without one.
func style(words string) string {
	for _, re := range []*regexp.Regexp{styleRef, inStyle, asStyle, ofVariant} {
		for _, m := range re.FindAllStringSubmatch(words, -1) {
			var kept []string
			for w := range strings.FieldsSeq(strings.ToLower(m[1])) {
				if !slices.Contains(noStyle, w) {
					kept = append(kept, w)
				}
			}
			if len(kept) > 0 {
				return kept[len(kept)-1]
			}
		}
	}
	return ""
}

func format(words string) string {
	lower := strings.ToLower(words)
	switch {
	case strings.Contains(lower, "pdf"):
		return "pdf"
	case strings.Contains(lower, "markdown") || regexp.MustCompile(`\bmd\b`).MatchString(lower):
		return "md"
	}
	return "html"
}

func kit(words string) string {
	m := kitWords.FindStringSubmatch(words)
	if m == nil {
		return ""
	}
	return strings.Join(strings.Fields(strings.ToLower(m[1])), "-")
}

func count(words string) int {
	if m := countWords.FindStringSubmatch(words); m != nil {
		if n := value(m[1]); n > 0 {
			return n
		}
	}
	return 3
}
