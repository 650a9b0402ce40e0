package brain

import (
	"bytes"
	"html"
	"regexp"
	"strings"

	nethtml "golang.org/x/net/html"

	"github.com/lossless-group/in-app-agent/examples/dididecks/deck"
	"github.com/lossless-group/in-app-agent/examples/dididecks/look"
	"github.com/lossless-group/in-app-agent/examples/dididecks/markup"
	"github.com/lossless-group/in-app-agent/examples/dididecks/rewrite"
)

var (
	titleWish   = regexp.MustCompile(`(?is)\b(?:title|heading|headline)\b.*?\b(?:to|say|says|read|reads|into)\b\s*:?\s*["“'‘]?(.+?)["”'’]?\s*$`)
	renameWish  = regexp.MustCompile(`(?is)\b(?:rename|call|title)\b.*?["“](.+?)["”]`)
	plainWish   = regexp.MustCompile(`(?i)\b(less corporate|corporate|plain|plainer|jargon|human|casual|friendl|simpl|warm|natural|conversational)`)
	shorterWish = regexp.MustCompile(`(?i)\b(short|shorter|shorten|fewer|trim|tighten|cut|concise)`)
	biggerWish  = regexp.MustCompile(`(?i)\b(bigger|larger|big|huge|readable)\b`)
	lookWish    = regexp.MustCompile(`(?i)\b(chroma|neon|minimal|clean|brutal(?:ist)?|editorial|dark(?:er)?|light(?:er)?|bright(?:er)?|retro|swiss|bold(?:er)?|playful|elegant|vivid)\b`)
)

// Rewrite gives the new source of a slide by rules: a variant gets the look of its
// style, an edit what its wish is recognised to ask for. The words of a variant
// stay; every tag stays closed; it works on any HTML, Markdown or component slide.
func Rewrite(r rewrite.Request) string {
	front, body := markup.FrontMatter([]byte(r.Source))
	s := source{front: string(front), body: body, format: deck.Format(r.Format)}
	if r.Style != "" {
		s.dress(look.Of(r.Style), deck.Slug(r.Style), "")
		return s.String()
	}
	wish := r.Wish
	known := false
	if to := titleOf(wish); to != "" {
		s.retitle(to)
		known = true
	}
	if plainWish.MatchString(wish) {
		s.eachText(plainer)
		s.dress(look.Of("casual"), "casual", "")
		known = true
	}
	if shorterWish.MatchString(wish) {
		s.shorten(3)
		known = true
	}
	extra := ""
	if biggerWish.MatchString(wish) {
		extra, known = "ROOT { zoom: 1.08; }\n", true
	}
	style := strings.ToLower(lookWish.FindString(wish))
	style = strings.TrimSuffix(strings.Replace(style, "brighter", "bright", 1), "er")
	switch {
	case style != "":
		s.dress(look.Of(style), deck.Slug(style), extra)
	case extra != "":
		s.dress(look.Look{}, "bigger", extra)
	case !known:
		// The wish says nothing that these rules know. The change is honest: plainer
		// words, and a look that is derived from the wish.
		s.eachText(plainer)
		s.dress(look.Of(wish), "edit", "")
	}
	return s.String()
}

func titleOf(wish string) string {
	for _, re := range []*regexp.Regexp{renameWish, titleWish} {
		if m := re.FindStringSubmatch(wish); m != nil {
			return strings.Trim(strings.Join(strings.Fields(m[1]), " "), `"“”'. `)
		}
	}
	return ""
}

// source is a slide on its way to a new version.
type source struct {
	front  string
	body   []byte
	format deck.Format
}

func (s *source) String() string { return s.front + string(s.body) }

// eachText changes the words that a slide shows, and nothing else.
func (s *source) eachText(change func(string) string) {
	var out bytes.Buffer
	skip := ""
	for t := range markup.Tokens(s.body) {
		piece := string(s.body[t.Start:t.End])
		switch {
		case t.Type == nethtml.StartTagToken && skip == "" && (t.Name == "style" || t.Name == "script" || t.Name == "pre" || t.Name == "code"):
			skip = t.Name
		case t.Type == nethtml.EndTagToken && t.Name == skip:
			skip = ""
		case t.Type == nethtml.TextToken && skip == "" && s.format != deck.Astro:
			piece = change(piece)
		case t.Type == nethtml.TextToken && skip == "" && !strings.ContainsAny(piece, "{}"):
			piece = change(piece)
		}
		out.WriteString(piece)
	}
	s.body = out.Bytes()
}

// retitle replaces the words of the first heading.
func (s *source) retitle(to string) {
	if s.format == deck.Markdown {
		lines := bytes.SplitAfter(s.body, []byte("\n"))
		for i, l := range lines {
			if mark := len(l) - len(bytes.TrimLeft(l, "#")); mark > 0 && mark <= 6 && len(l) > mark && l[mark] == ' ' {
				lines[i] = []byte(strings.Repeat("#", mark) + " " + to + "\n")
				s.body = bytes.Join(lines, nil)
				return
			}
		}
		s.body = append([]byte("## "+to+"\n\n"), s.body...)
		return
	}
	start, name := -1, ""
	for t := range markup.Tokens(s.body) {
		heading := len(t.Name) == 2 && t.Name[0] == 'h' && t.Name[1] >= '1' && t.Name[1] <= '6'
		if t.Type == nethtml.StartTagToken && heading && start < 0 {
			start, name = t.End, t.Name
		}
		if t.Type == nethtml.EndTagToken && start >= 0 && t.Name == name {
			to = strings.NewReplacer("{", "&#123;", "}", "&#125;").Replace(html.EscapeString(to))
			s.body = []byte(string(s.body[:start]) + to + string(s.body[t.Start:]))
			return
		}
	}
}

// shorten leaves at most n items of each list.
func (s *source) shorten(n int) {
	if s.format == deck.Markdown {
		s.shortenMarkdown(n)
		return
	}
	type list struct{ items int }
	var lists []list
	var out bytes.Buffer
	dropping := 0 // depth of li elements inside the one that is dropped
	for t := range markup.Tokens(s.body) {
		isList := t.Name == "ul" || t.Name == "ol"
		if dropping > 0 {
			if t.Name == "li" && t.Type == nethtml.StartTagToken {
				dropping++
			}
			if t.Name == "li" && t.Type == nethtml.EndTagToken {
				dropping--
			}
			continue
		}
		switch {
		case isList && t.Type == nethtml.StartTagToken:
			lists = append(lists, list{})
		case isList && t.Type == nethtml.EndTagToken && len(lists) > 0:
			lists = lists[:len(lists)-1]
		case t.Name == "li" && t.Type == nethtml.StartTagToken && len(lists) > 0:
			l := &lists[len(lists)-1]
			if l.items++; l.items > n && bytes.Contains(s.body[t.End:], []byte("</li>")) {
				dropping = 1
				continue
			}
		}
		out.Write(s.body[t.Start:t.End])
	}
	if dropping == 0 {
		s.body = out.Bytes()
	}
}

func (s *source) shortenMarkdown(n int) {
	var out bytes.Buffer
	items := 0
	for l := range bytes.Lines(s.body) {
		item := bytes.HasPrefix(l, []byte("- ")) || bytes.HasPrefix(l, []byte("* ")) || regexp.MustCompile(`^\d+[.)] `).Match(l)
		switch {
		case item:
			items++
		case len(bytes.TrimSpace(l)) > 0 && !bytes.HasPrefix(l, []byte(" ")):
			items = 0
		}
		if items <= n {
			out.Write(l)
		}
	}
	s.body = out.Bytes()
}
