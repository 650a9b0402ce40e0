package main

import (
	"fmt"
	"strconv"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/server"
)

type doctorCacheCmd struct {
	common
	Thread string `help:"Id of the thread; without it the 20 newest are looked at." placeholder:"ID"`
}

// Run prints a line for each model call. It fails when one missed the cache for a
// reason that is a fault.
func (c *doctorCacheCmd) Run(e *env) error {
	at, err := c.databases()
	if err != nil {
		return err
	}
	found, err := server.CacheReports(e.ctx, at, agent.ThreadID(c.Thread))
	if err != nil {
		return err
	}
	faults := 0
	for i, th := range found {
		if i > 0 {
			fmt.Fprintln(e.stdout)
		}
		fmt.Fprintf(e.stdout, "thread %s of %s in %s\n", th.ThreadID, th.UserID, th.OrgID)
		if err := table(e.stdout, "TURN\tSTEP\tMODEL\tREAD\tCREATED\tREWRITTEN\tFOUND", th.Steps, cacheRow); err != nil {
			return err
		}
		faults += tellFindings(e, th.Steps)
	}
	if len(found) == 0 {
		fmt.Fprintln(e.stdout, "There is no thread yet.")
	}
	if faults > 0 {
		return &agent.Error{Code: agent.CodeInternal, Message: fmt.Sprintf("Model calls that could not read the prompt cache because of a fault: %d.", faults),
			Hint: "Find what is said of them above. In a test of your app, agenttest.StablePrefix fails for the same reasons."}
	}
	return nil
}

func cacheRow(s agent.CacheStep) []any {
	found := make([]string, 0, len(s.Findings))
	for _, f := range s.Findings {
		word := string(f.Cause)
		if !f.Expected {
			word += " (fault)"
		}
		found = append(found, word)
	}
	if len(found) == 0 {
		found = append(found, "-")
	}
	return []any{s.TurnIndex + 1, s.Step + 1, s.Model, reported(s.CacheRead), reported(s.CacheCreation), reported(s.RewrittenTokens), strings.Join(found, ", ")}
}

// reported tells a count of tokens; what was not reported is not 0.
func reported(n *int64) string {
	if n == nil {
		return "not reported"
	}
	return strconv.FormatInt(*n, 10)
}

// tellFindings explains each cause once, and counts the model calls with a fault.
func tellFindings(e *env, steps []agent.CacheStep) (faults int) {
	told := map[agent.CacheCause]bool{}
	for _, s := range steps {
		faulty := false
		for _, f := range s.Findings {
			faulty = faulty || !f.Expected
			if !told[f.Cause] {
				told[f.Cause] = true
				fmt.Fprintf(e.stdout, "%s: %s\n", f.Cause, f.Message)
			}
		}
		if faulty {
			faults++
		}
	}
	return faults
}
