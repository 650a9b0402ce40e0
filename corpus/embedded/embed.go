package embedded

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"math"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/ranking"
)

// embedded gives a vector for each section that has none of this model yet, by hash.
// It runs before the transaction, because a model takes its time.
func (c *Corpus) embedded(ctx context.Context, t *tenant, scope agent.Scope, path string, sections []agent.Section) (map[string][]float32, error) {
	if c.embedder == nil {
		return nil, nil
	}
	have, err := t.embeddedHashes(ctx, c.embedder.Model(), scope, path)
	if err != nil {
		return nil, err
	}
	var texts, hashes []string
	asked := map[string]bool{}
	for _, s := range sections {
		hash := hashOf(s)
		if !asked[hash] && !have[hash] {
			asked[hash] = true
			texts, hashes = append(texts, ranking.Embedded(s.Passage)), append(hashes, hash)
		}
	}
	made, err := agent.EmbedAll(ctx, c.embedder, texts)
	vectors := make(map[string][]float32, len(made))
	for i, v := range made {
		vectors[hashes[i]] = v
	}
	return vectors, err
}

// embeddedHashes tells which sections of a path have a vector of the model.
func (t *tenant) embeddedHashes(ctx context.Context, m agent.EmbeddingModel, scope agent.Scope, path string) (map[string]bool, error) {
	rows, err := t.db.QueryContext(ctx, `
		SELECT s.hash FROM section AS s JOIN vector AS v ON v.section = s.id JOIN model AS m ON m.id = v.model
		WHERE s.area = ? AND s.collection = ? AND s.source_path = ? AND m.name = ? AND m.dimensions = ?`,
		scope.Database, scope.Collection, path, m.Name, m.Dimensions)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // rows.Err tells what counts
	have := map[string]bool{}
	for rows.Next() {
		var hash string
		if err := rows.Scan(&hash); err != nil {
			return nil, err
		}
		have[hash] = true
	}
	return have, rows.Err()
}

// modelID finds a model's row; 0 where it has none.
func modelID(ctx context.Context, q interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}, m agent.EmbeddingModel) (id int64, err error) {
	err = q.QueryRowContext(ctx, `SELECT id FROM model WHERE name = ? AND dimensions = ?`, m.Name, m.Dimensions).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return id, err
}

// revise begins the writing of vectors: it gives the model's row and the revision.
func (p *put) revise(ctx context.Context) (err error) {
	if p.revision > 0 {
		return nil
	}
	if _, err = p.tx.ExecContext(ctx, `INSERT INTO model (name, dimensions) VALUES (?, ?) ON CONFLICT DO NOTHING`,
		p.model.Name, p.model.Dimensions); err != nil {
		return err
	}
	if p.modelID, err = modelID(ctx, p.tx, p.model); err != nil {
		return err
	}
	return p.tx.QueryRowContext(ctx, `UPDATE revision SET vectors = vectors + 1 RETURNING vectors`).Scan(&p.revision)
}

// vector stores a section's vector, in place of one by another model.
func (p *put) vector(ctx context.Context, id int64, v []float32) error {
	if err := p.revise(ctx); err != nil {
		return err
	}
	_, err := p.tx.ExecContext(ctx, `INSERT OR REPLACE INTO vector (section, model, revision, signs, members) VALUES (?, ?, ?, ?, ?)`,
		id, p.modelID, p.revision, signBytes(v), memberBytes(v))
	return err
}

func signBytes(v []float32) []byte {
	var out []byte
	for _, w := range ranking.Signs(v) {
		out = binary.LittleEndian.AppendUint64(out, w)
	}
	return out
}

func memberBytes(v []float32) []byte {
	out := make([]byte, 0, 4*len(v))
	for _, x := range v {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
	}
	return out
}

func members(b []byte, into []float32) []float32 {
	into = into[:0]
	for ; len(b) >= 4; b = b[4:] {
		into = append(into, math.Float32frombits(binary.LittleEndian.Uint32(b)))
	}
	return into
}
