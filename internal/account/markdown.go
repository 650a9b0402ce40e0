package account

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

// exportMarkdown writes a conversation for people. Whatever somebody else wrote
// (user, model, tools) is quoted line by line or fenced, so that no text can pose
// as a heading of ours and claim that somebody accepted something.
func (a *Account) exportMarkdown(ctx context.Context, t agent.Thread, turns []agent.Turn) ([]byte, error) {
	m := &markdown{}
	fmt.Fprintf(&m.b, "# %s\n\n- Project: %s\n- Begun: %s\n- Exported: %s\n- Turns: %d\n",
		inline(t.Title), inline(t.ProjectID), clock(t.CreatedAt), clock(a.now()), len(turns))
	for _, turn := range turns {
		v, err := a.turnView(ctx, turn)
		if err != nil {
			return nil, err
		}
		m.turn(v)
		if m.b.Len() > a.maxExport {
			return nil, exportTooLarge()
		}
	}
	return m.b.Bytes(), nil
}

// markdown collects the text; names keeps what each call is called.
type markdown struct {
	b     bytes.Buffer
	names map[agent.CallID]string
}

func (m *markdown) turn(v agent.TurnView) {
	m.names = make(map[agent.CallID]string)
	t := v.Turn
	who := "You"
	if t.By == "hand" {
		who = "You, by hand"
	}
	fmt.Fprintf(&m.b, "\n## %s · %s\n\n", who, clock(t.CreatedAt))
	m.quote(t.Message.Text)
	for _, n := range t.Message.Attachments {
		title := n.Title
		if title == "" {
			title = n.ID
		}
		fmt.Fprintf(&m.b, "\n- Attached: %s (%s)\n", inline(title), inline(n.Kind))
	}
	if t.By == "hand" {
		m.b.WriteString("\n### Done by hand · no model asked\n")
	} else {
		fmt.Fprintf(&m.b, "\n### Agent · %s · %s\n", inline(t.Model), paidBy(t))
	}
	for _, e := range told(v.Events) {
		m.event(e)
	}
	if !t.State.Terminal() {
		fmt.Fprintf(&m.b, "\n_This turn has not ended: %s._\n", strings.ReplaceAll(string(t.State), "_", " "))
	}
}

func (m *markdown) event(e agent.Event) {
	switch e.Kind {
	case agent.EventTextDelta:
		var d agent.TextDelta
		if e.Decode(&d) == nil && strings.TrimSpace(d.Text) != "" {
			m.b.WriteByte('\n')
			m.quote(d.Text)
		}
	case agent.EventCapabilityStarted:
		var d agent.CapabilityStarted
		if e.Decode(&d) == nil {
			m.names[d.CallID] = d.Title
			fmt.Fprintf(&m.b, "\n**Used** %s (`%s`)\n", inline(d.Title), inline(d.Name))
			m.json(d.Input)
		}
	case agent.EventPreview:
		var d agent.PreviewShown
		if e.Decode(&d) == nil {
			m.names[d.CallID] = d.Title
			fmt.Fprintf(&m.b, "\n**Proposed** %s\n\n", inline(d.Title))
			m.quote(d.Summary)
			for _, art := range d.Artifacts {
				fmt.Fprintf(&m.b, "\n- %s (%s)\n", inline(art.Title), inline(string(art.Kind)))
			}
		}
	default:
		m.outcome(e)
	}
}

// outcome tells how calls, decisions and the turn ended.
func (m *markdown) outcome(e agent.Event) {
	switch e.Kind {
	case agent.EventDecision:
		var d agent.Decided
		if e.Decode(&d) == nil {
			by := "by you"
			switch d.By {
			case "system":
				by = "by the system"
			case "rule":
				by = "by what you had remembered (" + inline(d.PermissionID) + ")"
			}
			if d.RememberedID != "" {
				by += ", and remembered (" + inline(d.RememberedID) + ")"
			}
			fmt.Fprintf(&m.b, "\n**Decision** on %s: %s %s, %s\n", m.name(d.CallID), inline(string(d.Decision)), by, clock(e.At))
		}
	case agent.EventCapabilityDone:
		var d agent.CapabilityDone
		if e.Decode(&d) == nil {
			m.done(d)
		}
	case agent.EventTurnFailed:
		var d agent.TurnFailedData
		if e.Decode(&d) == nil {
			fmt.Fprintf(&m.b, "\n**Failed** (%s)\n\n", inline(string(d.Code)))
			m.quote(d.Message)
		}
	case agent.EventTurnCanceled:
		m.b.WriteString("\n**Stopped** before it was done.\n")
	}
}

func (m *markdown) done(d agent.CapabilityDone) {
	verb := map[agent.Phase]string{agent.PhaseApply: "Applied", agent.PhaseDiscard: "Cleaned up"}[d.Phase]
	switch {
	case d.State == agent.EffectUnknown:
		fmt.Fprintf(&m.b, "\n**Outcome unknown** of %s: it may or may not have happened.\n", m.name(d.CallID))
	case d.Error != nil:
		fmt.Fprintf(&m.b, "\n**Did not work**: %s (%s)\n\n", m.name(d.CallID), inline(string(d.Error.Code)))
		m.quote(d.Error.Message)
	case verb != "":
		fmt.Fprintf(&m.b, "\n**%s**: %s\n", verb, m.name(d.CallID))
		m.json(d.Output)
	default:
		m.json(d.Output)
	}
}

func (m *markdown) name(id agent.CallID) string {
	if n := m.names[id]; n != "" {
		return inline(n)
	}
	return inline(string(id))
}
