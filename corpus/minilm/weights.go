package minilm

import "fmt"

// linear is a matrix with a row for each output, and what is added to each.
type linear struct {
	rows, bias []float32
	in, out    int
}

// scaling is the end of a normalisation.
type scaling struct{ weight, bias []float32 }

type embeddings struct {
	words, positions, types []float32
	norm                    scaling
}

type layer struct {
	query, key, value, mixed linear
	mixedNorm                scaling
	inner, outer             linear
	norm                     scaling
}

// reader reads tensors one after the other and keeps the first error.
type reader struct {
	*tensors
	err error
}

func (r *reader) get(name string, shape ...int) []float32 {
	if r.err != nil {
		return nil
	}
	var out []float32
	out, r.err = r.floats(name, shape...)
	return out
}

func (r *reader) linear(name string, in, out int) linear {
	return linear{r.get(name+".weight", out, in), r.get(name+".bias", out), in, out}
}

func (r *reader) scaling(name string, n int) scaling {
	return scaling{r.get(name+".weight", n), r.get(name+".bias", n)}
}

func (m *Model) weights(t *tensors) error {
	s := m.shape
	r := &reader{tensors: t}
	m.embeds = embeddings{
		words:     r.get("embeddings.word_embeddings.weight", s.Words, s.Width),
		positions: r.get("embeddings.position_embeddings.weight", s.Positions, s.Width),
		types:     r.get("embeddings.token_type_embeddings.weight", s.Types, s.Width),
		norm:      r.scaling("embeddings.LayerNorm", s.Width),
	}
	for i := range s.Layers {
		at := fmt.Sprintf("encoder.layer.%d.", i)
		m.layers = append(m.layers, layer{
			query:     r.linear(at+"attention.self.query", s.Width, s.Width),
			key:       r.linear(at+"attention.self.key", s.Width, s.Width),
			value:     r.linear(at+"attention.self.value", s.Width, s.Width),
			mixed:     r.linear(at+"attention.output.dense", s.Width, s.Width),
			mixedNorm: r.scaling(at+"attention.output.LayerNorm", s.Width),
			inner:     r.linear(at+"intermediate.dense", s.Width, s.Inner),
			outer:     r.linear(at+"output.dense", s.Inner, s.Width),
			norm:      r.scaling(at+"output.LayerNorm", s.Width),
		})
	}
	return r.err
}
