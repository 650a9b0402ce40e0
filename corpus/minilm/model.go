package minilm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	agent "github.com/lossless-group/in-app-agent"
)

// Name is what vectors of the usual weights are called, also by the collections that
// exist already.
const Name = "all-MiniLM-L6-v2"

// maxTokens is how many pieces of a text are read.
const maxTokens = 256

// maxWeights bounds the file of tensors.
const maxWeights = 2 << 30

// Model is an agent.Embedder that computes in this process. It works on one text at a
// time, on all cores, and is safe for concurrent use.
type Model struct {
	name   string
	vocab  *vocabulary
	shape  shape
	embeds embeddings
	layers []layer

	one sync.Mutex // a text takes all cores already
}

var _ agent.Embedder = (*Model)(nil)

// shape is what config.json says of the build.
type shape struct {
	Width     int     `json:"hidden_size"`
	Inner     int     `json:"intermediate_size"`
	Heads     int     `json:"num_attention_heads"`
	Layers    int     `json:"num_hidden_layers"`
	Positions int     `json:"max_position_embeddings"`
	Words     int     `json:"vocab_size"`
	Types     int     `json:"type_vocab_size"`
	Epsilon   float64 `json:"layer_norm_eps"`
	Kind      string  `json:"model_type"`
	Act       string  `json:"hidden_act"`
}

func (s shape) check() error {
	for _, n := range []int{s.Width, s.Inner, s.Heads, s.Layers, s.Positions, s.Words, s.Types} {
		if n < 1 || n > 1<<20 {
			return errors.New("config.json does not say how large the model is")
		}
	}
	if s.Kind != "bert" || s.Act != "gelu" || s.Width%s.Heads != 0 || s.Width > 1<<13 || s.Inner > 1<<15 || s.Layers > 48 {
		return fmt.Errorf("config.json tells of a model of another build: %s, %s, %d heads of %d", s.Kind, s.Act, s.Heads, s.Width)
	}
	return nil
}

// Open reads the folder of a model; name is what its vectors are called, "" means
// Name. Errors: invalid_input (the folder).
func Open(dir, name string) (*Model, error) {
	if name == "" {
		name = Name
	}
	m := &Model{name: name}
	if err := m.read(dir); err != nil {
		return nil, &agent.Error{Code: agent.CodeInvalidInput, Message: "The folder of the embedding model cannot be used.",
			Hint: "It must hold config.json, tokenizer.json and model.safetensors as the model's makers publish them.", Cause: err}
	}
	return m, nil
}

func (m *Model) read(dir string) error {
	config, err := os.ReadFile(filepath.Join(dir, "config.json"))
	if err != nil {
		return err
	}
	m.shape.Epsilon = 1e-12
	if err := json.Unmarshal(config, &m.shape); err != nil {
		return err
	}
	if err := m.shape.check(); err != nil {
		return err
	}
	words, err := os.ReadFile(filepath.Join(dir, "tokenizer.json"))
	if err != nil {
		return err
	}
	if m.vocab, err = openVocabulary(words); err != nil {
		return fmt.Errorf("tokenizer.json: %w", err)
	}
	for word, id := range m.vocab.ids {
		if id < 0 || id >= m.shape.Words {
			return fmt.Errorf("tokenizer.json: %q has the number %d of %d", word, id, m.shape.Words)
		}
	}
	path := filepath.Join(dir, "model.safetensors")
	info, err := os.Stat(path)
	if err == nil && info.Size() > maxWeights {
		err = errors.New("model.safetensors is too large")
	}
	if err != nil {
		return err
	}
	file, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	t, err := openTensors(file)
	if err != nil {
		return err
	}
	return m.weights(t)
}

// Model names the model.
func (m *Model) Model() agent.EmbeddingModel {
	return agent.EmbeddingModel{Name: m.name, Dimensions: m.shape.Width}
}

// Embed computes the vectors one after the other; it ends early with the context.
func (m *Model) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if err := agent.CheckEmbed(texts); err != nil {
		return nil, err
	}
	out := make([][]float32, len(texts))
	for i, text := range texts {
		tokens := m.vocab.tokens(text, min(maxTokens, m.shape.Positions))
		m.one.Lock()
		err := ctx.Err()
		if err == nil {
			out[i] = m.vector(tokens)
		}
		m.one.Unlock()
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}
