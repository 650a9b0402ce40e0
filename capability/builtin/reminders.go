package builtin

import (
	"context"
	_ "embed"
	"encoding/json"
	"strconv"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/capability"
)

//go:embed reminders.md
var remindersWords string

type remindersInput struct {
	File string `json:"file,omitempty" jsonschema:"client_profile, our_decisions or gotchas; left out, all three"`
}

type reminderFile struct {
	File    string `json:"file"`
	Version int64  `json:"version"`
	Text    string `json:"text"`
}

type remindersOutput struct {
	Reminders []reminderFile `json:"reminders"`
	Note      string         `json:"note,omitempty"`
}

// Reminders makes reminders.read: one or all of the org's reminder files as they are
// now.
func Reminders(rows agent.ReminderRows) agent.Capability {
	return named(capability.Func(capability.Spec{
		Name: "reminders.read", Title: "Read the reminders", Description: remindersWords,
		Kind: agent.KindRead, Tier: agent.TierViewer, Shared: true,
	}, func(ctx context.Context, _ *agent.Call, in remindersInput) (remindersOutput, error) {
		out := remindersOutput{Reminders: []reminderFile{}}
		if in.File != "" && !agent.ReminderFile(in.File).Valid() {
			return out, misfit("/file", "file must be client_profile, our_decisions or gotchas.")
		}
		list, err := rows.ReminderList(ctx)
		if err != nil {
			return out, err
		}
		written := false
		for _, r := range list {
			if in.File == "" || in.File == string(r.File) {
				out.Reminders = append(out.Reminders, reminderFile{string(r.File), r.Version, r.Text})
				written = written || r.Text != ""
			}
		}
		if !written {
			out.Note = "Nothing is recorded there yet."
		}
		return out, nil
	}))
}

// named closes the list of files in a capability's schema, so that a model sees what
// there is. The schema is ours and is made at start-up, so it always decodes.
func named(c agent.Capability) agent.Capability {
	var schema map[string]any
	if err := json.Unmarshal(c.Input, &schema); err != nil {
		panic("builtin: the schema of " + c.Name + " cannot be read: " + err.Error())
	}
	schema["properties"].(map[string]any)["file"].(map[string]any)["enum"] = agent.ReminderFiles
	raw, err := json.Marshal(schema)
	if err != nil {
		panic("builtin: the schema of " + c.Name + " cannot be written: " + err.Error())
	}
	c.Input = raw
	return c
}

func versionWord(v int64) string { return strconv.FormatInt(v, 10) }
