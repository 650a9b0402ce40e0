package memory

import (
	"context"
	"embed"

	agent "github.com/lossless-group/in-app-agent"
)

//go:embed seed/*.md
var seeds embed.FS

// Seed gives the first text of a reminder file.
func Seed(file agent.ReminderFile) (string, error) {
	text, err := seeds.ReadFile("seed/" + string(file) + ".md")
	return string(text), err
}

// Plant writes the first version of each reminder file of the caller's org, and leaves
// alone what somebody wrote before. It gives how many files it wrote.
func Plant(ctx context.Context, rows agent.ReminderRows, at int64) (planted int, err error) {
	list, err := rows.ReminderList(ctx)
	if err != nil {
		return 0, err
	}
	for _, r := range list {
		if r.Version > 0 {
			continue
		}
		text, err := Seed(r.File)
		if err != nil {
			return planted, err
		}
		_, err = rows.PutReminder(ctx, agent.ReminderWrite{File: r.File, Text: text, Via: agent.ReminderSeeded, At: at})
		if agent.ErrorCode(err) == agent.CodeConflict && err != nil {
			continue // somebody was quicker
		}
		if err != nil {
			return planted, err
		}
		planted++
	}
	return planted, nil
}
