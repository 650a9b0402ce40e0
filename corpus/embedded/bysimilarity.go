package embedded

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"slices"

	"github.com/lossless-group/in-app-agent/internal/ranking"
)

// bySimilarity compares the candidates by words, and the rows that are near by their
// signs, with the query exactly, and adds the most similar of those rows.
func (t *tenant) bySimilarity(ctx context.Context, s *search, places map[string]bool, list []found) ([]found, error) {
	if err := t.refresh(ctx, s.model); err != nil {
		return nil, err
	}
	near := t.vectors.near(s.vector, places)
	known := map[int64]bool{}
	for _, f := range list {
		known[f.section] = true
	}
	ids := slices.Clone(near)
	for id := range known {
		ids = append(ids, id)
	}
	similarity, err := t.compare(ctx, s, ids)
	if err != nil {
		return nil, err
	}
	var more []int64
	for _, id := range near {
		if _, there := similarity[id]; there && !known[id] {
			more = append(more, id)
		}
	}
	slices.SortFunc(more, func(a, b int64) int {
		return cmp.Or(cmp.Compare(similarity[b], similarity[a]), cmp.Compare(a, b))
	})
	added, err := t.byID(ctx, more[:min(len(more), maxSimilar)], places)
	if err != nil {
		return nil, err
	}
	list = append(list, added...)
	for i := range list {
		f := &list[i]
		f.Similarity, f.Known = similarity[f.section]
	}
	return list, nil
}

// compare gives the similarity of each section that has a vector of the model.
func (t *tenant) compare(ctx context.Context, s *search, ids []int64) (map[int64]float64, error) {
	in, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	rows, err := t.db.QueryContext(ctx, `
		SELECT v.section, v.members FROM json_each(?) AS wanted JOIN vector AS v ON v.section = wanted.value
		JOIN model AS m ON m.id = v.model WHERE m.name = ? AND m.dimensions = ?`, string(in), s.model.Name, s.model.Dimensions)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // rows.Err tells what counts
	out := make(map[int64]float64, len(ids))
	var raw sql.RawBytes
	v := make([]float32, 0, s.model.Dimensions)
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id, &raw); err != nil {
			return nil, err
		}
		if v = members(raw, v); len(v) == len(s.vector) {
			out[id] = ranking.Dot(v, s.vector)
		}
	}
	return out, rows.Err()
}

// byID reads sections that are still there and still in their places.
func (t *tenant) byID(ctx context.Context, ids []int64, places map[string]bool) ([]found, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	in, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	return t.sections(ctx, `SELECT `+columns+` FROM json_each(?) AS wanted JOIN section AS s ON s.id = wanted.value
		WHERE s.area || '/' || s.collection IN (SELECT value FROM json_each(?))`, string(in), placesJSON(places))
}
