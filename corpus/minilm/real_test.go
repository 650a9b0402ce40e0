package minilm_test

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/lossless-group/in-app-agent/corpus/minilm"
)

// realModel opens the folder that MINILM_DIR names, or that .ci/deps minilm filled, or
// skips.
func realModel(tb testing.TB) *minilm.Model {
	tb.Helper()
	dir := os.Getenv("MINILM_DIR")
	if dir == "" {
		dir = "../../.cache/minilm"
		if _, err := os.Stat(dir); err != nil {
			tb.Skip("all-MiniLM-L6-v2 is not there: run .ci/deps minilm, or name its folder with MINILM_DIR")
		}
	}
	m, err := minilm.Open(dir, "")
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// TestTheRealWeightsGiveTheVectorsOfTheReference compares with the vectors that another
// implementation made of the same weights, kept in testdata.
func TestTheRealWeightsGiveTheVectorsOfTheReference(t *testing.T) {
	if underRace {
		t.Skip("it computes, and nothing runs beside it")
	}
	m := realModel(t)
	raw, err := os.ReadFile("testdata/reference.json")
	if err != nil {
		t.Fatal(err)
	}
	var want []struct {
		Text   string
		Vector []float64
	}
	if err := json.Unmarshal(raw, &want); err != nil || len(want) == 0 {
		t.Fatal(len(want), err)
	}
	for _, w := range want {
		got := embedded(t, m, w.Text)[0]
		worst := 0.0
		for i, x := range w.Vector {
			worst = math.Max(worst, math.Abs(x-float64(got[i])))
		}
		if worst > 1e-4 {
			t.Errorf("%.40q differs by %v", w.Text, worst)
		}
	}
}

// BenchmarkRealWeights embeds a short text and one of about 128 pieces.
func BenchmarkRealWeights(b *testing.B) {
	m := realModel(b)
	for name, text := range map[string]string{"short": "how do I deploy", "128": strings.Repeat("word here ", 63)} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				embedded(b, m, text)
			}
		})
	}
}
