package embedded_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/lossless-group/in-app-agent/corpus/embedded"
)

func TestSections(t *testing.T) {
	type want struct{ title, text string }
	for name, tt := range map[string]struct {
		doc  string
		want []want
	}{
		"text before the first heading": {"intro\n\n# A\nbody", []want{{"A", "intro"}, {"A", "# A\nbody"}}},
		"headings nest": {"# A\na\n## B\nb\n### C\nc\n## D\nd",
			[]want{{"A", "# A\na"}, {"A › B", "## B\nb"}, {"A › B › C", "### C\nc"}, {"A › D", "## D\nd"}}},
		"a heading alone is in the titles below": {"# A\n## B\nb", []want{{"A › B", "## B\nb"}}},
		"a skipped level":                        {"# A\n### C\nc", []want{{"A › C", "### C\nc"}}},
		"no heading at all":                      {"just text", []want{{"doc", "just text"}}},
		"an underlined heading":                  {"Big\n===\ntext\n\nSmall\n---\nmore", []want{{"Big", "Big\n===\ntext"}, {"Big › Small", "Small\n---\nmore"}}},
		"a rule is no heading":                   {"# A\ntext\n\n---\nmore", []want{{"A", "# A\ntext\n\n---\nmore"}}},
		"code is not cut":                        {"# A\n```sh\n# no heading\n```\nend", []want{{"A", "# A\n```sh\n# no heading\n```\nend"}}},
		"tildes fence too":                       {"# A\n~~~\n# no\n```\n# no\n~~~\n# B\nb", []want{{"A", "# A\n~~~\n# no\n```\n# no\n~~~"}, {"A › B", "# B\nb"}}},
		"a longer fence holds a shorter one":     {"# A\n````\n```\n# no\n````\n# B\nb", []want{{"A", "# A\n````\n```\n# no\n````"}, {"A › B", "# B\nb"}}},
		"a hash without a space is a tag":        {"# A\n#tag\n", []want{{"A", "# A\n#tag"}}},
		"closing hashes are not the title":       {"# A ##\nb", []want{{"A", "# A ##\nb"}}},
		"carriage returns":                       {"---\r\ntitle: T\r\n---\r\n# A\r\nb\r\n", []want{{"T › A", "# A\r\nb"}}},
		"a byte order mark":                      {"\uFEFF---\ntitle: T\n---\nb", []want{{"T", "b"}}},
		"front matter that never ends is text":   {"---\ntitle: T\n# A\nb", []want{{"A", "---\ntitle: T"}, {"A", "# A\nb"}}},
		"nothing":                                {"", nil},
		"blank":                                  {"\n \n\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := embedded.Sections([]byte(tt.doc), "notes/doc.md")
			if len(got) != len(tt.want) {
				t.Fatalf("got %d sections, want %d: %+v", len(got), len(tt.want), got)
			}
			for i, s := range got {
				if s.Title != tt.want[i].title || s.Text != tt.want[i].text || s.SourcePath != "notes/doc.md" {
					t.Errorf("section %d: %q %q, want %+v", i, s.Title, s.Text, tt.want[i])
				}
			}
		})
	}
}

func TestFrontMatter(t *testing.T) {
	for name, tt := range map[string]struct{ front, title, date, repo, tags string }{
		"plain":        {"title: A title\ndate: 2026-01-02\nsource_repo_slug: repo\ntags: [a, b]", "A title", "2026-01-02", "repo", "a b"},
		"quoted":       {"title: \"Colons: and # signs\"\ntags: ['x y', \"z\"]", "Colons: and # signs", "", "", "x y z"},
		"block list":   {"tags:\n  - one\n  - '#two'\ntitle: T", "T", "", "", "one two"},
		"flush list":   {"tags:\n- one\n- two\ndate: today # a comment", "doc", "today", "", "one two"},
		"one tag":      {"tags: alone", "doc", "", "", "alone"},
		"created_at":   {"created_at: 2025-05-05", "doc", "2025-05-05", "", ""},
		"date wins":    {"created_at: 2025-05-05\ndate: 2026-06-06", "doc", "2026-06-06", "", ""},
		"other lists":  {"authors:\n  - me\ntags: [a]", "doc", "", "", "a"},
		"nested":       {"meta:\n  title: inner\ntitle: outer", "outer", "", "", ""},
		"capital keys": {"Title: T", "T", "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := embedded.Sections([]byte("---\n"+tt.front+"\n---\ntext"), "doc.md")
			if len(got) != 1 {
				t.Fatalf("got %d sections", len(got))
			}
			s := got[0]
			if s.Title != tt.title || s.Date != tt.date || s.SourceRepo != tt.repo || strings.Join(s.Tags, " ") != tt.tags || s.Text != "text" {
				t.Fatalf("got %+v", s.Passage)
			}
		})
	}
}

func TestALongSectionIsCutBetweenParagraphsAndLosesNothing(t *testing.T) {
	paragraph := strings.Repeat("word ", 199) + "end.\n\n"
	doc := "# A\n\n" + strings.Repeat(paragraph, 20)
	got := embedded.Sections([]byte(doc), "a.md")
	var all strings.Builder
	for _, s := range got {
		if len(s.Text) > embedded.MaxChunkBytes {
			t.Fatalf("a chunk has %d bytes", len(s.Text))
		}
		if !strings.HasSuffix(s.Text, "end.") {
			t.Errorf("a chunk ends inside a paragraph: …%q", s.Text[len(s.Text)-20:])
		}
		all.WriteString(s.Text)
	}
	if strip(all.String()) != strip(doc) || len(got) < 5 {
		t.Fatalf("%d chunks do not make the document", len(got))
	}
}

func TestTheLimitOfAChunk(t *testing.T) {
	for size, want := range map[int]int{embedded.MaxChunkBytes - 1: 1, embedded.MaxChunkBytes: 1, embedded.MaxChunkBytes + 1: 2} {
		if got := embedded.Sections([]byte(strings.Repeat("x", size)), "a.md"); len(got) != want {
			t.Errorf("%d bytes gave %d chunks, want %d", size, len(got), want)
		}
	}
}

func TestTheHashTellsEveryPartOfAPassage(t *testing.T) {
	base := embedded.Sections([]byte("---\ntitle: T\ntags: [a, b]\n---\ntext"), "a.md")[0]
	seen := map[string]bool{base.Hash: true}
	for _, doc := range []string{
		"---\ntitle: U\ntags: [a, b]\n---\ntext", "---\ntitle: T\ntags: [ab]\n---\ntext", "---\ntitle: T\ntags: [a, b]\n---\ntexts",
		"---\ntitle: T\ntags: [a, b]\ndate: x\n---\ntext", "---\ntitle: T\ntags: [a, b]\nsource_repo_slug: x\n---\ntext",
	} {
		s := embedded.Sections([]byte(doc), "a.md")[0]
		if seen[s.Hash] {
			t.Errorf("the hash of %q is not its own", doc)
		}
		seen[s.Hash] = true
	}
	if again := embedded.Sections([]byte("---\ntitle: T\ntags: [a, b]\n---\ntext"), "a.md")[0]; again.Hash != base.Hash {
		t.Error("the same document has another hash")
	}
}

func strip(s string) string { return strings.Join(strings.Fields(s), "") }

func FuzzSectionsLoseNoText(f *testing.F) {
	for _, seed := range []string{"# A\nb", "---\ntitle: x\n---\n# A\n", "```\n# x", "a\n===\n\nb\n---\n", "# é\n\xff\xfe", "####### x\n#\n##\n", "~~~~\n~~~\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, doc string) {
		var all strings.Builder
		for _, s := range embedded.Sections([]byte(doc), "a.md") {
			if !utf8.ValidString(s.Text) || !utf8.ValidString(s.Title) || len(s.Text) > embedded.MaxChunkBytes || strings.TrimSpace(s.Text) == "" {
				t.Fatalf("a bad section %q from %q", s.Text, doc)
			}
			all.WriteString(s.Text)
		}
		if strings.Contains(doc, "---") || strings.ContainsAny(doc, "#=") {
			return // front matter and bare headings are not in the texts
		}
		if got, want := strip(all.String()), strip(strings.TrimPrefix(strings.ToValidUTF8(strings.TrimPrefix(doc, "\uFEFF"), "\uFFFD"), "\uFEFF")); got != want {
			t.Fatalf("got %q, want %q", got, want)
		}
	})
}

func TestTheFrontMatterMaySayAnotherSourcePath(t *testing.T) {
	for front, want := range map[string]string{"source_path: notes/one.md": "notes/one.md", "source_path: \"a b.md\" ": "a b.md", "source_path:": "doc.md", "title: T": "doc.md"} {
		for _, s := range embedded.Sections([]byte("---\n"+front+"\n---\n# A\n\ntext\n\n# B\n\ntext"), "doc.md") {
			if s.SourcePath != want || s.Hash != embedded.Hash(s.Passage) {
				t.Errorf("%q: %q, want %q", front, s.SourcePath, want)
			}
		}
	}
}
