package embedded

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/ranking"
)

// embedBatch is how many sections are embedded at once.
const embedBatch = 32

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
	vectors := map[string][]float32{}
	var texts, hashes []string
	flush := func() error {
		if len(texts) == 0 {
			return nil
		}
		made, err := embed(ctx, c.embedder, texts)
		if err != nil {
			return err
		}
		for i, v := range made {
			vectors[hashes[i]] = v
		}
		texts, hashes = texts[:0], hashes[:0]
		return nil
	}
	size := 0
	for _, s := range sections {
		hash := hashOf(s)
		if _, made := vectors[hash]; made || have[hash] {
			continue
		}
		text := ranking.Embedded(s.Passage)
		if len(texts) == embedBatch || size+len(text) > agent.MaxEmbedBytes {
			if err := flush(); err != nil {
				return nil, err
			}
			size = 0
		}
		texts, hashes, size = append(texts, text), append(hashes, hash), size+len(text)
	}
	return vectors, flush()
}

// embed asks for vectors and checks that they are what was promised.
func embed(ctx context.Context, e agent.Embedder, texts []string) ([][]float32, error) {
	made, err := e.Embed(ctx, texts)
	if err != nil {
		return nil, err
	}
	if len(made) != len(texts) {
		return nil, fmt.Errorf("the embedder gave %d vectors for %d texts", len(made), len(texts))
	}
	for _, v := range made {
		if len(v) != e.Model().Dimensions {
			return nil, fmt.Errorf("the embedder gave a vector of %d members, not %d", len(v), e.Model().Dimensions)
		}
	}
	return made, nil
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
