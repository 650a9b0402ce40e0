package retrieval_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/corpus/chroma"
	"github.com/lossless-group/in-app-agent/corpus/chroma/chromatest"
	"github.com/lossless-group/in-app-agent/corpus/embedded"
)

const root = "../.."

var (
	place = agent.Scope{Tenant: agent.GlobalTenant, Collection: agent.CollectionContextVigilance}
	pages = []string{"README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/turn.md", "docs/decisions/*.md", "docs/guides/*.md", "docs/reference/*.md"}
)

// question is one that a person wrote, with the section that answers it.
type question struct{ text, path, title string }

func questions(t *testing.T) (out []question) {
	t.Helper()
	raw, err := os.ReadFile("testdata/questions.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		if line[0] == '#' {
			continue
		}
		parts := strings.Split(line, "|")
		out = append(out, question{strings.TrimSpace(parts[0]), strings.TrimSpace(parts[1]), strings.TrimSpace(parts[2])})
	}
	return out
}

func (q question) answeredBy(p agent.Passage) bool {
	return p.SourcePath == q.path && strings.Contains(strings.ToLower(p.Title), strings.ToLower(q.title))
}

// documents gives the sections of the project's own pages by path.
func documents(t *testing.T) map[string][]agent.Section {
	t.Helper()
	out := map[string][]agent.Section{}
	for _, pattern := range pages {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			path := strings.TrimPrefix(filepath.ToSlash(file), root+"/")
			out[path] = embedded.Sections(text, path)
		}
	}
	return out
}

// score is the share of questions whose answer is among the first five, and the mean
// of one through its place.
type score struct{ recall, reciprocal float64 }

func scoreOf(t *testing.T, list []question, find func(q question) []agent.Passage) (s score) {
	t.Helper()
	for _, q := range list {
		found := find(q)
		at := slices.IndexFunc(found, q.answeredBy)
		if at >= 0 && at < 5 {
			s.recall += 1 / float64(len(list))
			s.reciprocal += 1 / float64(at+1) / float64(len(list))
		} else {
			t.Logf("not among five: %s", q.text)
		}
	}
	return s
}

// backEnds open an empty corpus of each kind that ranks by meaning and words, and one
// that ranks by words alone. Chroma takes nothing without vectors, so there both are one
// database.
var backEnds = []struct {
	name string
	open func(t *testing.T, k *kept) (fused, words agent.Corpus, apart bool)
}{{"embedded", openEmbedded}, {"Chroma", openChroma}}

// TestTheQuestionsAreAnsweredByMeaningAndWords puts the pages in, asks, and holds the
// fused ranking against each of its parts. With UPDATE_VECTORS=1 it writes the
// vectors of the pages as they are now.
func TestTheQuestionsAreAnsweredByMeaningAndWords(t *testing.T) {
	if underRace {
		t.Skip("it computes, and nothing runs beside it")
	}
	k, err := openKept()
	if err != nil {
		t.Fatal(err)
	}
	list, docs := questions(t), documents(t)
	m := scoreOf(t, list, func(q question) []agent.Passage { return nearest(t, k, docs, q.text) })
	for _, end := range backEnds {
		t.Run(end.name, func(t *testing.T) {
			fused, words, apart := end.open(t, k)
			total, without := 0, 0
			for path, sections := range docs {
				total += len(sections)
				if apart {
					put(t, words, path, sections)
				}
				if err := tryPut(fused, path, sections); err != nil { // an edited page, and no model at hand
					without += len(sections)
				}
			}
			if without*5 > total {
				t.Fatalf("%d of %d sections have no kept vector: run .ci/deps minilm, then UPDATE_VECTORS=1 go test ./e2e/retrieval", without, total)
			}
			h := scoreOf(t, list, func(q question) []agent.Passage { return search(t, fused, q.text) })
			w := scoreOf(t, list, func(q question) []agent.Passage { return search(t, words, q.text) })
			t.Logf("%d questions, %d sections (%d without a vector, %d made now)", len(list), total, without, k.made)
			t.Logf("hybrid R@5 %.2f MRR %.3f, words R@5 %.2f MRR %.3f, meaning R@5 %.2f MRR %.3f", h.recall, h.reciprocal, w.recall, w.reciprocal, m.recall, m.reciprocal)
			if h.recall < 0.80-1e-9 || h.recall < w.recall-1e-9 || h.recall < m.recall-1e-9 {
				t.Error("the fused ranking is under 0.80 or below one of its parts")
			}
		})
	}
	if os.Getenv("UPDATE_VECTORS") != "" {
		update(t, k, list, docs)
	}
}

func openEmbedded(t *testing.T, k *kept) (fused, words agent.Corpus, apart bool) {
	t.Helper()
	open := func(options ...embedded.Option) agent.Corpus {
		c, err := embedded.Open(t.TempDir(), options...)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
	return open(embedded.WithEmbedder(k)), open(), true
}

func openChroma(t *testing.T, k *kept) (fused, words agent.Corpus, apart bool) {
	t.Helper()
	open := func(e agent.Embedder) agent.Corpus {
		c, err := chroma.New(chroma.Config{URL: server.URL(t), Embedder: e, HTTP: &http.Client{Timeout: time.Minute}})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	return open(k), open(nil), false
}

// server is the real Chroma of this package's tests.
var server *chromatest.Server

func TestMain(m *testing.M) {
	os.Exit(func() int {
		server = chromatest.Start(root)
		defer server.Stop()
		return m.Run()
	}())
}

func tryPut(c agent.Corpus, path string, sections []agent.Section) error {
	_, err := c.Put(context.Background(), place, path, sections)
	return err
}

func put(t *testing.T, c agent.Corpus, path string, sections []agent.Section) {
	t.Helper()
	if err := tryPut(c, path, sections); err != nil {
		t.Fatal(err)
	}
}

func search(t *testing.T, c agent.Corpus, text string) []agent.Passage {
	t.Helper()
	found, err := c.Search(context.Background(), []agent.Scope{place}, agent.CorpusQuery{Query: text, Results: 5})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// nearest ranks by the vectors alone, with a scan.
func nearest(t *testing.T, k *kept, docs map[string][]agent.Section, text string) []agent.Passage {
	t.Helper()
	query, err := k.Embed(context.Background(), []string{text})
	if err != nil {
		t.Fatal(err)
	}
	var all []agent.Passage
	for _, sections := range docs {
		for _, s := range sections {
			v, err := k.Embed(context.Background(), []string{embeddedText(s.Passage)})
			if err != nil {
				continue
			}
			s.Passage.Score = 0
			for i, x := range v[0] {
				s.Passage.Score += float64(x) * float64(query[0][i])
			}
			all = append(all, s.Passage)
		}
	}
	slices.SortFunc(all, func(a, b agent.Passage) int {
		switch {
		case a.Score > b.Score:
			return -1
		case a.Score < b.Score:
			return 1
		}
		return strings.Compare(a.Hash(), b.Hash())
	})
	return all[:min(5, len(all))]
}

// embeddedText is the text of a passage as the corpora embed it.
func embeddedText(p agent.Passage) string { return p.Title + "\n\n" + p.Text }

// update keeps the vectors that are needed and no others.
func update(t *testing.T, k *kept, list []question, docs map[string][]agent.Section) {
	t.Helper()
	var texts []string
	for _, q := range list {
		texts = append(texts, q.text)
	}
	for _, sections := range docs {
		for _, s := range sections {
			texts = append(texts, embeddedText(s.Passage))
		}
	}
	if err := k.save(texts); err != nil {
		t.Fatal(err)
	}
}
