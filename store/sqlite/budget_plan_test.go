package sqlite

import (
	"fmt"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

// Sums are many: a row for each user, thread and model of a month. What every step
// touches must find its own few by the whole key.
func TestAStepFindsItsSumsByTheirWholeKey(t *testing.T) {
	s := openAt(t, Config{})
	for name, query := range map[string]string{"moveTotals": moveTotals, "insertHeld": insertHeld, "selectSoft": selectSoft} {
		var plan []string
		must(t, s.app.read(t.Context(), func(t *tx) (err error) {
			plan, err = all(t, func(s scanner) (detail string, err error) {
				var id, parent, unused int
				return detail, s.Scan(&id, &parent, &unused, &detail)
			}, "EXPLAIN QUERY PLAN "+query, make([]any, 17)...)
			return err
		}))
		found := false
		for _, line := range plan {
			if strings.Contains(line, "(org_id=? AND month=?") {
				found = true
				if !strings.Contains(line, "(org_id=? AND month=? AND scope=? AND subject=?)") {
					t.Errorf("%s: %s", name, line)
				}
			}
		}
		if !found {
			t.Errorf("%s does not look at the sums: %v", name, plan)
		}
	}
}

func TestTokenCapsOfTheAuthDatabaseCountBesideTheBudgets(t *testing.T) {
	s := openAt(t, Config{})
	seed(t, s)
	turn := begin(t, s, "t1")
	reserve := func(id string, tokens int64) agent.BudgetAnswer {
		r := reservation(id, turn)
		r.Tokens = tokens
		a, err := s.ReserveBudget(asUser, r)
		must(t, err)
		return a
	}
	for i, c := range []struct {
		change string
		fits   bool
	}{{"token_cap_hard = 999", false}, {"token_cap_hard = 1000", true}, {"token_cap_hard = 1999, token_cap_soft = 1", false}, {"token_cap_hard = 2000", true}, {"token_cap_hard = NULL, token_cap_soft = NULL", true}} {
		behind(t, s.auth, `UPDATE orgs SET `+c.change+` WHERE id = 'o'`)
		must(t, s.RefreshPolicies(t.Context()))
		if a := reserve(fmt.Sprint("r", i), 1000); (a.Refused == nil) != c.fits {
			t.Errorf("%s: %+v", c.change, a)
		}
	}
	if n := number(t, s.app, `SELECT count(*) FROM org_caps`); n != 0 {
		t.Errorf("%d caps are left of an org without one", n)
	}
}
