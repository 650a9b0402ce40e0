package vault

import (
	"context"
	"errors"
	"fmt"

	agent "github.com/lossless-group/in-app-agent"
)

// checkRows is how many stored keys of each version a master key is tried on. One that
// opens proves it; a single row may have been damaged or moved.
const checkRows = 16

// Check proves that master keys are those that the stored keys were sealed with: of each
// version, one of the newest live keys opens. A wrong one would be noticed by whoever
// uses a key next, and what is stored meanwhile would open for nobody. damaged is how
// many of the tried rows do not open all the same. Errors: unavailable (a version is
// missing or is another key; the caller adds where it comes from), and the store's.
func Check(ctx context.Context, rows agent.KeyRows, m MasterKeys) (damaged int, err error) {
	sample, err := rows.SampleKeys(ctx, checkRows)
	if err != nil {
		return 0, err
	}
	opened, first := map[int]bool{}, map[int]error{}
	for _, row := range sample {
		switch _, err := m.open(row); {
		case err == nil:
			opened[row.KeyVersion] = true
		case errors.Is(err, errNotLoaded):
			return 0, wrongMaster(err, "The master key v%d is missing, and stored keys were sealed with it.", row.KeyVersion)
		default:
			damaged++
			if first[row.KeyVersion] == nil {
				first[row.KeyVersion] = err
			}
		}
	}
	for _, version := range m.Versions() {
		if err := first[version]; err != nil && !opened[version] {
			return 0, wrongMaster(err, "The master key v%d is not the one that the stored keys were sealed with.", version)
		}
	}
	return damaged, nil
}

func wrongMaster(cause error, format string, version int) error {
	e := agent.Wrap(agent.CodeUnavailable, cause, format, version)
	e.Hint = "Put the right one back from your backup. A new one opens nothing that is stored. " + GoneForGood
	return e
}

// GoneForGood says what is left to do when a master key is lost.
const GoneForGood = "If it is gone for good, end the stored keys (in-app-agent keys list, keys remove); then start again, and people store theirs anew."

// Masked is a vault without master keys: it lists keys and ends them, and neither opens
// nor stores any. It serves where the master key is lost.
func Masked(rows agent.KeyRows) (*Vault, error) {
	v, err := New(Config{Rows: rows, Master: MasterKeys{current: 1, keys: map[int]masterKey{1: randomMaster()}}})
	if err != nil {
		return nil, err
	}
	v.master = &ring{} // no key at all: sealing and opening fail
	return v, nil
}

// unopened tells of rows that were left as they are, because they do not open.
func unopened(rows []string) error {
	if len(rows) == 0 {
		return nil
	}
	e := agent.Wrap(agent.CodeInternal, fmt.Errorf("rows %v", rows), "%d stored keys do not open and were left as they are.", len(rows))
	if len(rows) == 1 {
		e.Message = "One stored key does not open and was left as it is."
	}
	e.Hint = "They were changed, or stored under another master key. End them with in-app-agent keys remove; their owners store them again."
	return e
}
