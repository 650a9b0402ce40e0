package jobs_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/jobs"
)

func at(t *testing.T, zone *time.Location, text string) time.Time {
	t.Helper()
	when, err := time.ParseInLocation("2006-01-02 15:04:05", text, zone)
	if err != nil {
		t.Fatal(err)
	}
	return when
}

func berlin(t *testing.T) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip("this machine has no time zones")
	}
	return zone
}

func TestAPlanGivesTheNextTimeOnTheClock(t *testing.T) {
	zone := berlin(t)
	night := jobs.Plan{At: 3 * time.Hour, Zone: zone}
	often := jobs.Plan{At: 90 * time.Minute, Every: 6 * time.Hour, Zone: zone}
	for _, c := range []struct {
		what, now, next string
		plan            jobs.Plan
	}{
		{"a moment before", "2026-11-30 02:59:59", "2026-11-30 03:00:00", night},
		{"at the time", "2026-11-30 03:00:00", "2026-12-01 03:00:00", night},
		{"a moment after", "2026-11-30 03:00:01", "2026-12-01 03:00:00", night},
		{"the end of a month", "2026-12-31 12:00:00", "2027-01-01 03:00:00", night},
		{"the night that loses an hour", "2026-03-28 12:00:00", "2026-03-29 03:00:00", night},
		{"the night that doubles an hour", "2026-10-24 12:00:00", "2026-10-25 03:00:00", night},
		{"after that night", "2026-10-25 12:00:00", "2026-10-26 03:00:00", night},
		{"before the first of a day", "2026-11-30 00:00:00", "2026-11-30 01:30:00", often},
		{"between two", "2026-11-30 07:31:00", "2026-11-30 13:30:00", often},
		{"after the last of a day", "2026-11-30 19:30:00", "2026-12-01 01:30:00", often},
	} {
		if got, want := c.plan.Next(at(t, zone, c.now)), at(t, zone, c.next); !got.Equal(want) {
			t.Errorf("%s: %s, want %s", c.what, got, want)
		}
	}
	if got := (jobs.Plan{}).Next(at(t, time.UTC, "2026-11-30 00:00:00")); !got.Equal(at(t, time.UTC, "2026-12-01 00:00:00")) {
		t.Errorf("the zero plan: %s", got)
	}
}

func TestTheNextTimeIsLaterAndNeverFarAway(t *testing.T) {
	zone := berlin(t)
	rapid.Check(t, func(t *rapid.T) {
		every := rapid.SampledFrom([]time.Duration{0, time.Minute, 15 * time.Minute, time.Hour, 8 * time.Hour, 24 * time.Hour}).Draw(t, "every")
		p := jobs.Plan{At: time.Duration(rapid.IntRange(0, 24*60-1).Draw(t, "at")) * time.Minute, Every: every, Zone: zone}
		if err := p.Check(); err != nil {
			t.Fatal(err)
		}
		if every == 0 {
			every = 24 * time.Hour
		}
		now := time.Unix(rapid.Int64Range(0, 4_000_000_000).Draw(t, "now"), 0)
		next := p.Next(now)
		if !next.After(now) || next.Sub(now) > every+time.Hour {
			t.Fatalf("%+v at %s: %s", p, now, next)
		}
	})
}

func TestAPlanThatCannotBeKeptIsRefused(t *testing.T) {
	for _, p := range []jobs.Plan{
		{At: -time.Minute}, {At: 24 * time.Hour}, {At: time.Second}, {Every: -time.Hour}, {Every: 59 * time.Second}, {Every: 7 * time.Hour},
		{Every: 25 * time.Hour}, {Every: 90 * time.Second},
	} {
		if err := p.Check(); agent.ErrorCode(err) != agent.CodeInvalidInput || err == nil {
			t.Errorf("%+v: %v", p, err)
		}
	}
	for _, p := range []jobs.Plan{{}, {At: 24*time.Hour - time.Minute, Every: time.Minute}, {Every: 24 * time.Hour}} {
		if err := p.Check(); err != nil {
			t.Errorf("%+v: %v", p, err)
		}
	}
}
