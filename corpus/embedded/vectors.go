package embedded

import (
	"context"
	"encoding/binary"
	"sync"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/ranking"
)

// nearRows is how many rows, nearest by their signs, are compared exactly.
const nearRows = 500

// vectors keeps the signs of a tenant's vectors in memory: 48 bytes for one of 384
// members. A row whose section is gone stays until too many are; it finds nothing,
// because what is found is read from the file.
type vectors struct {
	mu       sync.RWMutex
	model    agent.EmbeddingModel
	modelID  int64
	revision int64
	rows     map[int64]int // by section
	sections []int64
	places   []int // into names
	names    []string
	signs    []uint64
}

// near gives the sections nearest to a query by their signs.
func (v *vectors) near(query []float32, places map[string]bool) []int64 {
	v.mu.RLock()
	defer v.mu.RUnlock()
	wanted := make([]bool, len(v.names))
	for i, name := range v.names {
		wanted[i] = places[name]
	}
	found := ranking.Nearest(v.signs, ranking.Signs(query), nearRows, func(row int) bool { return wanted[v.places[row]] })
	out := make([]int64, len(found))
	for i, row := range found {
		out[i] = v.sections[row]
	}
	return out
}

// refresh takes up what was written since, also by another process.
func (t *tenant) refresh(ctx context.Context, m agent.EmbeddingModel) error {
	v := &t.vectors
	var revision int64
	if err := t.db.QueryRowContext(ctx, `SELECT vectors FROM revision`).Scan(&revision); err != nil {
		return err
	}
	v.mu.RLock()
	current := v.model == m && v.revision == revision
	v.mu.RUnlock()
	if current {
		return nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.model != m || v.crowded(ctx, t) {
		v.model, v.modelID, v.revision = m, 0, 0
		v.rows, v.sections, v.places, v.names, v.signs = map[int64]int{}, nil, nil, nil, nil
	}
	var err error
	if v.modelID, err = modelID(ctx, t.db, m); err != nil {
		return err
	}
	latest, err := v.read(ctx, t)
	if err == nil {
		v.revision = max(latest, revision)
	}
	return err
}

// crowded tells whether more than every fourth row kept is of a section that is gone.
func (v *vectors) crowded(ctx context.Context, t *tenant) bool {
	var n int
	err := t.db.QueryRowContext(ctx, `SELECT count(*) FROM vector WHERE model = ?`, v.modelID).Scan(&n)
	return err == nil && len(v.sections) > 1000 && len(v.sections)-n > len(v.sections)/4
}

// read adds the rows written after the revision that is kept, and gives the latest.
func (v *vectors) read(ctx context.Context, t *tenant) (latest int64, err error) {
	rows, err := t.db.QueryContext(ctx, `
		SELECT v.section, v.revision, v.signs, s.area || '/' || s.collection
		FROM vector AS v JOIN section AS s ON s.id = v.section
		WHERE v.revision > ? AND v.model = ? ORDER BY v.revision`, v.revision, v.modelID)
	if err != nil {
		return 0, err
	}
	defer func() { _ = rows.Close() }() // rows.Err tells what counts
	for rows.Next() {
		var id, revision int64
		var signs []byte
		var place string
		if err := rows.Scan(&id, &revision, &signs, &place); err != nil {
			return 0, err
		}
		v.set(id, place, signs)
		latest = max(latest, revision)
	}
	return latest, rows.Err()
}

func (v *vectors) set(id int64, place string, signs []byte) {
	width := (v.model.Dimensions + 63) / 64
	if len(signs) != 8*width {
		return // the file was tampered with; the section is found by its words
	}
	row, known := v.rows[id]
	if !known {
		row = len(v.sections)
		v.rows[id] = row
		v.sections, v.places = append(v.sections, id), append(v.places, 0)
		v.signs = append(v.signs, make([]uint64, width)...)
	}
	v.places[row] = v.place(place)
	for i := range width {
		v.signs[row*width+i] = binary.LittleEndian.Uint64(signs[8*i:])
	}
}

func (v *vectors) place(name string) int {
	for i, n := range v.names {
		if n == name {
			return i
		}
	}
	v.names = append(v.names, name)
	return len(v.names) - 1
}
