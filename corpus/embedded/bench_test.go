package embedded_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/corpus/embedded"
)

// zipf gives words as rare and as common as those of a language.
func zipf(seed uint64) func() string {
	z := rand.NewZipf(rand.New(rand.NewPCG(seed, 1)), 1.1, 4, 20_000)
	return func() string { // no word begins as another one does, as few do in a language
		n := z.Uint64() * 2654435761 % (1 << 32)
		letters := make([]byte, 7)
		for i := range letters {
			letters[i] = 'a' + byte(n%26)
			n /= 26
		}
		return string(letters)
	}
}

func text(word func() string, n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = word()
	}
	return strings.Join(words, " ")
}

// BenchmarkSearch asks four words of 1,000, 10,000 and 100,000 passages.
func BenchmarkSearch(b *testing.B) {
	for _, size := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			c := open(b)
			word := zipf(1)
			for path := 0; path < size; path += 1_000 {
				sections := make([]agent.Section, 1_000)
				for i := range sections {
					sections[i].Text, sections[i].Title = text(word, 120), text(word, 4)
				}
				if _, err := c.Put(context.Background(), global, fmt.Sprint(path), sections); err != nil {
					b.Fatal(err)
				}
			}
			query := zipf(2)
			for b.Loop() {
				if _, err := c.Search(context.Background(), []agent.Scope{global}, agent.CorpusQuery{Query: text(query, 4), Results: 5}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkPut stores documents of ten sections.
func BenchmarkPut(b *testing.B) {
	c := open(b)
	word := zipf(1)
	for i := 0; b.Loop(); i++ {
		var doc strings.Builder
		for range 10 {
			fmt.Fprintf(&doc, "## %s\n%s\n", text(word, 4), text(word, 120))
		}
		path := fmt.Sprintf("%d.md", i)
		if _, err := c.Put(context.Background(), global, path, embedded.Sections([]byte(doc.String()), path)); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*10)/b.Elapsed().Seconds(), "sections/s")
}
