package agent

import (
	"context"
	"fmt"
)

// EmbeddingModel names what makes vectors. Vectors of models with different names
// are never compared.
type EmbeddingModel struct {
	Name       string
	Dimensions int
}

// The limits of one Embed.
const (
	MaxEmbedTexts = 128
	MaxEmbedBytes = 1 << 20 // of all texts together
)

// Embedder turns texts into vectors of length one, so that the product of two is
// their similarity, from -1 to 1. Callers: the corpus adapters and the notes.
type Embedder interface {
	// Model is fixed for the life of the embedder.
	Model() EmbeddingModel
	// Embed gives one vector for each text, in order; a text longer than the model
	// reads counts by its beginning. Errors: invalid_input (no text, or over the
	// limits), unavailable, timeout, rate_limited, key_invalid.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// CheckEmbed refuses a batch over the limits of Embed. Callers: embedders.
func CheckEmbed(texts []string) error {
	if len(texts) == 0 || len(texts) > MaxEmbedTexts {
		return Errorf(CodeInvalidInput, "From 1 to %d texts can be embedded at once.", MaxEmbedTexts)
	}
	size := 0
	for _, text := range texts {
		size += len(text)
	}
	if size > MaxEmbedBytes {
		return Errorf(CodeInvalidInput, "At most %d bytes of text can be embedded at once.", MaxEmbedBytes)
	}
	return nil
}

// embedBatch is how many texts EmbedAll hands over at once.
const embedBatch = 32

// EmbedAll embeds any number of texts, a batch at a time, and checks that what came
// is what the model promises. Errors: as Embed. Callers: the corpus adapters.
func EmbedAll(ctx context.Context, e Embedder, texts []string) ([][]float32, error) {
	var all [][]float32
	for len(texts) > 0 {
		n, size := 1, len(texts[0])
		for n < min(len(texts), embedBatch) && size+len(texts[n]) <= MaxEmbedBytes {
			size += len(texts[n])
			n++
		}
		made, err := e.Embed(ctx, texts[:n])
		if err != nil {
			return nil, err
		}
		if len(made) != n {
			return nil, Wrap(CodeUnavailable, fmt.Errorf("%d vectors for %d texts", len(made), n), "The embedder gave an answer of another form.")
		}
		for _, v := range made {
			if len(v) != e.Model().Dimensions {
				return nil, Wrap(CodeUnavailable, fmt.Errorf("a vector of %d members, not %d", len(v), e.Model().Dimensions),
					"The embedder gave an answer of another form.")
			}
		}
		all, texts = append(all, made...), texts[n:]
	}
	return all, nil
}
