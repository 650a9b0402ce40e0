package minilm

import (
	"math"
	"runtime"
	"sync"
)

// vector runs the model over the pieces of one text.
func (m *Model) vector(tokens []int) []float32 {
	s, n := m.shape, len(tokens)
	x := make([]float32, n*s.Width)
	for i, token := range tokens {
		row := x[i*s.Width:][:s.Width]
		for j := range row {
			row[j] = m.embeds.words[token*s.Width+j] + m.embeds.positions[i*s.Width+j] + m.embeds.types[j]
		}
	}
	m.normalise(x, m.embeds.norm)
	q, k, v, mixed, out := make([]float32, len(x)), make([]float32, len(x)), make([]float32, len(x)), make([]float32, len(x)), make([]float32, len(x))
	inner := make([]float32, n*s.Inner)
	for i := range m.layers {
		l := &m.layers[i]
		l.query.apply(x, q)
		l.key.apply(x, k)
		l.value.apply(x, v)
		m.attend(q, k, v, mixed, n)
		l.mixed.apply(mixed, out)
		add(x, out)
		m.normalise(x, l.mixedNorm)
		l.inner.apply(x, inner)
		gelu(inner)
		l.outer.apply(inner, out)
		add(x, out)
		m.normalise(x, l.norm)
	}
	return mean(x, n, s.Width)
}

// apply multiplies every row of x, several outputs at a time on each core.
func (l *linear) apply(x, y []float32) {
	n := len(x) / l.in
	inParts(l.out, func(from, to int) {
		for o := from; o < to; o++ {
			w := l.rows[o*l.in:][:l.in]
			i := 0
			for ; i+4 <= n; i += 4 {
				a, b, c, d := dot4(w, x[i*l.in:][:l.in], x[(i+1)*l.in:][:l.in], x[(i+2)*l.in:][:l.in], x[(i+3)*l.in:][:l.in])
				y[i*l.out+o], y[(i+1)*l.out+o] = a+l.bias[o], b+l.bias[o]
				y[(i+2)*l.out+o], y[(i+3)*l.out+o] = c+l.bias[o], d+l.bias[o]
			}
			for ; i < n; i++ {
				row := x[i*l.in:][:l.in]
				a, _, _, _ := dot4(w, row, row, row, row)
				y[i*l.out+o] = a + l.bias[o]
			}
		}
	})
}

// dot4 multiplies one row with four at once, so that each member of it is loaded once.
func dot4(w, a, b, c, d []float32) (p, q, r, s float32) {
	a, b, c, d = a[:len(w)], b[:len(w)], c[:len(w)], d[:len(w)]
	var p1, q1, r1, s1 float32
	i := 0
	for ; i+2 <= len(w); i += 2 {
		v, u := w[i], w[i+1]
		p += v * a[i]
		q += v * b[i]
		r += v * c[i]
		s += v * d[i]
		p1 += u * a[i+1]
		q1 += u * b[i+1]
		r1 += u * c[i+1]
		s1 += u * d[i+1]
	}
	for ; i < len(w); i++ {
		p += w[i] * a[i]
		q += w[i] * b[i]
		r += w[i] * c[i]
		s += w[i] * d[i]
	}
	return p + p1, q + q1, r + r1, s + s1
}

// attend mixes the values of all pieces for each piece, a head at a time.
func (m *Model) attend(q, k, v, out []float32, n int) {
	width, size := m.shape.Width, m.shape.Width/m.shape.Heads
	scale := float32(1 / math.Sqrt(float64(size)))
	inParts(m.shape.Heads, func(from, to int) {
		weights := make([]float32, n)
		for head := from; head < to; head++ {
			for i := range n {
				query := q[i*width+head*size:][:size]
				top := float32(math.Inf(-1))
				for j := range n {
					sum := float32(0)
					for x, other := range k[j*width+head*size:][:size] {
						sum += query[x] * other
					}
					weights[j] = sum * scale
					top = max(top, weights[j])
				}
				total := float32(0)
				for j := range weights {
					weights[j] = float32(math.Exp(float64(weights[j] - top)))
					total += weights[j]
				}
				mixed := out[i*width+head*size:][:size]
				clear(mixed)
				for j, w := range weights {
					w /= total
					for x, value := range v[j*width+head*size:][:size] {
						mixed[x] += w * value
					}
				}
			}
		}
	})
}

// inParts shares the places from 0 to n among the cores.
func inParts(n int, do func(from, to int)) {
	parts := min(runtime.GOMAXPROCS(0), n)
	var wg sync.WaitGroup
	for p := range parts {
		wg.Go(func() { do(p*n/parts, (p+1)*n/parts) })
	}
	wg.Wait()
}

func add(x, y []float32) {
	for i := range x {
		x[i] += y[i]
	}
}

func gelu(x []float32) {
	inParts(len(x), func(from, to int) {
		for i, v := range x[from:to] {
			x[from+i] = float32(0.5 * float64(v) * (1 + math.Erf(float64(v)/math.Sqrt2)))
		}
	})
}

// normalise brings each row to mean 0 and variance 1, and scales its members.
func (m *Model) normalise(x []float32, s scaling) {
	width := m.shape.Width
	for ; len(x) > 0; x = x[width:] {
		row := x[:width]
		mean, square := 0.0, 0.0
		for _, v := range row {
			mean += float64(v)
		}
		mean /= float64(width)
		for _, v := range row {
			square += (float64(v) - mean) * (float64(v) - mean)
		}
		by := 1 / math.Sqrt(square/float64(width)+m.shape.Epsilon)
		for i, v := range row {
			row[i] = float32((float64(v)-mean)*by)*s.weight[i] + s.bias[i]
		}
	}
}

// mean gives the mean row at length one.
func mean(x []float32, n, width int) []float32 {
	sum := make([]float64, width)
	for i := range n {
		for j, v := range x[i*width:][:width] {
			sum[j] += float64(v)
		}
	}
	length := 0.0
	for _, v := range sum {
		length += v * v
	}
	length = math.Sqrt(length)
	out := make([]float32, width)
	for j, v := range sum {
		if length > 0 {
			out[j] = float32(v / length)
		}
	}
	return out
}
