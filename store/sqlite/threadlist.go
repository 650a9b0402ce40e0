package sqlite

import (
	"context"
	"encoding/base64"
	"math"
	"strconv"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

const selectThreads = `SELECT ` + threadColumns + threadTables + `
	WHERE h.org_id = ?1 AND h.user_id = ?2 AND (h.updated_at_ms, h.id) < (?3, ?4)
	AND (h.archived_at_ms IS NOT NULL) = ?5 AND (?6 = '' OR h.project_id = ?6)
	AND (?7 = '' OR h.title LIKE ?7 ESCAPE '\' OR EXISTS (SELECT 1 FROM agent_transcripts a
		WHERE a.org_id = ?1 AND a.project_id = h.project_id AND a.thread_id = h.id AND a.user_id = ?2
		AND (a.user_message LIKE ?7 ESCAPE '\' OR a.model_message LIKE ?7 ESCAPE '\')))
	ORDER BY h.updated_at_ms DESC, h.id DESC LIMIT ?8`

// maxSearchBytes bounds what is searched for.
const maxSearchBytes = 1000

// ThreadRowList lists the caller's threads, the one with the newest activity
// first. Q is looked for as it stands in titles and messages; only ASCII letters
// match in either case. Errors: invalid_input (a cursor that is none of ours, a Q
// over 1,000 bytes).
func (s *Store) ThreadRowList(ctx context.Context, q agent.ThreadQuery) (page agent.Page[agent.Thread], err error) {
	from, err := parseListCursor(q.Cursor)
	if err != nil {
		return page, err
	}
	if len(q.Q) > maxSearchBytes {
		return page, &agent.Error{Code: agent.CodeInvalidInput, Message: "The search text is too long.",
			Hint: "Search for at most 1,000 bytes.", Pointer: "/q"}
	}
	limit := pageSize(q.Limit)
	err = s.readAs(ctx, func(t *tx, who tenant) error {
		list, err := all(t, scanThread, selectThreads, who.org, who.user, from.at, from.id, q.Archived, q.ProjectID, pattern(q.Q), limit+1)
		if err != nil {
			return err
		}
		if len(list) > limit {
			list = list[:limit]
			page.Next = listCursor{list[limit-1].UpdatedAt, string(list[limit-1].ID)}.String()
		}
		page.Items = append([]agent.Thread{}, list...) // an empty page is a list, too
		return nil
	})
	return page, err
}

var likeEscaper = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// pattern gives the LIKE pattern that finds q anywhere and nothing else.
func pattern(q string) string {
	if q == "" {
		return ""
	}
	return "%" + likeEscaper.Replace(q) + "%"
}

// listCursor is the place after a thread in the list.
type listCursor struct {
	at int64
	id string
}

var listStart = listCursor{at: math.MaxInt64}

// String gives the opaque form that a client hands back.
func (c listCursor) String() string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.FormatInt(c.at, 10) + " " + c.id))
}

func parseListCursor(s string) (listCursor, error) {
	if s == "" {
		return listStart, nil
	}
	b, err := base64.RawURLEncoding.DecodeString(s)
	at, id, ok := strings.Cut(string(b), " ")
	n, errAt := strconv.ParseInt(at, 10, 64)
	if err != nil || errAt != nil || !ok || id == "" {
		return listCursor{}, &agent.Error{Code: agent.CodeInvalidInput, Message: "This cursor is none of ours.",
			Hint: "Start again without it.", Pointer: "/cursor"}
	}
	return listCursor{at: n, id: id}, nil
}
