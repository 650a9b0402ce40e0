package httpapi

import (
	"bufio"
	"encoding/json"
	"iter"
	"mime"
	"net/http"

	agent "github.com/lossless-group/in-app-agent"
)

// policy gives the policy of the caller's org.
func (a *api) policy(w http.ResponseWriter, r *http.Request) error {
	p, err := a.Admin.OrgPolicy(r.Context())
	return answerPolicy(w, p, err)
}

// putPolicy changes it. What there is to set is the policy's own to say, so its
// members are not read here.
func (a *api) putPolicy(w http.ResponseWriter, r *http.Request) error {
	var c agent.PolicyChange
	err := decode(w, r, func(o *object) {
		if raw, ok := o.raw("version"); !ok {
			o.invalid("version", "The member /version is needed.")
		} else if json.Unmarshal(raw, &c.Version) != nil {
			o.wrong("version", "a whole number")
		}
		if set, ok := o.raw("set"); ok {
			c.Set = set
		} else {
			o.invalid("set", "The member /set is needed.")
		}
	})
	if err != nil {
		return err
	}
	p, err := a.Admin.PutOrgPolicy(r.Context(), c)
	return answerPolicy(w, p, err)
}

func answerPolicy(w http.ResponseWriter, p agent.OrgPolicy, err error) error {
	if err != nil {
		return err
	}
	if p.DisabledCapabilities == nil {
		p.DisabledCapabilities = []string{}
	}
	writeJSON(w, http.StatusOK, p)
	return nil
}

// audit lists the org's audit log.
func (a *api) audit(w http.ResponseWriter, r *http.Request) error {
	limit, err := queryInt(r, "limit")
	if err != nil {
		return err
	}
	page, err := a.Admin.AuditLog(r.Context(), agent.AuditQuery{Cursor: r.URL.Query().Get("cursor"), Limit: limit})
	if err != nil {
		return err
	}
	if page.Items == nil {
		page.Items = []agent.AuditEntry{}
	}
	writeJSON(w, http.StatusOK, page)
	return nil
}

const jsonLines = "application/x-ndjson"

// exportAudit gives the whole log as JSON, a row a line, as it is read.
func (a *api) exportAudit(w http.ResponseWriter, r *http.Request) error {
	next, stop := iter.Pull2(a.Admin.ExportAudit(r.Context()))
	defer stop()
	entry, err, more := next()
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", jsonLines)
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": "audit.jsonl"}))
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox; frame-ancestors 'none'")
	w.WriteHeader(http.StatusOK)
	_ = http.NewResponseController(w).Flush() // its length is not known, also where it is short
	out := bufio.NewWriter(w)
	encoder := json.NewEncoder(out)
	for ; more; entry, err, more = next() {
		if err == nil {
			err = encoder.Encode(entry)
		}
		if err != nil {
			// Half of a log must not pass for the whole of it.
			a.log.Warn("an export of the audit log broke off", "request", requestID(r.Context()), "error", err)
			panic(http.ErrAbortHandler)
		}
	}
	if err := out.Flush(); err != nil {
		panic(http.ErrAbortHandler)
	}
	return nil
}
