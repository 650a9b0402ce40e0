package prompt

import agent "github.com/lossless-group/in-app-agent"

// LeadTurns is how many turns before a page have to be looked through for the model
// call that its first one follows: a turn by hand and one that failed early have none.
const LeadTurns = 8

// Report compares each model call of the last limit turns with the one before it.
// steps are those of turns, oldest first; turns before the last limit only lead up.
func Report(id agent.ThreadID, steps []agent.StepTrace, turns []agent.TurnID, limit int) agent.CacheReport {
	report := agent.CacheReport{ThreadID: id, Steps: []agent.CacheStep{}}
	first := max(0, len(turns)-limit)
	shown := map[agent.TurnID]bool{}
	for _, t := range turns[first:] {
		shown[t] = true
	}
	if first > 0 && first < len(turns) {
		report.Before = turns[first]
	}
	var last *agent.StepTrace
	for i := range steps {
		if shown[steps[i].TurnID] {
			report.Steps = append(report.Steps, Diagnose(last, steps[i]))
		}
		last = &steps[i]
	}
	return report
}
