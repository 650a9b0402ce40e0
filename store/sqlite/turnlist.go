package sqlite

import (
	"context"
	"slices"

	agent "github.com/lossless-group/in-app-agent"
)

// The lists differ in the index that serves them: all turns, those of a state (the
// inbox), those of a thread. The + leaves the last one the thread's index only.
const (
	selectPlace = `SELECT n FROM turns WHERE id = ? AND org_id = ? AND user_id = ?`

	selectTurns = `SELECT ` + turnColumns + ` FROM turns t
		WHERE t.org_id = ? AND t.user_id = ? AND t.n < ? ORDER BY t.n DESC LIMIT ?`

	selectTurnsInState = `SELECT ` + turnColumns + ` FROM turns t
		WHERE t.org_id = ? AND t.user_id = ? AND t.n < ? AND t.state = ? ORDER BY t.n DESC LIMIT ?`

	selectTurnsOfThread = `SELECT ` + turnColumns + ` FROM turns t
		WHERE t.thread_id = ?1 AND +t.org_id = ?2 AND +t.user_id = ?3 AND t.n < ?4 AND (?5 = '' OR t.state = ?5)
		ORDER BY t.ordinal DESC LIMIT ?6`
)

// Page sizes of the lists: what is asked for without a limit, and at most.
const (
	defaultPage = 50
	maxPage     = 200
)

func pageSize(limit int) int {
	if limit <= 0 {
		return defaultPage
	}
	return min(limit, maxPage)
}

var turnStates = []agent.TurnState{agent.TurnRunning, agent.TurnAwaiting, agent.TurnComplete, agent.TurnFailed, agent.TurnCanceled}

// TurnList lists the caller's turns, newest first: in the order of acceptance,
// whatever the clock did. Errors: invalid_input (an unknown state, or a Before that
// names no turn of the caller).
func (s *Store) TurnList(ctx context.Context, q agent.TurnQuery) (page agent.Page[agent.Turn], err error) {
	if q.State != "" && !slices.Contains(turnStates, q.State) {
		return page, &agent.Error{Code: agent.CodeInvalidInput, Message: "There is no such state of a turn.", Pointer: "/state"}
	}
	limit := pageSize(q.Limit)
	err = s.readAs(ctx, func(t *tx, who tenant) error {
		before, err := placeBefore(t, who, q.Before)
		if err != nil {
			return err
		}
		turns, err := listTurns(t, who, q, before, limit+1)
		if err != nil {
			return err
		}
		if len(turns) > limit {
			turns = turns[:limit]
			page.Next = string(turns[limit-1].ID)
		}
		page.Items = append([]agent.Turn{}, turns...) // an empty page is a list, too
		return addOpenCalls(t, who, page.Items)
	})
	return page, err
}

func placeBefore(t *tx, who tenant, id agent.TurnID) (int64, error) {
	if id == "" {
		return 1 << 62, nil
	}
	n, ok, err := one(t, plain[int64], selectPlace, id, who.org, who.user)
	if err == nil && !ok {
		err = &agent.Error{Code: agent.CodeInvalidInput, Message: "There is no such turn to list from.",
			Hint: "Start again without it.", Pointer: "/before"}
	}
	return n, err
}

func listTurns(t *tx, who tenant, q agent.TurnQuery, before int64, limit int) ([]agent.Turn, error) {
	switch {
	case q.ThreadID != "":
		return all(t, scanTurn, selectTurnsOfThread, q.ThreadID, who.org, who.user, before, q.State, limit)
	case q.State != "":
		return all(t, scanTurn, selectTurnsInState, who.org, who.user, before, q.State, limit)
	default:
		return all(t, scanTurn, selectTurns, who.org, who.user, before, limit)
	}
}
