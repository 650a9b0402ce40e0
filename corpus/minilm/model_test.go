package minilm_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/corpus/minilm"
)

// tiny is the folder of a model of two layers with random weights.
func tiny(t testing.TB, change func(config map[string]any, vocab map[string]int)) string {
	t.Helper()
	vocab := map[string]int{}
	for i, word := range []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "car", "rent", "##al", "##s", ",", "cafe", "日"} {
		vocab[word] = i
	}
	const width, inner, layers = 8, 12, 2
	config := map[string]any{"hidden_size": width, "intermediate_size": inner, "num_attention_heads": 2, "num_hidden_layers": layers,
		"max_position_embeddings": 16, "vocab_size": len(vocab), "type_vocab_size": 2, "model_type": "bert", "hidden_act": "gelu", "layer_norm_eps": 1e-12}
	words := len(vocab)
	if change != nil {
		change(config, vocab)
	}
	header, data := map[string]any{}, []byte{}
	r := rand.New(rand.NewPCG(1, 2))
	tensor := func(name string, shape ...int) {
		n := 1
		for _, s := range shape {
			n *= s
		}
		from := len(data)
		for range n {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(r.NormFloat64())))
		}
		header[name] = map[string]any{"dtype": "F32", "shape": shape, "data_offsets": []int{from, len(data)}}
	}
	tensor("embeddings.word_embeddings.weight", words, width)
	tensor("embeddings.position_embeddings.weight", 16, width)
	tensor("embeddings.token_type_embeddings.weight", 2, width)
	pair := func(name string, shape ...int) { tensor(name+".weight", shape...); tensor(name+".bias", shape[0]) }
	pair("embeddings.LayerNorm", width)
	for i := range layers {
		at := fmt.Sprintf("encoder.layer.%d.", i)
		for _, name := range []string{"attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"} {
			pair(at+name, width, width)
		}
		pair(at+"attention.output.LayerNorm", width)
		pair(at+"intermediate.dense", inner, width)
		pair(at+"output.dense", width, inner)
		pair(at+"output.LayerNorm", width)
	}
	dir := t.TempDir()
	head, _ := json.Marshal(header)
	write := func(name string, b []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("model.safetensors", append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(head))), head...), data...))
	raw, _ := json.Marshal(config)
	write("config.json", raw)
	raw, _ = json.Marshal(map[string]any{"model": map[string]any{"type": "WordPiece", "vocab": vocab}})
	write("tokenizer.json", raw)
	return dir
}

func embedded(t testing.TB, m *minilm.Model, texts ...string) [][]float32 {
	t.Helper()
	out, err := m.Embed(context.Background(), texts)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestATextHasOneVectorOfLengthOne(t *testing.T) {
	m, err := minilm.Open(tiny(t, nil), "tiny")
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Model(); got != (agent.EmbeddingModel{Name: "tiny", Dimensions: 8}) {
		t.Errorf("model %+v", got)
	}
	texts := []string{"a car, rental", "A CAR, Rental", "rentals a", "", "?", "a a a a a a a a a a a a a a a a a a a a", "caf\u00e9", "cafe\u0301", "cafe"}
	got := embedded(t, m, texts...)
	for i, v := range got {
		sum := 0.0
		for _, x := range v {
			sum += float64(x) * float64(x)
		}
		if math.Abs(sum-1) > 1e-5 {
			t.Errorf("%q has length %v", texts[i], math.Sqrt(sum))
		}
		if alone := embedded(t, m, texts[i])[0]; fmt.Sprint(alone) != fmt.Sprint(v) {
			t.Errorf("%q depends on its batch", texts[i])
		}
	}
	if fmt.Sprint(got[0]) != fmt.Sprint(got[1]) || fmt.Sprint(got[6]) != fmt.Sprint(got[7]) || fmt.Sprint(got[7]) != fmt.Sprint(got[8]) {
		t.Error("case or diacritics change a vector")
	}
	if fmt.Sprint(got[0]) == fmt.Sprint(got[2]) {
		t.Error("two texts have one vector")
	}
}

func TestACancelledBatchStops(t *testing.T) {
	m, err := minilm.Open(tiny(t, nil), "")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := m.Embed(ctx, []string{"a"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, err := m.Embed(context.Background(), nil); agent.ErrorCode(err) != agent.CodeInvalidInput {
		t.Errorf("no text: %v", err)
	}
}

func TestAFolderThatIsNoModelIsRefused(t *testing.T) {
	for name, dir := range map[string]string{
		"empty":           t.TempDir(),
		"missing":         filepath.Join(t.TempDir(), "none"),
		"another width":   tiny(t, func(c map[string]any, _ map[string]int) { c["hidden_size"] = 10 }),
		"another kind":    tiny(t, func(c map[string]any, _ map[string]int) { c["model_type"] = "gpt2" }),
		"too many layers": tiny(t, func(c map[string]any, _ map[string]int) { c["num_hidden_layers"] = 3 }),
		"odd heads":       tiny(t, func(c map[string]any, _ map[string]int) { c["num_attention_heads"] = 3 }),
		"no size":         tiny(t, func(c map[string]any, _ map[string]int) { delete(c, "vocab_size") }),
		"no begin":        tiny(t, func(_ map[string]any, v map[string]int) { delete(v, "[CLS]") }),
		"a word outside":  tiny(t, func(_ map[string]any, v map[string]int) { v["beyond"] = 99 }),
	} {
		if _, err := minilm.Open(dir, ""); agent.ErrorCode(err) != agent.CodeInvalidInput {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzTensorsOfAnyBytes(f *testing.F) {
	dir := tiny(f, nil)
	good, err := os.ReadFile(filepath.Join(dir, "model.safetensors"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte{1, 0, 0, 0, 0, 0, 0, 0, '{'})
	f.Fuzz(func(t *testing.T, file []byte) {
		if err := os.WriteFile(filepath.Join(dir, "model.safetensors"), file, 0o600); err != nil {
			t.Fatal(err)
		}
		if m, err := minilm.Open(dir, ""); err == nil {
			embedded(t, m, "a car")
		}
	})
}
