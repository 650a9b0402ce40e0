package chroma

import (
	"cmp"
	"context"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/lossless-group/in-app-agent/internal/ranking"
)

const (
	maxAsked  = 12    // words of a query that are looked for
	maxHolds  = 1_000 // rows of one word; one that has more is common and finds nothing
	atOnce    = 6     // requests to one collection
	minLetter = 3     // letters of a word that the server can look up quickly
)

// byWords finds the rows that hold words of the query. The rarest words count most;
// the best rows are then read and ranked like all others.
func (g *gathering) byWords(ctx context.Context) error {
	asked := askable(g.terms)
	hits := make([]map[string]bool, len(g.terms))
	labelled, err := g.byLabels(ctx, asked)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	slots := make(chan struct{}, atOnce)
	for _, i := range asked {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			found, err := g.holds(ctx, variants(g.query, g.terms[i]))
			if err != nil {
				cancel(err)
			}
			hits[i] = found
		})
	}
	wg.Wait()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if err := g.read(ctx, g.vote(asked, hits, labelled)); err != nil {
		return err
	}
	g.estimate(asked)
	return nil
}

// estimate says of the terms that were not looked for how many rows hold them, by the
// share of those that were read: a term that nothing is known of would count as the
// rarest of all.
func (g *gathering) estimate(asked []int) {
	for i, term := range g.terms {
		if slices.Contains(asked, i) || len(g.found) == 0 {
			continue
		}
		holding := int64(0)
		for _, c := range g.found {
			if holdsAny(c, []string{term}) {
				holding++
			}
		}
		g.holding[i] = holding * g.sections / int64(len(g.found))
	}
}

// askable gives the places of the terms that are looked for, the longest first: they
// tend to be the rarest. A word of one or two letters is looked for only where there
// is no other, or where it is no Latin word.
func askable(terms []string) []int {
	var long, short []int
	for i, term := range terms {
		if r, _ := utf8.DecodeRuneInString(term); utf8.RuneCountInString(term) >= minLetter || r > unicode.MaxLatin1 {
			long = append(long, i)
		} else {
			short = append(short, i)
		}
	}
	if len(long) == 0 {
		long = short
	}
	slices.SortStableFunc(long, func(a, b int) int { return cmp.Compare(len(terms[b]), len(terms[a])) })
	return long[:min(len(long), maxAsked)]
}

// variants gives the spellings of a term that a document is looked through for: the
// term in small letters, capitals and as a name, and as it stands in the query.
func variants(query, term string) []string {
	r, size := utf8.DecodeRuneInString(term)
	out := []string{term, strings.ToUpper(term), string(unicode.ToUpper(r)) + term[size:]}
	for _, word := range strings.FieldsFunc(query, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.M, r) }) {
		if folded := ranking.Fold(word); len(folded) == 1 && folded[0] == term {
			out = append(out, word)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// holds gives the rows whose document contains one of the spellings.
func (g *gathering) holds(ctx context.Context, spellings []string) (map[string]bool, error) {
	var contains []map[string]any
	for _, s := range spellings {
		contains = append(contains, map[string]any{"$contains": s})
	}
	var rows got
	err := g.c.call(ctx, http.MethodPost, g.p.records("get"), map[string]any{
		"where": equal(metaTenant, g.p.scope.Tenant), "where_document": anyOf(contains...), "include": []string{}, "limit": maxHolds,
	}, &rows)
	found := make(map[string]bool, len(rows.IDs))
	for _, id := range rows.IDs {
		found[id] = true
	}
	return found, err
}

// byLabels gives the rows that have a term among their labels, by term.
func (g *gathering) byLabels(ctx context.Context, asked []int) (map[string]map[string]bool, error) {
	var labels []map[string]any
	for _, i := range asked {
		labels = append(labels, map[string]any{metaLabels: map[string]any{"$contains": g.terms[i]}})
	}
	if len(labels) == 0 {
		return nil, nil
	}
	var rows got
	err := g.c.call(ctx, http.MethodPost, g.p.records("get"), map[string]any{
		"where": all(equal(metaTenant, g.p.scope.Tenant), anyOf(labels...)), "include": []string{"metadatas"}, "limit": maxHolds,
	}, &rows)
	found := map[string]map[string]bool{}
	for i, id := range rows.IDs {
		list, _ := rows.meta(i)[metaLabels].([]any)
		for _, label := range list {
			term, _ := label.(string)
			if found[term] == nil {
				found[term] = map[string]bool{}
			}
			found[term][id] = true
		}
	}
	return found, err
}

// vote gives the rows that hold the most and the rarest terms, the best first.
func (g *gathering) vote(asked []int, hits []map[string]bool, labelled map[string]map[string]bool) []string {
	votes := map[string]float64{}
	for _, i := range asked {
		rows := hits[i]
		common := len(rows) == maxHolds
		for id := range labelled[g.terms[i]] {
			rows[id] = true
		}
		g.holding[i] = int64(len(rows))
		if common {
			g.holding[i] = max(g.sections/2, maxHolds)
			for id := range rows {
				votes[id] += 0 // a candidate where no rarer word finds others
			}
			continue
		}
		weight := math.Log(1 + float64(g.sections)/float64(max(len(rows), 1)))
		for id := range rows {
			votes[id] += weight
			if labelled[g.terms[i]][id] {
				votes[id] += weight // a word of the title counts more
			}
		}
	}
	ids := make([]string, 0, len(votes))
	for id := range votes {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b string) int { return cmp.Or(cmp.Compare(votes[b], votes[a]), cmp.Compare(a, b)) })
	return ids[:min(len(ids), maxByWords)]
}

// read adds the rows that are not known yet. Vectors come with them where they compare.
func (g *gathering) read(ctx context.Context, ids []string) error {
	ids = slices.DeleteFunc(ids, func(id string) bool { _, known := g.found[id]; return known })
	if len(ids) == 0 {
		return nil
	}
	include := []string{"documents", "metadatas"}
	compare := g.vector != nil && g.p.comparable(g.c.cfg.Embedder.Model())
	if compare {
		include = append(include, "embeddings")
	}
	var rows got
	if err := g.c.call(ctx, http.MethodPost, g.p.records("get"), map[string]any{
		"ids": ids, "where": equal(metaTenant, g.p.scope.Tenant), "include": include,
	}, &rows); err != nil {
		return err
	}
	for i, id := range rows.IDs {
		found, ok := candidate(g.p, rows.document(i), rows.meta(i))
		if !ok || !slices.Contains(ids, id) || !holdsAny(found, g.terms) {
			continue
		}
		if compare && i < len(rows.Embeddings) && len(rows.Embeddings[i]) == len(g.vector) {
			v := rows.Embeddings[i]
			if length := math.Sqrt(ranking.Dot(v, v)); length > 0 {
				found.Similarity, found.Known = ranking.Dot(v, g.vector)/length, true
			}
		}
		g.found[id] = found
	}
	return nil
}

// holdsAny drops a row that only contains a term in the middle of a word.
func holdsAny(c ranking.Candidate, terms []string) bool {
	for _, word := range ranking.Fold(c.Title + " " + strings.Join(c.Tags, " ") + " " + c.SourceRepo + " " + c.Text) {
		for _, term := range terms {
			if word == term || ranking.Extends(term) && strings.HasPrefix(word, term) {
				return true
			}
		}
	}
	return false
}
