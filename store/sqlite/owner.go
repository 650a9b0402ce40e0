package sqlite

import (
	"context"
	"fmt"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/failpoint"
)

const (
	insertOwner = `INSERT INTO owners (id, started_at_ms, renewed_at_ms) VALUES (?1, ?2, ?2)
		ON CONFLICT (id) DO UPDATE SET renewed_at_ms = excluded.renewed_at_ms`

	forgetOwners = `DELETE FROM owners WHERE id <> ? AND NOT EXISTS
		(SELECT 1 FROM turns t WHERE t.owner = owners.id AND t.state = 'running')`

	renewOwner = `UPDATE owners SET renewed_at_ms = ? WHERE id = ?`

	// The + keeps the order from choosing the plan: few turns run, many have ended.
	selectOrphans = `SELECT ` + turnColumns + ` FROM turns t WHERE t.state = 'running' AND t.owner <> ? ORDER BY +t.n`

	updateStopped = `UPDATE turns SET stop_by = ? WHERE id = ? AND org_id = ? AND user_id = ? AND state = 'running' AND stop_by = ''`

	updateAdopted = `UPDATE turns SET owner = ?1, run = run + 1
		WHERE id = ?2 AND org_id = ?3 AND user_id = ?4 AND state = 'running' AND run = ?5`
)

// RegisterOwner writes the process's row and forgets dead processes that left no
// turn behind. Errors: unavailable (the store was opened beside a server).
func (s *Store) RegisterOwner(ctx context.Context, owner string, at int64) error {
	if s.beside {
		return agent.Errorf(agent.CodeUnavailable, "This program runs beside the server and cannot own turns.")
	}
	return s.app.write(ctx, false, func(t *tx) error {
		if _, err := t.exec(insertOwner, owner, at); err != nil {
			return err
		}
		if err := loseHeld(t, at, selectHeldOfOthers, owner); err != nil {
			return err
		}
		_, err := t.exec(forgetOwners, owner)
		return err
	})
}

// RenewOwner renews the process's row. Errors: not_found (it never registered).
func (s *Store) RenewOwner(ctx context.Context, owner string, at int64) error {
	return s.app.write(ctx, false, func(t *tx) error {
		n, err := t.exec(renewOwner, at, owner)
		if err == nil && n == 0 {
			err = agent.NotFound("owner")
		}
		return err
	})
}

// Orphans gives the running turns of every other owner, oldest first, of all
// tenants. The lock on the app database proves that those owners are dead.
func (s *Store) Orphans(ctx context.Context, owner string) (turns []agent.Turn, err error) {
	err = s.app.read(ctx, func(t *tx) (err error) {
		turns, err = all(t, scanTurn, selectOrphans, owner)
		return err
	})
	return turns, err
}

// Adopt raises the run of a running turn, if it is still the given one, and makes
// owner its owner. Errors: not_found, conflict.
func (s *Store) Adopt(ctx context.Context, id agent.TurnID, owner string, run int64) (turn agent.Turn, err error) {
	if owner == "" {
		return turn, internal(fmt.Errorf("adopt of turn %s without an owner", id))
	}
	err = s.writeAs(ctx, false, func(t *tx, who tenant) error {
		statement := updateAdopted
		if failpoint.Planted("no_fencing") {
			statement = strings.Replace(statement, "run + 1", "run", 1)
		}
		n, err := t.exec(statement, owner, id, who.org, who.user, run)
		if err != nil {
			return err
		}
		if turn, err = findTurn(t, who, id); err == nil && n == 0 {
			err = agent.Errorf(agent.CodeConflict, "The turn does not run any more, or somebody was faster.")
		}
		if err == nil {
			err = loseHeld(t, s.now(), selectHeldOfTurn, id, who.org, who.user)
		}
		return err
	})
	if err != nil {
		return agent.Turn{}, err
	}
	return turn, nil
}

// StopTurn notes that a running turn was told to stop. It is on the disk when it
// returns: nobody wants a stopped turn to go on after a power cut. Errors: not_found.
func (s *Store) StopTurn(ctx context.Context, id agent.TurnID, by string) error {
	return s.writeAs(ctx, true, func(t *tx, who tenant) error {
		if _, err := findHead(t, who, id); err != nil {
			return err
		}
		_, err := t.exec(updateStopped, by, id, who.org, who.user)
		return err
	})
}
