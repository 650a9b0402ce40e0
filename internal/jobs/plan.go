package jobs

import (
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// day is the longest time between two runs.
const day = 24 * time.Hour

// Plan says when a job is due: at At of each day in Zone and, where Every is shorter
// than a day, each Every from there on until the next day's At. The zero plan is
// midnight UTC.
type Plan struct {
	At    time.Duration // since midnight, below a day
	Every time.Duration // a whole part of a day, of whole minutes; 0 means a day
	Zone  *time.Location
	// Off never runs by the clock.
	Off bool
}

// Check refuses a plan that cannot be kept. Errors: invalid_input.
func (p Plan) Check() error {
	switch {
	case p.At < 0 || p.At >= day || p.At%time.Minute != 0:
		return misfit("The time of the jobs must be HH:MM between 00:00 and 23:59.")
	case p.Every != 0 && (p.Every < time.Minute || p.Every > day || day%p.Every != 0 || p.Every%time.Minute != 0):
		return misfit("The time between two runs must be whole minutes that divide a day, such as 15m, 6h or 24h.")
	}
	return nil
}

func misfit(message string) error {
	return &agent.Error{Code: agent.CodeInvalidInput, Message: message, Hint: "See the member jobs of the configuration in docs/guides/operate.md."}
}

// Next gives the first time after now. It is worked out from the calendar and not
// from the last run, so that it cannot drift; where a change of the clocks skips or
// repeats an hour, it is the same wall-clock time as on other days.
func (p Plan) Next(now time.Time) time.Time {
	zone := p.Zone
	if zone == nil {
		zone = time.UTC
	}
	every := p.Every
	if every == 0 {
		every = day
	}
	local := now.In(zone)
	// Yesterday's times may reach into today, and today's At may be over.
	for d := -1; ; d++ {
		for at := p.At; at < p.At+day; at += every {
			minutes := int(at / time.Minute)
			next := time.Date(local.Year(), local.Month(), local.Day()+d, minutes/60, minutes%60, 0, 0, zone)
			if next.After(now) {
				return next
			}
		}
	}
}
