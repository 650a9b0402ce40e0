package agent

import "context"

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
