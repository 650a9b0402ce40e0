package embedded_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/corpus/embedded"
)

const twoSections = "# One\nfirst alpha\n# Two\nsecond beta\n"

func TestPutTellsWhatChanged(t *testing.T) {
	c := open(t)
	for _, step := range []struct {
		what, doc string
		changed   int
	}{
		{"a new document", twoSections, 2},
		{"the same again", twoSections, 0},
		{"one section edited", strings.Replace(twoSections, "beta", "gamma", 1), 1},
		{"sections swapped", "# Two\nsecond gamma\n# One\nfirst alpha\n", 2}, // the document's title is in each
		{"one section gone", "# Two\nsecond gamma\n", 1},
		{"all gone", "", 1},
		{"nothing to nothing", "", 0},
	} {
		if got := mustPut(t, c, global, "doc.md", step.doc); got != step.changed {
			t.Fatalf("%s: %d changed, want %d", step.what, got, step.changed)
		}
	}
	if found := mustSearch(t, c, "alpha beta gamma first second", global); len(found) != 0 {
		t.Fatalf("what was removed is still found: %q", paths(found))
	}
}

func TestPutReplacesItsOwnPathOnly(t *testing.T) {
	c := open(t)
	mustPut(t, c, global, "a.md", "# A\nshared word")
	mustPut(t, c, global, "b.md", "# B\nshared word")
	mustPut(t, c, global, "a.md", "# A\nother")
	if got := paths(mustSearch(t, c, "shared", global)); got != "b.md" {
		t.Fatalf("found %q", got)
	}
}

func TestTheSameSectionTwiceIsStoredOnce(t *testing.T) {
	c := open(t)
	s := embedded.Sections([]byte("# A\nword"), "a.md")
	if n, err := c.Put(context.Background(), global, "a.md", append(s, s...)); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	if got := mustSearch(t, c, "word", global); len(got) != 1 {
		t.Fatalf("found %d", len(got))
	}
}

func TestWhatWasPutIsThereAfterReopening(t *testing.T) {
	dir := t.TempDir()
	c, err := embedded.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	mustPut(t, c, acme, "a.md", "# A\nlasting")
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Search(context.Background(), []agent.Scope{acme}, agent.CorpusQuery{Query: "x"}); agent.ErrorCode(err) != agent.CodeUnavailable {
		t.Fatalf("a closed corpus gave %v", err)
	}
	again, err := embedded.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = again.Close() }()
	if got := mustSearch(t, again, "lasting", acme); len(got) != 1 {
		t.Fatalf("found %d", len(got))
	}
	if n := mustPut(t, again, acme, "a.md", "# A\nlasting"); n != 0 {
		t.Fatalf("%d changed", n)
	}
}

func TestNamesThatAreNoPlainWordsReachNoFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "corpus")
	c, err := embedded.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	bad := []agent.Scope{
		{Tenant: "", Collection: "c"}, {Tenant: "../x", Collection: "c"}, {Tenant: "a/b", Collection: "c"},
		{Tenant: `a\b`, Collection: "c"}, {Tenant: "a%2fb", Collection: "c"}, {Tenant: "a\x00", Collection: "c"},
		{Tenant: "client__", Collection: "c"}, {Tenant: "client__Acme", Collection: "c"}, {Tenant: "client__1acme", Collection: "c"},
		{Tenant: "client__a--b", Collection: "c"}, {Tenant: "client__a_b", Collection: "c"}, {Tenant: "client__аcme", Collection: "c"},
		{Tenant: "client__" + strings.Repeat("a", 33), Collection: "c"}, {Tenant: "client__acme", Collection: ""},
		{Tenant: "client__acme", Collection: "../c"}, {Tenant: "client__acme", Collection: "c", Database: "x/y"},
	}
	for _, s := range bad {
		_, errPut := c.Put(context.Background(), s, "a.md", embedded.Sections([]byte("# A\nb"), "a.md"))
		_, errSearch := c.Search(context.Background(), []agent.Scope{s}, agent.CorpusQuery{Query: "b"})
		for _, err := range []error{errPut, errSearch} {
			if agent.ErrorCode(err) != agent.CodeInvalidInput {
				t.Errorf("%+v gave %v", s, err)
			}
		}
	}
	good := agent.Scope{Tenant: "client__" + strings.Repeat("a", 32), Collection: "c"}
	if _, err := c.Search(context.Background(), []agent.Scope{good}, agent.CorpusQuery{Query: "b"}); err != nil {
		t.Errorf("a slug of 32 characters gave %v", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 0 {
		t.Fatalf("searching made files: %v %v", entries, err)
	}
	if around, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(around) != 1 {
		t.Fatalf("something was written beside the folder: %v %v", around, err)
	}
}

func TestATenantFileThatIsALinkIsNotFollowed(t *testing.T) {
	dir := t.TempDir()
	c, err := embedded.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	mustPut(t, c, acme, "a.md", "# A\nsecret")
	if err := os.Symlink(filepath.Join(dir, "tenant-client__acme.db"), filepath.Join(dir, "tenant-client__globex.db")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	if _, err := c.Search(context.Background(), []agent.Scope{globex}, agent.CorpusQuery{Query: "secret"}); agent.ErrorCode(err) != agent.CodeUnavailable {
		t.Fatalf("got %v", err)
	}
}

func TestAFileThatIsNoDatabaseIsUnavailable(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "tenant-client__acme.db"), []byte("this is no database, and long enough to be read as one"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := embedded.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	_, err = c.Search(context.Background(), []agent.Scope{acme}, agent.CorpusQuery{Query: "x"})
	var ours *agent.Error
	if !errors.As(err, &ours) || ours.Code != agent.CodeUnavailable || strings.Contains(ours.Message, "database") {
		t.Fatalf("got %v", err)
	}
}

func TestLimitsOfPut(t *testing.T) {
	c := open(t)
	sized := func(n int) []agent.Section {
		return []agent.Section{{Passage: agent.Passage{Text: strings.Repeat("a", n)}}}
	}
	for name, tt := range map[string]struct {
		sections []agent.Section
		want     agent.Code
	}{
		"a section under the limit": {sections: sized(embedded.MaxSectionBytes - 1)},
		"a section at the limit":    {sections: sized(embedded.MaxSectionBytes)},
		"a section over the limit":  {sections: sized(embedded.MaxSectionBytes + 1), want: agent.CodeTooLarge},
		"as many as allowed":        {sections: make([]agent.Section, embedded.MaxSections)},
		"one too many":              {sections: make([]agent.Section, embedded.MaxSections+1), want: agent.CodeTooLarge},
	} {
		_, err := c.Put(context.Background(), global, name, tt.sections)
		if (err != nil || tt.want != "") && agent.ErrorCode(err) != tt.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestACancelledSearchStops(t *testing.T) {
	c := open(t)
	mustPut(t, c, global, "a.md", "# A\nb")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := c.Search(ctx, []agent.Scope{global}, agent.CorpusQuery{Query: "b"}); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
}

func TestMoreTenantsThanOpenFilesStillAnswer(t *testing.T) {
	c := open(t)
	slug := func(i int) agent.Scope {
		return agent.Scope{Tenant: agent.ClientTenant("t" + string(rune('a'+i/26)) + string(rune('a'+i%26))), Collection: "c"}
	}
	for i := range 70 {
		mustPut(t, c, slug(i), "a.md", "# A\nword")
	}
	for i := range 70 {
		if got := mustSearch(t, c, "word", slug(i)); len(got) != 1 {
			t.Fatalf("tenant %d: found %d", i, len(got))
		}
	}
}

func TestAFileOfALaterVersionIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "tenant-client__acme.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(`PRAGMA user_version = 3`); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	c, err := embedded.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	_, err = c.Put(context.Background(), acme, "a.md", embedded.Sections([]byte("# A\nb"), "a.md"))
	if agent.ErrorCode(err) != agent.CodeUnavailable || !strings.Contains(err.Error(), "schema version 3") {
		t.Fatalf("got %v", err)
	}
}
