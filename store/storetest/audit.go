package storetest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	agent "github.com/lossless-group/in-app-agent"
)

func fact(id string) agent.AuditEntry {
	return agent.AuditEntry{ID: id, At: start, Action: "thing.done", Object: "thing-" + id, Detail: json.RawMessage(`{ "n": 1, "mark": "<b>" }`), ReceiptID: "receipt-1"}
}

func (w *world) append(p agent.Principal, e agent.AuditEntry) agent.AuditEntry {
	w.Helper()
	row, err := w.s.AppendAudit(as(p), e)
	w.ok(err)
	return row
}

// log gives the whole log of a principal's org and holds it against the form that
// everybody can check: seqs without a gap, each hash over the one before.
func (w *world) log(p agent.Principal) []agent.AuditEntry {
	w.Helper()
	list, err := w.s.AuditAfter(as(p), 0, 10_000)
	w.ok(err)
	previous := ""
	for i, e := range list {
		if e.Seq != int64(i+1) || e.Hash != e.ChainHash(p.OrgID, previous) {
			w.Errorf("row %d of %s does not follow the one before: %s", i+1, p.OrgID, show(e))
		}
		previous = e.Hash
	}
	report, err := w.s.VerifyAudit(as(p), agent.AuditHead{})
	w.ok(err)
	w.same(report, agent.AuditReport{Rows: int64(len(list)), Head: agent.AuditHead{Seq: int64(len(list)), Hash: previous}}, "what verifying finds in "+p.OrgID)
	return list
}

var auditCases = []Case{
	{Name: "a row comes back as it was recorded, chained to the one before", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		w.same(len(w.log(alice)), 0, "rows of an org that did nothing")
		var want []agent.AuditEntry
		for i, p := range []agent.Principal{alice, bob, alice} {
			e := fact(fmt.Sprint("f", i))
			row := w.append(p, e)
			e.Actor, e.Seq, e.Hash, e.Detail = p.UserID, int64(i+1), row.Hash, json.RawMessage(`{"n":1,"mark":"\u003cb\u003e"}`)
			w.same(row, e, "the row")
			want = append(want, e)
		}
		w.same(w.log(bob), want, "the log")
	}},
	{Name: "rows that come at once stand in one chain for each org", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		people := []agent.Principal{alice, bob, carol}
		const each = 12
		var all sync.WaitGroup
		for _, p := range people {
			for i := range each {
				all.Go(func() {
					if _, err := s.AppendAudit(as(p), fact(fmt.Sprint(p.UserID, i))); err != nil {
						tb.Errorf("append: %v", err)
					}
				})
			}
		}
		all.Wait()
		w.same(len(w.log(alice)), 2*each, "rows of the org of two")
		w.same(len(w.log(carol)), each, "rows of the other org")
	}},
	{Name: "a fact is recorded once in an org", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		first := w.append(alice, fact("f"))
		again := fact("f")
		again.Object = "another"
		w.same(w.append(bob, again), first, "the row that stands")
		w.same(len(w.log(alice)), 1, "rows")
		w.append(carol, fact("f"))
		w.same(len(w.log(carol)), 1, "rows of the other org")
		minted := []string{w.append(alice, fact("")).ID, w.append(alice, fact("")).ID}
		if minted[0] == "" || minted[0] == minted[1] {
			w.Errorf("the ids that were minted are %q", minted)
		}
	}},
	{Name: "an org's log is nobody else's", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		w.append(alice, fact("f"))
		for _, p := range []agent.Principal{aliceOther, carol} {
			w.same(len(w.log(p)), 0, "rows seen from "+p.OrgID)
			page, err := s.AuditList(as(p), agent.AuditQuery{})
			w.ok(err)
			w.same(page, agent.Page[agent.AuditEntry]{Items: []agent.AuditEntry{}}, "a page seen from "+p.OrgID)
		}
	}},
	{Name: "the newest row comes first, page by page", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		for i := range 7 {
			w.append(alice, fact(fmt.Sprint("f", i)))
		}
		want := w.log(alice)
		slices.Reverse(want)
		for limit := 1; limit <= 8; limit++ {
			var got []agent.AuditEntry
			q := agent.AuditQuery{Limit: limit}
			for range 8 {
				page, err := s.AuditList(as(alice), q)
				w.ok(err)
				if len(page.Items) > limit {
					w.Errorf("a page of %d has %d rows", limit, len(page.Items))
				}
				got = append(got, page.Items...)
				if q.Cursor = page.Next; q.Cursor == "" {
					break
				}
			}
			w.same(got, want, fmt.Sprint("rows in pages of ", limit))
		}
		for _, bad := range []string{"x", "0", "-1", "+1", "01", " 1", "9223372036854775808"} {
			_, err := s.AuditList(as(alice), agent.AuditQuery{Cursor: bad})
			w.code(err, agent.CodeInvalidInput, "the cursor "+bad)
		}
	}},
	{Name: "a row is within its limits", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		const frame = `{"a":""}`
		detail := func(n int) json.RawMessage {
			return json.RawMessage(strings.Replace(frame, `""`, `"`+strings.Repeat("x", n-len(frame))+`"`, 1))
		}
		for n, want := range map[int]agent.Code{agent.MaxAuditDetail - 1: "", agent.MaxAuditDetail: "", agent.MaxAuditDetail + 1: agent.CodeTooLarge} {
			e := fact(fmt.Sprint("size", n))
			e.Detail = detail(n)
			if _, err := s.AppendAudit(as(alice), e); want == "" {
				w.ok(err)
			} else {
				w.code(err, want, fmt.Sprint("a detail of ", n))
			}
		}
		for what, e := range map[string]agent.AuditEntry{
			"no action": {Object: "x"}, "a list": {Action: "a", Detail: json.RawMessage(`[]`)}, "no JSON": {Action: "a", Detail: json.RawMessage(`{`)},
		} {
			_, err := s.AppendAudit(as(alice), e)
			w.code(err, agent.CodeInvalidInput, what)
		}
		long := fact("long")
		long.Object = strings.Repeat("é", agent.MaxAuditWord)
		w.same(w.append(alice, long).Object, strings.Repeat("é", agent.MaxAuditWord/2), "a word that was too long")
		w.same(w.append(alice, agent.AuditEntry{Action: "a"}).Detail, json.RawMessage(`{}`), "no detail")
		w.log(alice)
	}},
	{Name: "an anchor must be in the log", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		for i := range 3 {
			w.append(alice, fact(fmt.Sprint("f", i)))
		}
		rows := w.log(alice)
		for _, c := range []struct {
			anchor agent.AuditHead
			broken int64
		}{
			{agent.AuditHead{Seq: 2, Hash: at(w, rows, 1).Hash}, 0}, {agent.AuditHead{Seq: 3, Hash: at(w, rows, 2).Hash}, 0},
			{agent.AuditHead{Seq: 2, Hash: at(w, rows, 0).Hash}, 2}, {agent.AuditHead{Seq: 4, Hash: at(w, rows, 2).Hash}, 4},
		} {
			report, err := s.VerifyAudit(as(alice), c.anchor)
			w.ok(err)
			if broken := report.Broken; (broken == nil) != (c.broken == 0) || (broken != nil && broken.Seq != c.broken) {
				w.Errorf("with the anchor %+v the first broken row is %s, want %d", c.anchor, show(broken), c.broken)
			}
		}
	}},
}
