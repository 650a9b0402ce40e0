package corpustest

import (
	"context"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"unicode"

	agent "github.com/lossless-group/in-app-agent"
)

// meanings are words that mean the same to the Embedder.
var meanings = map[string]string{
	"automobile": "car", "vehicle": "car",
	"physician": "doctor", "surgeon": "doctor",
	"purchase": "buy", "acquire": "buy",
}

// Embedder is a deterministic agent.Embedder for tests: each word is a direction, and a
// few words that mean the same are one. It knows nothing else.
type Embedder struct {
	Name       string
	Dimensions int
	// Fails, when set, is what Embed gives.
	Fails error
	// Texts counts what was embedded.
	Texts atomic.Int64
}

var _ agent.Embedder = (*Embedder)(nil)

// NewEmbedder makes one of 384 dimensions.
func NewEmbedder() *Embedder { return &Embedder{Name: "words-for-tests", Dimensions: 384} }

// Model names it.
func (e *Embedder) Model() agent.EmbeddingModel {
	return agent.EmbeddingModel{Name: e.Name, Dimensions: e.Dimensions}
}

// Embed adds up the directions of the words of each text.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if err := agent.CheckEmbed(texts); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if e.Fails != nil {
		return nil, e.Fails
	}
	e.Texts.Add(int64(len(texts)))
	out := make([][]float32, len(texts))
	for i, text := range texts {
		out[i] = e.vector(text)
	}
	return out, nil
}

func (e *Embedder) vector(text string) []float32 {
	sum := make([]float64, e.Dimensions)
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for _, word := range append(words, "(text)") { // a text without words has a direction too
		if same, ok := meanings[word]; ok {
			word = same
		}
		h := fnv.New64a()
		_, _ = h.Write([]byte(e.Name + "\x00" + word)) // a hash takes everything
		direction := rand.New(rand.NewPCG(h.Sum64(), 0))
		for i := range sum {
			sum[i] += direction.NormFloat64()
		}
	}
	length := 0.0
	for _, x := range sum {
		length += x * x
	}
	out := make([]float32, len(sum))
	for i, x := range sum {
		out[i] = float32(x / math.Sqrt(length))
	}
	return out
}
