package httpapi

import (
	"context"
	"iter"
	"math"
	"net/http"
	"strconv"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

// turn tells where a turn stands.
func (a *api) turn(w http.ResponseWriter, r *http.Request) error {
	id, err := id(r, "id", "turn")
	if err != nil {
		return err
	}
	t, err := a.Agent.Turn(r.Context(), agent.TurnID(id))
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, t)
	return nil
}

// attach replays a turn after a place and then follows it. A turn that has ended
// and has nothing left to tell is a 204, which also stops an EventSource.
func (a *api) attach(w http.ResponseWriter, r *http.Request) error {
	id, err := id(r, "id", "turn")
	if err != nil {
		return err
	}
	after, err := parsePosition(lastEventID(r))
	if err != nil {
		return err
	}
	t, err := a.Agent.Turn(r.Context(), agent.TurnID(id))
	if err != nil {
		return err
	}
	how := streaming{id: turnFrameID}
	if t.State.Terminal() {
		how.hold = -1 // whether anything is left is known with the first event
	}
	began, err := a.serve(w, r, how, func(ctx context.Context) iter.Seq2[agent.Event, error] {
		return a.Agent.Events(ctx, t.ID, after)
	})
	if !began && err == nil {
		w.WriteHeader(http.StatusNoContent)
	}
	if began {
		return nil
	}
	return err
}

// lastEventID gives the place that a client has seen: the header of a client that
// comes back wins over the address, which is from when it first came.
func lastEventID(r *http.Request) string {
	if v := r.Header.Get("Last-Event-ID"); v != "" {
		return v
	}
	return r.URL.Query().Get("after")
}

// parsePosition reads run:seq or a bare seq; "" is the start.
func parsePosition(s string) (agent.Position, error) {
	if s == "" {
		return agent.Position{}, nil
	}
	run, num, ok := strings.Cut(s, ":")
	if !ok {
		run, num = "0", s
	}
	r, errRun := strconv.ParseUint(run, 10, 63)
	seq, errSeq := strconv.ParseUint(num, 10, 63)
	if errRun != nil || errSeq != nil || seq > math.MaxInt64 {
		return agent.Position{}, agent.Errorf(agent.CodeInvalidRequest, "The place in the stream must look like run:seq or seq.")
	}
	return agent.Position{Run: int64(r), Seq: agent.Seq(seq)}, nil
}

// cancel stops a turn.
func (a *api) cancel(w http.ResponseWriter, r *http.Request) error {
	id, err := id(r, "id", "turn")
	if err != nil {
		return err
	}
	if err := noBody(w, r); err != nil {
		return err
	}
	if err := a.Agent.CancelTurn(r.Context(), agent.TurnID(id)); err != nil {
		return err
	}
	writeJSON(w, http.StatusAccepted, struct {
		TurnID string `json:"turnId"`
	}{id})
	return nil
}

// undo takes an applied change back, in a turn of its own.
func (a *api) undo(w http.ResponseWriter, r *http.Request) error {
	id, err := id(r, "id", "call")
	if err != nil {
		return err
	}
	if err := noBody(w, r); err != nil {
		return err
	}
	t, err := a.Agent.Undo(r.Context(), agent.CallID(id))
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusAccepted, struct {
		Turn agent.Turn `json:"turn"`
	}{t})
	return nil
}

// confirm takes decisions. Outcomes that come with an error (another answer was
// first) are told together with it.
func (a *api) confirm(w http.ResponseWriter, r *http.Request) error {
	var req agent.DecisionRequest
	if err := decode(w, r, func(o *object) { req = decisionRequest(o) }); err != nil {
		return err
	}
	results, err := a.Agent.Decide(r.Context(), req)
	if err != nil && len(results) == 0 {
		return err
	}
	if results == nil {
		results = []agent.Outcome{}
	}
	if err != nil {
		p := problemOf(r.Context(), err)
		p.TurnID = req.TurnID
		writeProblem(w, p.Status, struct {
			Problem
			Results []agent.Outcome `json:"results"`
		}{p, results})
		return nil
	}
	writeJSON(w, http.StatusOK, struct {
		TurnID  agent.TurnID    `json:"turnId"`
		Results []agent.Outcome `json:"results"`
	}{req.TurnID, results})
	return nil
}

func decisionRequest(o *object) agent.DecisionRequest {
	req := agent.DecisionRequest{TurnID: agent.TurnID(o.required("turnId"))}
	for _, d := range o.objects("decisions") {
		one := agent.Decision{
			CallID:    agent.CallID(d.required("callId")),
			ReceiptID: agent.ReceiptID(d.required("receiptId")),
			Decision:  d.required("decision"),
		}
		one.Input, _ = d.raw("input")
		if remember := d.boolean("remember"); remember != nil {
			one.Remember = *remember
		}
		d.closed()
		req.Decisions = append(req.Decisions, one)
	}
	if len(req.Decisions) == 0 {
		o.invalid("decisions", "There is nothing to decide.")
	}
	return req
}

// capabilities tells what the caller may use here.
func (a *api) capabilities(w http.ResponseWriter, r *http.Request) error {
	d, err := a.Agent.Describe(r.Context())
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, d)
	return nil
}
