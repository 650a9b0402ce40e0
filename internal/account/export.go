package account

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// defaultExport bounds an export, in bytes: it is made in memory.
const defaultExport = 16 << 20

// ExportThread gives a conversation as a file: Markdown to read, or JSON with
// everything that is kept of it.
func (a *Account) ExportThread(ctx context.Context, id agent.ThreadID, format string) (agent.Export, error) {
	if format != "md" && format != "json" {
		return agent.Export{}, invalid("/format", "The format is md or json.")
	}
	t, err := a.readable(ctx, id)
	if err != nil {
		return agent.Export{}, err
	}
	turns, err := a.wholePath(ctx, id)
	if err != nil {
		return agent.Export{}, err
	}
	e := agent.Export{Name: fileName(t) + "." + format}
	if format == "json" {
		e.MIME = "application/json"
		e.Data, err = a.exportJSON(ctx, t, turns)
	} else {
		e.MIME = "text/markdown"
		e.Data, err = a.exportMarkdown(ctx, t, turns)
	}
	if err == nil && len(e.Data) > a.maxExport {
		err = exportTooLarge()
	}
	if err != nil {
		return agent.Export{}, err
	}
	return e, nil
}

func exportTooLarge() error {
	return &agent.Error{Code: agent.CodeTooLarge, Message: "The conversation is too long for one file.",
		Hint: "An operator can export the whole organisation with the export command."}
}

// wholePath gives every turn of the thread's path, oldest first.
func (a *Account) wholePath(ctx context.Context, id agent.ThreadID) ([]agent.Turn, error) {
	var pages [][]agent.Turn
	var before agent.TurnID
	total := 0
	for {
		page, err := a.Config.Threads.PathTurns(ctx, id, before, maxTurns)
		if err != nil {
			return nil, err
		}
		pages = append(pages, page)
		total += len(page)
		if len(page) == 0 || page[0].Parent == "" {
			break
		}
		before = page[0].ID
	}
	turns := make([]agent.Turn, 0, total)
	for i := len(pages) - 1; i >= 0; i-- {
		turns = append(turns, pages[i]...)
	}
	return turns, nil
}

func (a *Account) exportJSON(ctx context.Context, t agent.Thread, turns []agent.Turn) ([]byte, error) {
	rows, err := a.Config.Threads.Transcripts(ctx, t.ID)
	if err != nil {
		return nil, err
	}
	out := struct {
		Protocol   int                   `json:"protocol"`
		ExportedAt int64                 `json:"exportedAt"`
		Thread     agent.Thread          `json:"thread"`
		Turns      []agent.TurnView      `json:"turns"`
		Transcript []agent.TranscriptRow `json:"transcript"`
	}{Protocol: agent.ProtocolVersion, ExportedAt: a.now(), Thread: t, Transcript: rows}
	size := 0
	for _, turn := range turns {
		v, err := a.turnView(ctx, turn)
		if err != nil {
			return nil, err
		}
		for _, e := range v.Events {
			size += len(e.Data)
		}
		if size > a.maxExport {
			return nil, exportTooLarge()
		}
		out.Turns = append(out.Turns, v)
	}
	return json.MarshalIndent(out, "", "  ")
}

// fileName makes a plain name from the title and the day: letters and digits only,
// whatever the title says.
func fileName(t agent.Thread) string {
	const most = 48
	var b strings.Builder
	dash := false
	for _, r := range strings.ToLower(t.Title) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			if dash && b.Len() > 0 {
				b.WriteByte('-')
			}
			dash = false
			b.WriteRune(r)
		} else {
			dash = true
		}
		if b.Len() >= most {
			break
		}
	}
	name := b.String()
	if name == "" {
		name = "conversation"
	}
	return name + "-" + time.UnixMilli(t.CreatedAt).UTC().Format("2006-01-02")
}
