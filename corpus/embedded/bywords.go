package embedded

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"slices"
	"strings"

	"github.com/lossless-group/in-app-agent/internal/ranking"
)

// found is a candidate with the row it comes from.
type found struct {
	ranking.Candidate
	section int64
}

// byWords gives the tenant's best sections by words and adds its sums.
func (t *tenant) byWords(ctx context.Context, s *search, places map[string]bool) ([]found, error) {
	var sections, words int64
	if err := t.db.QueryRowContext(ctx, `SELECT sections, length FROM total`).Scan(&sections, &words); err != nil {
		return nil, err
	}
	holding := make([]int64, len(s.Terms))
	for i, term := range s.Terms {
		n, err := t.holding(ctx, term)
		if err != nil {
			return nil, err
		}
		holding[i] = n
		s.Found[i] += n
	}
	s.Sections += sections
	s.Words += words
	match := expression(s.Terms, holding, sections, s.vector != nil)
	if match == "" {
		return nil, nil
	}
	return t.sections(ctx, `SELECT `+columns+` FROM words JOIN section AS s ON s.id = words.rowid
		WHERE words MATCH ? AND s.area || '/' || s.collection IN (SELECT value FROM json_each(?))
		ORDER BY words.rank, s.id LIMIT ?`, match, placesJSON(places), maxCandidates)
}

const columns = `s.id, s.collection, s.source_path, s.position, s.title, s.source_repo, s.date, s.tags, s.body, s.length`

func placesJSON(places map[string]bool) string {
	var keys []string
	for key := range places {
		keys = append(keys, key)
	}
	text, _ := json.Marshal(keys) // strings always encode
	return string(text)
}

// sections reads sections by a query for the columns.
func (t *tenant) sections(ctx context.Context, query string, args ...any) ([]found, error) {
	rows, err := t.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // rows.Err tells what counts
	var list []found
	for rows.Next() {
		f, err := scan(rows)
		if err != nil {
			return nil, err
		}
		list = append(list, f)
	}
	return list, rows.Err()
}

func scan(rows *sql.Rows) (f found, err error) {
	var tags string
	if err := rows.Scan(&f.section, &f.Collection, &f.SourcePath, &f.Position, &f.Title, &f.SourceRepo,
		&f.Date, &tags, &f.Text, &f.Words); err != nil {
		return f, err
	}
	return f, json.Unmarshal([]byte(tags), &f.Tags)
}

// holding counts the sections that hold a word: the word itself, or, where no
// section has it, longer ones.
func (t *tenant) holding(ctx context.Context, term string) (n int64, err error) {
	const exact = `SELECT coalesce(sum(doc), 0) FROM vocabulary WHERE term = ?`
	const longer = `SELECT coalesce(sum(doc), 0) FROM vocabulary WHERE term > ? AND term < ?`
	err = t.db.QueryRowContext(ctx, exact, term).Scan(&n)
	if err != nil || n > 0 || !ranking.Extends(term) {
		return n, err
	}
	err = t.db.QueryRowContext(ctx, longer, term, term+"\U0010FFFF").Scan(&n)
	return n, err
}

// How many sections the words of an expression may stand in together: each one that
// matches costs about two microseconds.
const (
	maxMatches  = 5_000
	maxCommon   = 20_000 // of one word, where meaning finds candidates as well
	fewSections = 200    // are all looked at
)

// expression gives the FTS5 query of a tenant. Terms are letters and digits in
// quotes, so no text can be read as syntax. The rarest words find the candidates, and
// all words rank them: a common one only costs time. Where meaning finds candidates
// too, a query of common words alone is left to it.
func expression(terms []string, holding []int64, sections int64, fused bool) string {
	var order []int
	for i := range terms {
		if holding[i] > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(holding[a], holding[b]) })
	var quoted []string
	sum := int64(0)
	for n, i := range order {
		sum += holding[i]
		common := holding[i] > sections/4 && sections > fewSections || sum > maxMatches
		if n > 0 && common || fused && holding[i] > maxCommon {
			break
		}
		word := `"` + terms[i] + `"`
		if ranking.Extends(terms[i]) {
			word += " *"
		}
		quoted = append(quoted, word)
	}
	return strings.Join(quoted, " OR ")
}
