package dididecks

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"
)

// StaleAfter is how old a proposal gets before it is flagged and removed, and an
// export before it is removed.
const StaleAfter = 7 * 24 * time.Hour

// Cleaned tells what a clean-up did.
type Cleaned struct {
	Removed []string // side branches, as "deck: branch"
	Kept    []string // old ones whose preview can still be answered
	Exports int      // files
}

// CleanBranches removes the side branches of proposals that are StaleAfter old,
// but those that isOpen says can still be answered, and exports of that age. Only
// branches that we made are touched. isOpen may be nil. What cannot be removed is
// tried again next time; the errors come joined.
func (a *App) CleanBranches(ctx context.Context, now time.Time, isOpen func(branch string) bool) (Cleaned, error) {
	var done Cleaned
	var problems []error
	for _, d := range a.decks {
		branches, err := d.repo.Branches(ctx, SidePrefix)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		for _, b := range branches {
			if !b.Ours || now.Unix()-b.When < int64(StaleAfter.Seconds()) {
				continue
			}
			if isOpen != nil && isOpen(b.Name) {
				done.Kept = append(done.Kept, d.ID+": "+b.Name)
				continue
			}
			if err := d.repo.DeleteBranch(ctx, b.Name, b.Tip); err != nil {
				problems = append(problems, err)
				continue
			}
			a.log.Info("removed a stale proposal", "deck", d.ID, "branch", b.Name)
			done.Removed = append(done.Removed, d.ID+": "+b.Name)
		}
		n, err := removeOld(a.exportDir(d), now)
		done.Exports += n
		problems = append(problems, err)
	}
	return done, errors.Join(problems...)
}

func removeOld(dir string, now time.Time) (int, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	removed := 0
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() || now.Sub(info.ModTime()) < StaleAfter {
			continue
		}
		if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
			return removed, err
		}
		removed++
	}
	return removed, nil
}
