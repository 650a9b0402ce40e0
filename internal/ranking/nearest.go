package ranking

import (
	"math/bits"
	"slices"
)

// Signs packs the signs of a vector's members, one bit each.
func Signs(v []float32) []uint64 {
	out := make([]uint64, (len(v)+63)/64)
	for i, x := range v {
		if x > 0 {
			out[i/64] |= 1 << (i % 64)
		}
	}
	return out
}

// Dot is the product of two vectors of the same length.
func Dot(a, b []float32) float64 {
	var s0, s1, s2, s3 float32
	i := 0
	for ; i+4 <= len(a) && i+4 <= len(b); i += 4 {
		s0 += a[i] * b[i]
		s1 += a[i+1] * b[i+1]
		s2 += a[i+2] * b[i+2]
		s3 += a[i+3] * b[i+3]
	}
	for ; i < len(a) && i < len(b); i++ {
		s0 += a[i] * b[i]
	}
	return float64(s0+s1) + float64(s2+s3)
}

// Nearest gives the places of the n rows whose signs differ least from the query's,
// of those that keep lets through, nearest first. rows holds len(query) words a row.
func Nearest(rows, query []uint64, n int, keep func(row int) bool) []int {
	width := len(query)
	if width == 0 || n <= 0 {
		return nil
	}
	distances := make([]uint16, len(rows)/width)
	counts := make([]int, width*64+2)
	const left = ^uint16(0)
	for row := range distances {
		if !keep(row) {
			distances[row] = left
			continue
		}
		d := 0
		for i, w := range rows[row*width : row*width+width] {
			d += bits.OnesCount64(w ^ query[i])
		}
		distances[row] = uint16(d)
		counts[d]++
	}
	bound, sum := 0, 0 // up to the bound there are n rows or all
	for ; bound < len(counts)-1 && sum+counts[bound] < n; bound++ {
		sum += counts[bound]
	}
	var found []int
	for row, d := range distances {
		if d != left && int(d) <= bound {
			found = append(found, row)
		}
	}
	slices.SortStableFunc(found, func(a, b int) int { return int(distances[a]) - int(distances[b]) })
	return found[:min(n, len(found))]
}
