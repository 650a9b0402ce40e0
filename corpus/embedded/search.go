package embedded

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

// The limits of a search.
const (
	MaxResults    = 10
	maxTerms      = 32
	maxCandidates = 100 // of each tenant, for the common ranking
	minPrefix     = 4   // letters of a word that longer words may continue
)

// Search ranks over all scopes together. Any text is a good query: words that
// nothing has only do not help. A word of four letters or more also finds longer
// ones. Besides the port's errors: invalid_input (a name).
func (c *Corpus) Search(ctx context.Context, scopes []agent.Scope, q agent.CorpusQuery) ([]agent.Passage, error) {
	terms := termsOf(q.Query)
	results := min(max(q.Results, 1), MaxResults)
	byTenant := map[string][]agent.Scope{}
	for _, s := range scopes {
		if err := checkPlace(s); err != nil {
			return nil, err
		}
		if _, err := tenantFile(s.Tenant); err != nil {
			return nil, err
		}
		byTenant[s.Tenant] = append(byTenant[s.Tenant], s)
	}
	if len(terms) == 0 {
		return nil, nil
	}
	r := ranking{terms: terms, found: make([]int64, len(terms))}
	for name, places := range byTenant {
		if err := c.gather(ctx, name, places, &r); err != nil {
			return nil, trouble(err)
		}
	}
	return r.best(results), nil
}

// termsOf gives the distinct words of a query, the first maxTerms of them.
func termsOf(query string) []string {
	var terms []string
	for _, word := range fold(query) {
		if !slices.Contains(terms, word) && len(terms) < maxTerms {
			terms = append(terms, word)
		}
	}
	return terms
}

// gather adds a tenant's candidates and sums to a ranking.
func (c *Corpus) gather(ctx context.Context, name string, places []agent.Scope, r *ranking) error {
	t, err := c.tenant(ctx, name, false)
	if t == nil || err != nil {
		return err
	}
	defer c.release(t)
	var sections, words int64
	if err := t.db.QueryRowContext(ctx, `SELECT sections, length FROM total`).Scan(&sections, &words); err != nil {
		return err
	}
	found := make([]int64, len(r.terms))
	for i, term := range r.terms {
		if found[i], err = t.holding(ctx, term); err != nil {
			return err
		}
		r.found[i] += found[i]
	}
	r.sections += sections
	r.words += words
	match := expression(r.terms, found, sections)
	if match == "" {
		return nil
	}
	list, err := t.candidates(ctx, match, places)
	r.candidates = append(r.candidates, list...)
	return err
}

// holding counts the sections that hold a word: the word itself, or, where no
// section has it, longer ones.
func (t *tenant) holding(ctx context.Context, term string) (n int64, err error) {
	const exact = `SELECT coalesce(sum(doc), 0) FROM vocabulary WHERE term = ?`
	const longer = `SELECT coalesce(sum(doc), 0) FROM vocabulary WHERE term > ? AND term < ?`
	err = t.db.QueryRowContext(ctx, exact, term).Scan(&n)
	if err != nil || n > 0 || !extends(term) {
		return n, err
	}
	err = t.db.QueryRowContext(ctx, longer, term, term+"\U0010FFFF").Scan(&n)
	return n, err
}

// extends says whether longer words may stand for a term.
func extends(term string) bool { return len([]rune(term)) >= minPrefix }

// expression gives the FTS5 query of a tenant. Terms are letters and digits in
// quotes, so no text can be read as syntax. A word that stands in every fourth
// section is left out where a rarer one finds candidates: it only costs time.
func expression(terms []string, found []int64, sections int64) string {
	var rare, all []string
	for i, term := range terms {
		if found[i] == 0 {
			continue
		}
		quoted := `"` + term + `"`
		if extends(term) {
			quoted += " *"
		}
		all = append(all, quoted)
		if found[i] <= sections/4 {
			rare = append(rare, quoted)
		}
	}
	if len(rare) > 0 {
		return strings.Join(rare, " OR ")
	}
	return strings.Join(all, " OR ")
}

// candidates gives the best sections of a tenant by its own statistics.
func (t *tenant) candidates(ctx context.Context, match string, places []agent.Scope) ([]candidate, error) {
	keys := make([]string, 0, len(places))
	for _, p := range places {
		keys = append(keys, p.Database+"/"+p.Collection)
	}
	in, err := json.Marshal(keys)
	if err != nil {
		return nil, err
	}
	rows, err := t.db.QueryContext(ctx, `
		SELECT s.collection, s.source_path, s.position, s.title, s.source_repo, s.date, s.tags, s.body, s.length
		FROM words JOIN section AS s ON s.id = words.rowid
		WHERE words MATCH ? AND s.area || '/' || s.collection IN (SELECT value FROM json_each(?))
		ORDER BY words.rank, s.id LIMIT ?`, match, string(in), maxCandidates)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // rows.Err tells what counts
	var list []candidate
	for rows.Next() {
		var c candidate
		var tags string
		if err := rows.Scan(&c.Collection, &c.SourcePath, &c.position, &c.Title, &c.SourceRepo,
			&c.Date, &tags, &c.Text, &c.words); err != nil {
			return nil, err
		}
		if err := json.Unmarshal([]byte(tags), &c.Tags); err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, rows.Err()
}

// byScore orders best first, and the same way each time.
func byScore(a, b candidate) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.Collection, b.Collection),
		strings.Compare(a.SourcePath, b.SourcePath), cmp.Compare(a.position, b.position))
}
