package embedded

import (
	"context"
	"database/sql"
	"encoding/json"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/ranking"
)

// The limits of one Put.
const (
	MaxSectionBytes = agent.MaxSectionBytes
	MaxSections     = agent.MaxSections
)

// Put stores the sections of one source path in a transaction, replacing what
// that path had before. Sections whose hash is there already are left alone, so
// putting the same again changes nothing. changed counts sections that are new,
// or gone, whichever is more: an edited section is one. Besides the port's
// errors: invalid_input (a name), too_large.
func (c *Corpus) Put(ctx context.Context, scope agent.Scope, sourcePath string, sections []agent.Section) (changed int, err error) {
	if err := scope.Check(); err != nil {
		return 0, err
	}
	if err := agent.CheckSections(sections); err != nil {
		return 0, err
	}
	t, err := c.tenant(ctx, scope.Tenant, true)
	if err != nil {
		return 0, err
	}
	defer c.release(t)
	vectors, err := c.embedded(ctx, t, scope, sourcePath, sections)
	if err != nil {
		return 0, trouble(err)
	}
	tx, err := t.db.BeginTx(ctx, nil)
	if err != nil {
		return 0, trouble(err)
	}
	defer func() { _ = tx.Rollback() }() // does nothing after Commit
	p := &put{tx: tx, scope: scope, path: sourcePath, vectors: vectors}
	if c.embedder != nil {
		p.model = c.embedder.Model()
	}
	if changed, err = p.all(ctx, sections); err != nil {
		return 0, trouble(err)
	}
	return changed, trouble(tx.Commit())
}

// put is one running Put.
type put struct {
	tx    *sql.Tx
	scope agent.Scope
	path  string

	model             agent.EmbeddingModel
	vectors           map[string][]float32 // by hash, of sections that have none yet
	modelID, revision int64                // once a vector was written
}

func (p *put) all(ctx context.Context, sections []agent.Section) (changed int, err error) {
	old, err := p.stored(ctx)
	if err != nil {
		return 0, err
	}
	added := 0
	done := map[string]bool{}
	for i, s := range sections {
		hash := hashOf(s)
		if done[hash] {
			continue
		}
		done[hash] = true
		if id, stays := old[hash]; stays {
			delete(old, hash)
			if err := p.keep(ctx, i, hash, id); err != nil {
				return 0, err
			}
			continue
		}
		if err := p.add(ctx, i, hash, s.Passage); err != nil {
			return 0, err
		}
		added++
	}
	for _, id := range old {
		if err := p.remove(ctx, id); err != nil {
			return 0, err
		}
	}
	return max(added, len(old)), nil
}

// keep leaves a section as it is, at its place, and gives it the vector it lacks.
func (p *put) keep(ctx context.Context, position int, hash string, id int64) error {
	if _, err := p.tx.ExecContext(ctx, `UPDATE section SET position = ? WHERE id = ?`, position, id); err != nil {
		return err
	}
	if v := p.vectors[hash]; v != nil {
		return p.vector(ctx, id, v)
	}
	return nil
}

// stored gives the ids of the path's sections by hash.
func (p *put) stored(ctx context.Context) (map[string]int64, error) {
	rows, err := p.tx.QueryContext(ctx,
		`SELECT id, hash FROM section WHERE area = ? AND collection = ? AND source_path = ?`,
		p.scope.Database, p.scope.Collection, p.path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // rows.Err tells what counts
	found := map[string]int64{}
	for rows.Next() {
		var id int64
		var hash string
		if err := rows.Scan(&id, &hash); err != nil {
			return nil, err
		}
		found[hash] = id
	}
	return found, rows.Err()
}

func (p *put) add(ctx context.Context, position int, hash string, s agent.Passage) error {
	tags, err := json.Marshal(append([]string{}, s.Tags...))
	if err != nil {
		return err
	}
	title, tagged, body := ranking.Fold(s.Title), ranking.Fold(strings.Join(s.Tags, " ")), ranking.Fold(s.Text)
	words := len(title) + len(tagged) + len(body)
	res, err := p.tx.ExecContext(ctx, `INSERT INTO section
		(area, collection, source_path, position, hash, title, source_repo, date, tags, body, length)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		p.scope.Database, p.scope.Collection, p.path, position, hash,
		s.Title, s.SourceRepo, s.Date, string(tags), s.Text, words)
	if err != nil {
		return err
	}
	id, err := res.LastInsertId()
	if err != nil {
		return err
	}
	if _, err := p.tx.ExecContext(ctx, `INSERT INTO words (rowid, title, tags, body) VALUES (?, ?, ?, ?)`,
		id, strings.Join(title, " "), strings.Join(tagged, " "), strings.Join(body, " ")); err != nil {
		return err
	}
	if _, err = p.tx.ExecContext(ctx, `UPDATE total SET sections = sections + 1, length = length + ?`, words); err != nil {
		return err
	}
	if v := p.vectors[hash]; v != nil {
		return p.vector(ctx, id, v)
	}
	return nil
}

func (p *put) remove(ctx context.Context, id int64) error {
	if _, err := p.tx.ExecContext(ctx, `UPDATE total SET sections = sections - 1,
		length = length - (SELECT length FROM section WHERE id = ?)`, id); err != nil {
		return err
	}
	if _, err := p.tx.ExecContext(ctx, `DELETE FROM words WHERE rowid = ?`, id); err != nil {
		return err
	}
	if _, err := p.tx.ExecContext(ctx, `DELETE FROM vector WHERE section = ?`, id); err != nil {
		return err
	}
	_, err := p.tx.ExecContext(ctx, `DELETE FROM section WHERE id = ?`, id)
	return err
}

// Hash gives the hash of a section made from a passage.
func Hash(p agent.Passage) string { return p.Hash() }

func hashOf(s agent.Section) string {
	if s.Hash != "" {
		return s.Hash
	}
	return s.Passage.Hash()
}
