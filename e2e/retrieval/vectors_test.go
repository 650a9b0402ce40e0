package retrieval_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"math"
	"os"
	"slices"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/corpus/minilm"
)

// vectorsFile holds a row for each text: 16 bytes of its sha256, then 384 members of
// its vector, as eighths of a percent of the largest.
const (
	vectorsFile = "testdata/vectors.int8"
	hashBytes   = 16
	dimensions  = 384
)

// kept is an embedder that looks vectors up by the hash of the text; what is not there
// it asks of the real model, where that is at hand.
type kept struct {
	vectors map[[hashBytes]byte][]int8
	model   *minilm.Model
	missed  int // texts that neither has
	made    int
}

var errNotKept = errors.New("the vector is not kept and the model is not at hand")

func openKept() (*kept, error) {
	k := &kept{vectors: map[[hashBytes]byte][]int8{}}
	file, err := os.ReadFile(vectorsFile)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	for ; len(file) >= hashBytes+dimensions; file = file[hashBytes+dimensions:] {
		v := make([]int8, dimensions)
		for i, b := range file[hashBytes : hashBytes+dimensions] {
			v[i] = int8(b)
		}
		k.vectors[[hashBytes]byte(file[:hashBytes])] = v
	}
	if m, err := minilm.Open("../../.cache/minilm", ""); err == nil {
		k.model = m
	}
	return k, nil
}

func hashOf(text string) [hashBytes]byte {
	sum := sha256.Sum256([]byte(text))
	return [hashBytes]byte(sum[:hashBytes])
}

func (k *kept) Model() agent.EmbeddingModel {
	return agent.EmbeddingModel{Name: minilm.Name, Dimensions: dimensions}
}

func (k *kept) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, text := range texts {
		hash := hashOf(text)
		if k.vectors[hash] == nil {
			if k.model == nil {
				k.missed++
				return nil, errNotKept
			}
			made, err := k.model.Embed(ctx, []string{text})
			if err != nil {
				return nil, err
			}
			k.vectors[hash] = small(made[0])
			k.made++
		}
		out[i] = large(k.vectors[hash])
	}
	return out, nil
}

// small keeps a vector in a quarter of its bytes.
func small(v []float32) []int8 {
	top := float32(0)
	for _, x := range v {
		top = max(top, x, -x)
	}
	out := make([]int8, len(v))
	for i, x := range v {
		out[i] = int8(math.Round(float64(x / top * 127)))
	}
	return out
}

func large(v []int8) []float32 {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = float32(float64(x) / math.Sqrt(sum))
	}
	return out
}

// save writes the vectors of the given texts, in the order of their hashes.
func (k *kept) save(texts []string) error {
	var rows [][]byte
	for _, text := range texts {
		hash := hashOf(text)
		row := slices.Clone(hash[:])
		for _, x := range k.vectors[hash] {
			row = append(row, byte(x))
		}
		rows = append(rows, row)
	}
	slices.SortFunc(rows, bytes.Compare)
	rows = slices.CompactFunc(rows, bytes.Equal)
	return os.WriteFile(vectorsFile, bytes.Join(rows, nil), 0o644)
}
