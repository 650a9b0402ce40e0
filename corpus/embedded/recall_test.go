package embedded

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/ranking"
)

// clustered gives each text a vector near one of its centres, as topics are.
type clustered struct{ centres [][]float32 }

// newClustered has a centre for every fifty rows.
func newClustered(rows int) *clustered {
	c := &clustered{}
	for i := range rows / 50 {
		c.centres = append(c.centres, gaussian(rand.New(rand.NewPCG(7, uint64(i)))))
	}
	return c
}

func gaussian(r *rand.Rand) []float32 {
	v := make([]float32, 384)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return v
}

func (c *clustered) Model() agent.EmbeddingModel {
	return agent.EmbeddingModel{Name: "clustered", Dimensions: 384}
}

func (c *clustered) Embed(_ context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, text := range texts {
		h := fnv.New64a()
		_, _ = h.Write([]byte(text))
		r := rand.New(rand.NewPCG(h.Sum64(), 9))
		centre := c.centres[r.IntN(len(c.centres))]
		v, length := gaussian(r), 0.0
		for j := range v {
			v[j] = centre[j] + 0.9*v[j]
			length += float64(v[j]) * float64(v[j])
		}
		for j := range v {
			v[j] /= float32(math.Sqrt(length))
		}
		out[i] = v
	}
	return out, nil
}

func rows(short, usual int) int {
	if n, err := strconv.Atoi(os.Getenv("CORPUS_ROWS")); err == nil && n > 0 {
		return n
	}
	if testing.Short() || UnderRace {
		return short
	}
	return usual
}

// fill puts n sections of a few words each, a thousand a document.
func fill(tb testing.TB, c *Corpus, scope agent.Scope, n, words int) {
	tb.Helper()
	z := rand.NewZipf(rand.New(rand.NewPCG(1, 1)), 1.1, 4, 20_000)
	for path := 0; path < n; path += 1000 {
		sections := make([]agent.Section, min(1000, n-path))
		for i := range sections {
			text := fmt.Sprint(path + i)
			for range words {
				text += " w" + strconv.FormatUint(z.Uint64(), 36)
			}
			sections[i].Text, sections[i].Title = text, "Section "+strconv.Itoa(i)
		}
		if _, err := c.Put(context.Background(), scope, fmt.Sprint(path), sections); err != nil {
			tb.Fatal(err)
		}
	}
}

// TestCandidatesBySignsHoldWhatAScanFinds is the recall of the search by signs.
func TestCandidatesBySignsHoldWhatAScanFinds(t *testing.T) {
	ctx := context.Background()
	n := rows(2_000, 20_000)
	model := newClustered(n)
	c, err := Open(t.TempDir(), WithEmbedder(model))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	scope := agent.Scope{Tenant: agent.GlobalTenant, Collection: agent.CollectionChangelog}
	fill(t, c, scope, n, 3)
	tenant, err := c.tenant(ctx, scope.Tenant, false)
	if err != nil {
		t.Fatal(err)
	}
	defer c.release(tenant)
	if err := tenant.refresh(ctx, model.Model()); err != nil {
		t.Fatal(err)
	}
	all := slices.Clone(tenant.vectors.sections)
	if len(all) != n {
		t.Fatalf("%d rows are kept of %d", len(all), n)
	}
	const queries = 40
	hits := 0
	for i := range queries {
		made, _ := model.Embed(ctx, []string{fmt.Sprintf("query %d", i)})
		s := &search{vector: made[0], model: model.Model()}
		scan, err := tenant.compare(ctx, s, all)
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(all, func(a, b int64) int { return cmp.Or(cmp.Compare(scan[b], scan[a]), cmp.Compare(a, b)) })
		near := tenant.vectors.near(made[0], map[string]bool{"/" + scope.Collection: true})
		if len(near) != nearRows {
			t.Fatalf("%d candidates", len(near))
		}
		for _, id := range all[:5] {
			if slices.Contains(near, id) {
				hits++
			}
		}
	}
	recall := float64(hits) / (5 * queries)
	t.Logf("recall@5 of %d rows: %.4f", n, recall)
	if recall < 0.98 {
		t.Errorf("recall@5 is %.4f", recall)
	}
}

// BenchmarkFind asks four words of CORPUS_ROWS (100,000) passages with given vectors,
// and reports the percentiles.
func BenchmarkFind(b *testing.B) {
	n := rows(100_000, 100_000)
	model := newClustered(n)
	c, err := Open(b.TempDir(), WithEmbedder(model))
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	scope := agent.Scope{Tenant: agent.GlobalTenant, Collection: agent.CollectionChangelog}
	fill(b, c, scope, n, 80)
	z := rand.NewZipf(rand.New(rand.NewPCG(2, 1)), 1.1, 4, 20_000)
	ask := func() {
		query := ""
		for range 4 {
			query += " w" + strconv.FormatUint(z.Uint64(), 36)
		}
		found, err := c.Find(context.Background(), []agent.Scope{scope}, agent.CorpusQuery{Query: query, Results: 5})
		if err != nil || found.Ranking != agent.RankingHybrid || len(found.Passages) != 5 {
			b.Fatal(found.Ranking, len(found.Passages), err)
		}
	}
	first := time.Now()
	ask()
	b.ReportMetric(float64(time.Since(first).Milliseconds()), "first-ms")
	var took []time.Duration
	for b.Loop() {
		start := time.Now()
		ask()
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
}

// BenchmarkSigns finds the nearest 500 of 100,000 rows by their signs.
func BenchmarkSigns(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	rows := make([]uint64, 100_000*6)
	for i := range rows {
		rows[i] = r.Uint64()
	}
	query := rows[:6]
	for b.Loop() {
		ranking.Nearest(rows, query, nearRows, func(int) bool { return true })
	}
}
