package httpapi

import (
	"encoding/json"
	"net/http"

	agent "github.com/lossless-group/in-app-agent"
)

// usage tells what the caller's model calls of a month used.
func (a *api) usage(w http.ResponseWriter, r *http.Request) error {
	report, err := a.UsageReports.Usage(r.Context(), r.URL.Query().Get("month"))
	return answerUsage(w, report, err)
}

// adminUsage tells what those of the org used.
func (a *api) adminUsage(w http.ResponseWriter, r *http.Request) error {
	report, err := a.UsageReports.OrgUsage(r.Context(), r.URL.Query().Get("month"))
	return answerUsage(w, report, err)
}

func answerUsage(w http.ResponseWriter, report agent.UsageReport, err error) error {
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, report)
	return nil
}

// budgets lists the budgets of the caller's org.
func (a *api) budgets(w http.ResponseWriter, r *http.Request) error {
	list, err := a.UsageReports.OrgBudgets(r.Context())
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, list)
	return nil
}

// putBudgets replaces them.
func (a *api) putBudgets(w http.ResponseWriter, r *http.Request) error {
	var list agent.BudgetList
	err := decode(w, r, func(o *object) {
		if _, ok := o.raw("items"); !ok {
			o.invalid("items", "The member /items is needed; an empty list takes every budget away.")
		}
		for _, b := range o.objects("items") {
			list.Items = append(list.Items, agent.Budget{
				Scope: agent.BudgetScope(b.required("scope")), Subject: b.str("subject"),
				SoftCost: (*agent.NanoUSD)(b.whole("softNanoUsd")), HardCost: (*agent.NanoUSD)(b.whole("hardNanoUsd")),
				SoftTokens: b.whole("softTokens"), HardTokens: b.whole("hardTokens"),
			})
			b.closed()
		}
	})
	if err != nil {
		return err
	}
	stored, err := a.UsageReports.PutOrgBudgets(r.Context(), list)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, stored)
	return nil
}

// whole gives a member that is a whole number, nil where it is not there.
func (o *object) whole(name string) *int64 {
	raw, ok := o.raw(name)
	if !ok {
		return nil
	}
	var n int64
	if json.Unmarshal(raw, &n) != nil {
		o.wrong(name, "a whole number")
		return nil
	}
	return &n
}

// transparency tells what left this machine for a thread.
func (a *api) transparency(w http.ResponseWriter, r *http.Request) error {
	id := r.URL.Query().Get("threadId")
	if id == "" {
		return &agent.Error{Code: agent.CodeInvalidInput, Pointer: "/threadId", Message: "The parameter threadId is needed."}
	}
	if !idForm.MatchString(id) {
		return agent.NotFound("thread")
	}
	t, err := a.Egress.Transparency(r.Context(), agent.ThreadID(id))
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, t)
	return nil
}
