package engine

import (
	"context"

	agent "github.com/lossless-group/in-app-agent"
)

// leftBehind lists what was applied on turns of the thread that the new turn does
// not follow: it stays applied, so the model must know of it.
func (e *Engine) leftBehind(ctx context.Context, th agent.Thread, parent agent.Turn) ([]string, error) {
	if th.ID == "" || parent.ID == th.Head {
		return nil, nil
	}
	on := map[agent.TurnID]bool{}
	if parent.ID != "" {
		path, err := e.Store.Path(ctx, parent.ID, maxPath)
		if err != nil {
			return nil, err
		}
		on[parent.ID] = true
		for _, rec := range path {
			on[rec.Turn.ID] = true
		}
	}
	page, err := e.Store.TurnList(ctx, agent.TurnQuery{ThreadID: th.ID, Limit: maxPath})
	if err != nil {
		return nil, err
	}
	var applied []string
	for i := len(page.Items) - 1; i >= 0; i-- { // newest first in the page
		t := page.Items[i]
		if on[t.ID] {
			continue
		}
		rec, err := e.Store.Record(ctx, t.ID)
		if err != nil {
			return nil, err
		}
		for _, rc := range rec.Receipts {
			if rc.State == agent.ReceiptAccepted && stateOf(rec, rc) == agent.EffectApplied {
				applied = append(applied, rc.Capability+": "+rc.Preview.Summary)
			}
		}
	}
	return applied, nil
}

// threadChanged is the one event that belongs to no turn.
func threadChanged(id agent.ThreadID, c agent.ThreadChangedData, at int64) agent.Event {
	return agent.Event{Thread: id, At: at, Kind: agent.EventThreadChanged, Data: marshal(c)}
}

// ThreadChanged tells the readers of a thread that its head line changed, or that
// it was deleted, which ends their streams. Caller: account, through server.
func (e *Engine) ThreadChanged(_ context.Context, id agent.ThreadID, change agent.ThreadChangedData) {
	e.hub.changed(id, change)
}
