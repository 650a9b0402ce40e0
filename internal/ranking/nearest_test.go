package ranking

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestSignsAreOneBitEach(t *testing.T) {
	v := make([]float32, 70)
	v[0], v[63], v[64], v[69] = 1, 0.5, -1, 2
	got := Signs(v)
	if len(got) != 2 || got[0] != 1|1<<63 || got[1] != 1<<5 {
		t.Errorf("got %x", got)
	}
	if len(Signs(nil)) != 0 {
		t.Error("signs of nothing")
	}
}

func TestDotIsTheProduct(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 20 {
		a, b := make([]float32, n), make([]float32, n)
		want := 0.0
		for i := range a {
			a[i], b[i] = float32(r.NormFloat64()), float32(r.NormFloat64())
			want += float64(a[i]) * float64(b[i])
		}
		if got := Dot(a, b); math.Abs(got-want) > 1e-4 {
			t.Errorf("%d members: %v, want %v", n, got, want)
		}
	}
}

func TestNearestIsWhatSortingAllGives(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, size := range []int{0, 1, 5, 200} {
		rows := make([]uint64, size*2)
		for i := range rows {
			rows[i] = r.Uint64()
		}
		query := []uint64{r.Uint64(), r.Uint64()}
		keep := func(row int) bool { return row%3 != 0 }
		distance := func(row int) int {
			return bits.OnesCount64(rows[2*row]^query[0]) + bits.OnesCount64(rows[2*row+1]^query[1])
		}
		var all []int
		for row := range size {
			if keep(row) {
				all = append(all, row)
			}
		}
		slices.SortStableFunc(all, func(a, b int) int { return distance(a) - distance(b) })
		for _, n := range []int{0, 1, 3, size, size + 5} {
			if got, want := Nearest(rows, query, n, keep), all[:min(n, len(all))]; !slices.Equal(got, want) {
				t.Errorf("%d of %d: got %v, want %v", n, size, got, want)
			}
		}
	}
	if got := Nearest(nil, nil, 5, nil); got != nil {
		t.Errorf("no dimensions gave %v", got)
	}
}
