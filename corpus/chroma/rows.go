package chroma

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/ranking"
)

// The metadata of a row. The tenant is its stamp; labels are the folded words that
// the document's text cannot be searched for: those of title, tags and repo, and those
// that folding changes.
const (
	metaTenant   = "tenant"
	metaPath     = "source_path"
	metaRepo     = "source_repo_slug"
	metaDate     = "created_at"
	metaTitle    = "title"
	metaTags     = "tags"
	metaHash     = "hash"
	metaPosition = "position"
	metaLength   = "length"
	metaLabels   = "labels"
)

// maxLabels bounds the labels of a row.
const maxLabels = 256

// Metadata is what a row of ours carries. A job that takes rows of another origin
// into a tenant writes them with it; a row without its stamp is never shown.
func Metadata(tenant string, s agent.Section, position int) map[string]any {
	tags, _ := json.Marshal(append([]string{}, s.Tags...)) // strings always encode
	meta := map[string]any{
		metaTenant: tenant, metaPath: s.SourcePath, metaRepo: s.SourceRepo, metaDate: s.Date, metaTitle: s.Title,
		metaTags: string(tags), metaHash: hashOf(s), metaPosition: position, metaLength: ranking.Length(s.Passage),
	}
	if labels := labelsOf(s.Passage); len(labels) > 0 { // an empty list is refused
		meta[metaLabels] = labels
	}
	return meta
}

func labelsOf(p agent.Passage) []string {
	labels := ranking.Fold(p.Title + " " + strings.Join(p.Tags, " ") + " " + p.SourceRepo)
	for _, word := range strings.Fields(p.Text) {
		if len(labels) >= maxLabels {
			break
		}
		for i := range len(word) {
			if word[i] >= utf8.RuneSelf {
				labels = append(labels, ranking.Fold(word)...)
				break
			}
		}
	}
	slices.Sort(labels)
	labels = slices.Compact(labels)
	return labels[:min(len(labels), maxLabels)]
}

func hashOf(s agent.Section) string {
	if s.Hash != "" {
		return s.Hash
	}
	return s.Passage.Hash()
}

// rowID is the same for the same section of the same path, so that putting it twice
// at once stores it once.
func rowID(path, hash string) string {
	sum := sha256.Sum256([]byte(path + "\x00" + hash))
	return hex.EncodeToString(sum[:16])
}

// stamped tells whether a row belongs to the place it was read from.
func stamped(p *place, meta map[string]any) bool { return text(meta, metaTenant) == p.scope.Tenant }

func text(meta map[string]any, key string) string {
	s, _ := meta[key].(string)
	return s
}

func number(meta map[string]any, key string) int {
	n, _ := meta[key].(float64)
	return int(n)
}

// candidate reads a row; ok is false where it lacks the stamp or the text.
func candidate(p *place, document *string, meta map[string]any) (c ranking.Candidate, ok bool) {
	if document == nil || !stamped(p, meta) {
		return c, false
	}
	c.Passage = agent.Passage{
		Text: *document, Title: text(meta, metaTitle), SourcePath: text(meta, metaPath), SourceRepo: text(meta, metaRepo),
		Date: text(meta, metaDate), Tags: tagsOf(meta[metaTags]), Collection: p.scope.Collection,
	}
	c.Position, c.Words = number(meta, metaPosition), int64(number(meta, metaLength))
	if c.Words == 0 {
		c.Words = int64(ranking.Length(c.Passage))
	}
	return c, true
}

// tagsOf reads tags as we write them, as a list, or with commas between.
func tagsOf(v any) []string {
	var tags []string
	switch v := v.(type) {
	case string:
		if json.Unmarshal([]byte(v), &tags) == nil {
			break
		}
		for _, tag := range strings.Split(v, ",") {
			if tag = strings.TrimSpace(tag); tag != "" {
				tags = append(tags, tag)
			}
		}
	case []any:
		for _, item := range v {
			if tag, ok := item.(string); ok {
				tags = append(tags, tag)
			}
		}
	}
	return tags
}
